//! Names that every program and file system accepts.

use craze_frame::Frame;

/// Replaces everything but letters, digits, `-`, `_` and `.` by `_`.
pub(crate) fn label(name: &str) -> String {
    let allowed = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let label: String = name.chars().map(|character| if allowed(character) { character } else { '_' }).collect();
    // A leading dot would hide the file.
    let label = label.trim_start_matches('.');
    if label.is_empty() { "unnamed".to_owned() } else { label.to_owned() }
}

/// Labels of a frame's bodies and obstacles, unique even if case is ignored.
pub(crate) struct Labels {
    /// One per body.
    pub bodies: Vec<String>,
    /// One per obstacle.
    pub obstacles: Vec<String>,
}

impl Labels {
    pub(crate) fn new(frame: &Frame) -> Labels {
        let mut taken = Vec::new();
        Labels {
            bodies: frame.bodies.iter().map(|body| unique(label(&body.name), &mut taken)).collect(),
            obstacles: frame.obstacles.iter().map(|obstacle| unique(label(&obstacle.name), &mut taken)).collect(),
        }
    }
}

/// The label, or the first unused one of `label_2`, `label_3`, …; `taken` holds used labels in
/// lower case.
pub(crate) fn unique(label: String, taken: &mut Vec<String>) -> String {
    let candidates = std::iter::once(label.clone()).chain((2..).map(|count| format!("{label}_{count}")));
    let mut free = candidates.skip_while(|candidate| taken.contains(&candidate.to_lowercase()));
    let chosen = free.next().unwrap_or(label);
    taken.push(chosen.to_lowercase());
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_letters_and_replace_unsafe_characters() {
        assert_eq!(label("bowl 2/left\n"), "bowl_2_left_");
        assert_eq!(label("Schüssel"), "Schüssel");
        assert_eq!(label("../up"), "_up");
        assert_eq!(label(""), "unnamed");
    }

    #[test]
    fn equal_labels_get_distinct_suffixes() {
        let mut taken = Vec::new();
        let labels = ["a b", "a_b", "A_B", "c"].map(|name| unique(label(name), &mut taken));
        assert_eq!(labels, ["a_b", "a_b_2", "A_B_3", "c"]);
    }
}
