//! Termination signals: Ctrl-C, and on Unix SIGTERM and SIGHUP.

/// Calls `act` at each Ctrl-C, SIGTERM or SIGHUP. A SIGHUP that is already ignored, as under
/// `nohup`, stays ignored. If no handler can be installed, signals kill the program, and the run
/// resumes from its last checkpoint.
pub fn on_interrupt(act: impl FnMut() + Send + 'static) {
    #[cfg(unix)]
    let is_ignored = ignore_hangup();
    let _ = ctrlc::set_handler(act);
    #[cfg(unix)]
    if is_ignored {
        ignore_hangup();
    }
}

/// Ignores SIGHUP; returns true if it was ignored before.
#[cfg(unix)]
#[allow(unsafe_code)]
fn ignore_hangup() -> bool {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: ignoring a signal runs no code in a handler.
    let before = unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) };
    matches!(before, Ok(SigHandler::SigIgn))
}
