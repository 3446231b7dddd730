//! The list of tests and the runner.

use crate::outcome::{Findings, Outcome};
use crate::{ValidationError, clusters, solid};
use std::time::Instant;

/// Extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every test in its coarsest meaningful configuration: seconds, for every change.
    Quick,
    /// Every test as specified: minutes.
    Full,
}

/// The fracture method that a test covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodLetter {
    /// S: tetrahedra (O'Brien & Hodgins 1999).
    Solid,
    /// C: clustered shape matching (Jones et al. 2016).
    Clusters,
}

impl MethodLetter {
    /// All methods that have tests.
    pub const ALL: [MethodLetter; 2] = [MethodLetter::Solid, MethodLetter::Clusters];

    /// Its letter in the list of known answers.
    pub fn letter(self) -> char {
        match self {
            MethodLetter::Solid => 'S',
            MethodLetter::Clusters => 'C',
        }
    }

    /// Its name in scene files.
    pub fn kind(self) -> &'static str {
        match self {
            MethodLetter::Solid => craze_solid::KIND,
            MethodLetter::Clusters => craze_clusters::KIND,
        }
    }
}

/// A known answer that a method must reproduce.
#[derive(Debug)]
pub struct Test {
    /// Its number in the list of known answers.
    pub number: u32,
    /// The method tested.
    pub method: MethodLetter,
    /// Its subject.
    pub title: &'static str,
    /// Source of the answer.
    pub source: &'static str,
    /// Conditions of the test that a scene would not have: strengthened parts, prescribed states,
    /// chosen numbers. Shown in tables; empty if there are none.
    pub conditions: &'static str,
    pub(crate) measure: fn(Depth, &mut Findings) -> Result<(), ValidationError>,
}

/// All tests, by method and number.
pub const TESTS: &[Test] = &[
    solid::patch::TEST,
    solid::objectivity::TEST,
    solid::column::TEST,
    solid::bar::TEST,
    solid::integrator_order::TEST,
    solid::cantilever::TEST,
    solid::conservation::TEST,
    solid::tension::TEST,
    solid::compression::TEST,
    solid::plate_with_hole::TEST,
    solid::edge_crack::TEST,
    solid::kink::TEST,
    solid::double_cantilever::TEST,
    solid::branching::TEST,
    solid::mesh_edits::TEST,
    solid::overlap::TEST,
    solid::stack::TEST,
    clusters::objectivity::TEST,
    clusters::conservation::TEST,
    clusters::momentum::TEST,
    clusters::breathing::TEST,
    clusters::flow::TEST,
];

/// The tests to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Their numbers; empty: all.
    pub numbers: Vec<u32>,
    /// The method; `None`: all.
    pub method: Option<MethodLetter>,
}

impl Selection {
    /// True if a test is selected.
    pub fn admits(&self, test: &Test) -> bool {
        (self.numbers.is_empty() || self.numbers.contains(&test.number))
            && self.method.is_none_or(|method| method == test.method)
    }

    /// The selected tests, in the order of [`TESTS`].
    pub fn tests(&self) -> impl Iterator<Item = &'static Test> {
        TESTS.iter().filter(|test| self.admits(test))
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
            selection.tests().map(|test| (test.method.letter(), test.number)).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&[], None).len(), TESTS.len());
        assert_eq!(chosen(&[2], None), [('S', 2), ('C', 2)]);
        assert_eq!(chosen(&[13, 2], Some(MethodLetter::Clusters)), [('C', 2), ('C', 13)]);
        assert!(chosen(&[999], None).is_empty());
    }

    #[test]
    fn no_test_is_listed_twice() {
        let mut names: Vec<_> = TESTS.iter().map(|test| (test.method.letter(), test.number)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TESTS.len());
    }
}
