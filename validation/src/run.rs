//! The list of tests, and how they are run.

use crate::outcome::{Findings, Outcome};
use crate::{ValidationError, clusters, solid};
use std::time::Instant;

/// How thorough a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every test with the coarsest set-up that still shows what is asked: seconds, for every change.
    Quick,
    /// Every test as the list asks for it: minutes.
    Full,
}

/// Which fracture method a test is for.
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

/// A known answer that a method must give.
#[derive(Debug)]
pub struct Test {
    /// Its number in the list of known answers.
    pub number: u32,
    /// The method that is tested.
    pub method: MethodLetter,
    /// What it is about.
    pub title: &'static str,
    /// Where the answer comes from.
    pub source: &'static str,
    /// What the test arranges that a scene of this kind would not have: parts made stronger, states set by hand, numbers chosen for it.
    /// Tables show it beside the title; empty if there is nothing.
    pub conditions: &'static str,
    pub(crate) measure: fn(Depth, &mut Findings) -> Result<(), ValidationError>,
}

/// Every test, by method and number.
pub const TESTS: &[Test] = &[
    solid::patch::TEST,
    solid::objectivity::TEST,
    solid::column::TEST,
    solid::bar::TEST,
    solid::order::TEST,
    solid::cantilever::TEST,
    solid::conservation::TEST,
    solid::tension::TEST,
    solid::squeezed::TEST,
    solid::hole::TEST,
    solid::edge_crack::TEST,
    solid::kink::TEST,
    solid::cantilevers::TEST,
    solid::branch::TEST,
    solid::edits::TEST,
    solid::overlap::TEST,
    solid::stack::TEST,
    clusters::objectivity::TEST,
    clusters::conservation::TEST,
    clusters::momentum::TEST,
    clusters::breathing::TEST,
    clusters::flow::TEST,
];

/// Which tests to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Their numbers; none: all.
    pub numbers: Vec<u32>,
    /// The method; none: all.
    pub method: Option<MethodLetter>,
}

impl Selection {
    /// Whether a test is chosen.
    pub fn admits(&self, test: &Test) -> bool {
        (self.numbers.is_empty() || self.numbers.contains(&test.number))
            && self.method.is_none_or(|method| method == test.method)
    }

    /// The chosen tests, in the order of [`TESTS`].
    pub fn tests(&self) -> impl Iterator<Item = &'static Test> {
        TESTS.iter().filter(|test| self.admits(test))
    }
}

/// Runs the chosen tests one after the other. `tell` hears of each outcome as soon as it is there.
pub fn run(selection: &Selection, depth: Depth, tell: &mut dyn FnMut(&Outcome)) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for test in selection.tests() {
        let clock = Instant::now();
        let mut findings = Findings::default();
        let error = (test.measure)(depth, &mut findings).err().map(|error| error.to_string());
        let outcome = Outcome { test, findings, error, seconds: clock.elapsed().as_secs_f64() };
        tell(&outcome);
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
    fn no_test_stands_in_the_list_twice() {
        let mut names: Vec<_> = TESTS.iter().map(|test| (test.method.letter(), test.number)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TESTS.len());
    }
}
