//! Signals that ask the program to end: Ctrl-C, and on Unix SIGTERM and SIGHUP.

/// Calls `act` each time that a person presses Ctrl-C or the system asks to end (SIGTERM, SIGHUP). A SIGHUP that is ignored already, as under `nohup`, stays
/// so. Without a handler, which the system may refuse, a signal kills the program, and a run can still be resumed from its last checkpoint.
pub fn on_interrupt(act: impl FnMut() + Send + 'static) {
    #[cfg(unix)]
    let is_ignored = ignore_hangup();
    let _ = ctrlc::set_handler(act);
    #[cfg(unix)]
    if is_ignored {
        ignore_hangup();
    }
}

/// Makes the system drop SIGHUP, and returns whether it did so before.
#[cfg(unix)]
#[allow(unsafe_code)]
fn ignore_hangup() -> bool {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: a handler may only do what is safe at any moment of the program; to ignore a signal runs no code at all.
    let before = unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) };
    matches!(before, Ok(SigHandler::SigIgn))
}
