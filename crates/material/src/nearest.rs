//! Suggestions for misspelt names.

/// The candidate most similar to `name`; `None` if all differ too much for a typing error.
///
/// The distance is the number of insertions, deletions, replacements and adjacent transpositions
/// (optimal string alignment, Damerau 1964), ignoring case and the difference between `_`, `-` and
/// space. It may be at most a third of the longer name, and always one, unless one name contains
/// the other. Ties go to the first candidate.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = normalised(name);
    if wanted.is_empty() {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters = normalised(candidate);
        let distance = edit_distance(&wanted, &letters);
        let allowed = (wanted.len().max(letters.len()) / 3).max(1);
        let shorter = wanted.len().min(letters.len());
        let contained = shorter >= 3 && (contains(&letters, &wanted) || contains(&wanted, &letters));
        if (distance <= allowed || contained) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn normalised(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).map(|c| if matches!(c, '_' | ' ') { '-' } else { c }).collect()
}

fn contains(text: &[char], part: &[char]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Optimal string alignment distance.
fn edit_distance(first: &[char], second: &[char]) -> usize {
    let columns = second.len() + 1;
    let mut before_last: Vec<usize> = vec![0; columns];
    let mut last: Vec<usize> = (0..columns).collect();
    let mut row = vec![0; columns];
    for i in 1..=first.len() {
        row[0] = i;
        for j in 1..columns {
            let replaced = last[j - 1] + usize::from(first[i - 1] != second[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && first[i - 1] == second[j - 2] && first[i - 2] == second[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[columns - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["glass", "ceramic", "steel", "aluminium"];

    #[test]
    fn typing_errors_find_their_name() {
        for (wrong, right) in [
            ("galss", "glass"),
            ("Cermaic", "ceramic"),
            ("stell", "steel"),
            ("aluminum", "aluminium"),
            ("alu", "aluminium"),
        ] {
            assert_eq!(nearest(wrong, NAMES), Some(right), "{wrong}");
        }
    }

    #[test]
    fn unrelated_words_find_nothing() {
        for word in ["", "water", "x", "unobtainium-42"] {
            assert_eq!(nearest(word, NAMES), None, "{word}");
        }
    }

    #[test]
    fn edit_distance_of_known_pairs() {
        let distance = |a: &str, b: &str| edit_distance(&normalised(a), &normalised(b));
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
