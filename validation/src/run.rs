//! The list of tests and the runner.

use crate::outcome::{Findings, Outcome};
use crate::{SUITES, ValidationError};
use std::time::Instant;

/// Extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every test in its coarsest meaningful configuration: seconds, for every change.
    Quick,
    /// Every test as specified: minutes.
    Full,
}

/// A known answer that a method must give.
#[derive(Debug)]
pub struct Test {
    /// Its number in the list of known answers.
    pub number: u32,
    /// Name of the method that is tested.
    pub method: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Source of the answer.
    pub source: &'static str,
    /// Conditions of the test that a scene would not have: strengthened parts, prescribed states,
    /// chosen numbers. Shown in tables; empty if there are none.
    pub conditions: &'static str,
    pub(crate) measure: fn(Depth, &mut Findings) -> Result<(), ValidationError>,
}

impl Test {
    /// The letter of its method in tables; a question mark for a method that Craze does not have.
    pub fn letter(&self) -> char {
        craze_methods::method(self.method).map_or('?', |method| method.letter)
    }
}

/// Every test, by method and number.
pub fn tests() -> impl Iterator<Item = &'static Test> {
    SUITES.iter().copied().flatten()
}

/// The tests to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Their numbers; empty: all.
    pub numbers: Vec<u32>,
    /// The method; none: all.
    pub method: Option<&'static str>,
}

impl Selection {
    /// True if a test is selected.
    pub fn admits(&self, test: &Test) -> bool {
        (self.numbers.is_empty() || self.numbers.contains(&test.number))
            && self.method.is_none_or(|method| method == test.method)
    }

    /// The chosen tests, in the order of [`tests`].
    pub fn tests(&self) -> impl Iterator<Item = &'static Test> {
        tests().filter(|test| self.admits(test))
    }
}

/// Runs the selected tests in order and calls `report` with each result.
pub fn run(selection: &Selection, depth: Depth, report: &mut dyn FnMut(&Outcome)) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for test in selection.tests() {
        let clock = Instant::now();
        let mut findings = Findings::default();
        let error = (test.measure)(depth, &mut findings).err().map(|error| error.to_string());
        let outcome = Outcome { test, findings, error, seconds: clock.elapsed().as_secs_f64() };
        report(&outcome);
        outcomes.push(outcome);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_chosen_by_number_and_by_method() {
        let chosen = |numbers: &[u32], method| {
            let selection = Selection { numbers: numbers.to_vec(), method };
            selection.tests().map(|test| (test.letter(), test.number)).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&[], None).len(), super::tests().count());
        assert_eq!(chosen(&[2], None), [('S', 2), ('C', 2), ('X', 2)]);
        assert_eq!(chosen(&[13, 2], Some("clusters")), [('C', 2), ('C', 13)]);
        assert!(chosen(&[999], None).is_empty());
    }

    #[test]
    fn no_test_stands_in_the_list_twice() {
        let mut names: Vec<_> = super::tests().map(|test| (test.letter(), test.number)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), super::tests().count());
    }

    #[test]
    fn every_method_has_known_answers_and_every_answer_a_method() {
        for method in craze_methods::METHODS {
            assert!(super::tests().any(|test| test.method == method.name), "{}", method.name);
        }
        assert!(super::tests().all(|test| craze_methods::method(test.method).is_some()));
    }
}
