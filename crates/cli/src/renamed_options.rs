//! Notes about options that have a better name now.

use crate::OutputMode;
use std::ffi::OsString;
use std::io::Write;

/// Earlier and present names of options. The earlier ones are aliases of the present ones.
const RENAMED: [(&str, &str); 2] = [("--smallest", "--merge-below"), ("--flat-cracks", "--smooth-cracks")];

/// Prints a note to standard error, in text mode, for each argument with an earlier name.
pub fn report(arguments: impl Iterator<Item = OsString>, mode: OutputMode) {
    if mode != OutputMode::Text {
        return;
    }
    for note in notes(arguments) {
        // A closed terminal is not an error.
        let _ = writeln!(std::io::stderr().lock(), "{note}");
    }
}

fn notes(arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let options = arguments.skip(1).take_while(|argument| argument != "--");
    let name = |argument: OsString| Some(argument.to_str()?.split('=').next()?.to_owned());
    let renamed = options.filter_map(name).filter_map(|name| RENAMED.iter().find(|(earlier, _)| *earlier == name));
    renamed.map(|(earlier, present)| format!("note: {earlier} is {present} now; both are accepted")).collect()
}
