//! Data on points, elements and facets that follows every edit by itself.
//!
//! A column has a name, its values and a rule that says what an edit does to them; the edit does not know what they
//! mean. Regions, holds, painted weights and plastic strain live here.

use crate::edit::{Edit, Inheritance};
use crate::id::{Id, NONE};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The values of one attribute, one entry a point, element or facet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// Numbers.
    Scalars(Vec<f64>),
    /// Vectors.
    Vectors(Vec<Vec3>),
    /// Whole numbers: names, counts or sets of bits.
    Labels(Vec<u32>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Scalars(values) => values.len(),
            Self::Vectors(values) => values.len(),
            Self::Labels(values) => values.len(),
        }
    }
}

/// What a new or moved point takes from the points that it lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointRule {
    /// The weighted mean: a linear field stays linear. For scalars and vectors.
    Interpolate,
    /// The value of the parent with the largest weight, the first of equals.
    Heaviest,
    /// The bits that all parents have: a point in the middle of an edge is in a region if both ends are. For labels.
    Common,
}

/// What a new element takes from the elements that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementRule {
    /// The value of its parent.
    Copy,
    /// The mean over the space it fills: its parent's value where elements are subdivided, the mean of the patch by
    /// volume or area where they are rearranged. For scalars and vectors.
    Average,
    /// A part by volume or area, so that the sum over all elements stays. For scalars and vectors.
    Divide,
}

/// The rule of facets: a facet that is part of an old one has its value, a facet that is new has zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherit;

/// A rule for what edits do to a column.
pub trait Rule: Copy {
    /// Whether the rule makes sense for such values.
    fn suits(self, values: &Values) -> bool;
}

impl Rule for PointRule {
    fn suits(self, values: &Values) -> bool {
        match self {
            Self::Interpolate => !matches!(values, Values::Labels(_)),
            Self::Heaviest => true,
            Self::Common => matches!(values, Values::Labels(_)),
        }
    }
}

impl Rule for ElementRule {
    fn suits(self, values: &Values) -> bool {
        self == Self::Copy || !matches!(values, Values::Labels(_))
    }
}

impl Rule for Inherit {
    fn suits(self, _values: &Values) -> bool {
        true
    }
}

/// Why an attribute is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AttributeError {
    /// The column is not as long as what it describes.
    #[error("attribute '{name}' has {found} values where {expected} are needed")]
    Length {
        /// The column.
        name: String,
        /// Values needed.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// A column of that name exists.
    #[error("there is an attribute '{name}' already")]
    Exists {
        /// The column.
        name: String,
    },
    /// The rule cannot be followed for values of this type.
    #[error("attribute '{name}': labels cannot be averaged or divided, and only labels have bits in common")]
    Rule {
        /// The column.
        name: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Column<R> {
    name: String,
    rule: R,
    values: Values,
}

/// The columns on the points, the elements or the facets of a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attributes<R> {
    length: usize,
    columns: Vec<Column<R>>,
}

impl<R: Rule> Attributes<R> {
    pub(crate) fn new(length: usize) -> Self {
        Self { length, columns: Vec::new() }
    }

    /// Adds a column: one value a point, element or facet.
    pub fn add(&mut self, name: &str, rule: R, values: Values) -> Result<(), AttributeError> {
        if values.len() != self.length {
            return Err(AttributeError::Length { name: name.into(), expected: self.length, found: values.len() });
        }
        if self.columns.iter().any(|column| column.name == name) {
            return Err(AttributeError::Exists { name: name.into() });
        }
        if !rule.suits(&values) {
            return Err(AttributeError::Rule { name: name.into() });
        }
        self.columns.push(Column { name: name.into(), rule, values });
        Ok(())
    }

    /// Takes a column away and hands its values out.
    pub fn remove(&mut self, name: &str) -> Option<Values> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some(self.columns.remove(place).values)
    }

    /// The names of the columns, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The values of a column of any type.
    pub fn values(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }

    /// The column of numbers of that name.
    pub fn scalars(&self, name: &str) -> Option<&[f64]> {
        match self.values(name)? {
            Values::Scalars(values) => Some(values),
            _ => None,
        }
    }

    /// The column of vectors of that name.
    pub fn vectors(&self, name: &str) -> Option<&[Vec3]> {
        match self.values(name)? {
            Values::Vectors(values) => Some(values),
            _ => None,
        }
    }

    /// The column of labels of that name.
    pub fn labels(&self, name: &str) -> Option<&[u32]> {
        match self.values(name)? {
            Values::Labels(values) => Some(values),
            _ => None,
        }
    }

    /// The column of numbers of that name, to change.
    pub fn scalars_mut(&mut self, name: &str) -> Option<&mut [f64]> {
        match self.values_mut(name)? {
            Values::Scalars(values) => Some(values),
            _ => None,
        }
    }

    /// The column of vectors of that name, to change.
    pub fn vectors_mut(&mut self, name: &str) -> Option<&mut [Vec3]> {
        match self.values_mut(name)? {
            Values::Vectors(values) => Some(values),
            _ => None,
        }
    }

    /// The column of labels of that name, to change.
    pub fn labels_mut(&mut self, name: &str) -> Option<&mut [u32]> {
        match self.values_mut(name)? {
            Values::Labels(values) => Some(values),
            _ => None,
        }
    }

    fn values_mut(&mut self, name: &str) -> Option<&mut Values> {
        self.columns.iter_mut().find(|column| column.name == name).map(|column| &mut column.values)
    }

    /// Whether every column is as long as `expected`, its name alone and its rule fit for it.
    pub(crate) fn check(&self, expected: usize) -> Result<(), AttributeError> {
        for (place, column) in self.columns.iter().enumerate() {
            let found = column.values.len();
            if found != expected || self.length != expected {
                return Err(AttributeError::Length { name: column.name.clone(), expected, found });
            }
            if self.columns[..place].iter().any(|other| other.name == column.name) {
                return Err(AttributeError::Exists { name: column.name.clone() });
            }
            if !column.rule.suits(&column.values) {
                return Err(AttributeError::Rule { name: column.name.clone() });
            }
        }
        if self.length == expected {
            Ok(())
        } else {
            Err(AttributeError::Length { name: String::new(), expected, found: self.length })
        }
    }

    /// The same columns in another order: entry `i` becomes what entry `order[i]` was.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        fn pick<T: Clone>(values: &mut Vec<T>, order: &[u32]) {
            *values = order.iter().map(|&old| values[old as usize].clone()).collect();
        }
        for column in &mut self.columns {
            match &mut column.values {
                Values::Scalars(values) => pick(values, order),
                Values::Vectors(values) => pick(values, order),
                Values::Labels(values) => pick(values, order),
            }
        }
    }
}

impl Attributes<PointRule> {
    pub(crate) fn follow<P: Id, E: Id>(&mut self, edit: &Edit<P, E>) {
        self.length = edit.points.after;
        for Column { rule, values, .. } in &mut self.columns {
            match (values, *rule) {
                (Values::Scalars(values), PointRule::Interpolate) => {
                    edit.carry_points(values, |old, blend| blend.sum(|point| old[point.index()]))
                }
                (Values::Vectors(values), PointRule::Interpolate) => {
                    edit.carry_points(values, |old, blend| blend.sum(|point| old[point.index()]))
                }
                (Values::Labels(values), PointRule::Common) => edit.carry_points(values, |old, blend| {
                    blend.iter().fold(u32::MAX, |common, (point, _)| common & old[point.index()])
                }),
                (Values::Scalars(values), _) => edit.carry_points(values, |old, blend| old[blend.heaviest().index()]),
                (Values::Vectors(values), _) => edit.carry_points(values, |old, blend| old[blend.heaviest().index()]),
                (Values::Labels(values), _) => edit.carry_points(values, |old, blend| old[blend.heaviest().index()]),
            }
        }
    }
}

impl Attributes<ElementRule> {
    pub(crate) fn follow<P: Id, E: Id>(&mut self, edit: &Edit<P, E>) {
        self.length = edit.elements.after;
        for Column { rule, values, .. } in &mut self.columns {
            match values {
                Values::Scalars(values) => follow_elements(edit, *rule, values, 0.0),
                Values::Vectors(values) => follow_elements(edit, *rule, values, Vec3::zeros()),
                Values::Labels(values) => edit.carry_elements(values, |old, added| old[added.parent.index()]),
            }
        }
    }
}

fn follow_elements<P: Id, E: Id, T>(edit: &Edit<P, E>, rule: ElementRule, values: &mut Vec<T>, zero: T)
where
    T: Clone + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let sum = |old: &[T], weight: &dyn Fn(f64) -> f64| {
        edit.elements_removed
            .iter()
            .fold(zero.clone(), |sum, removed| sum + old[removed.element.index()].clone() * weight(removed.measure))
    };
    edit.carry_elements(values, |old, added| match (rule, edit.inheritance) {
        (ElementRule::Copy, _) | (ElementRule::Average, Inheritance::Parent) => old[added.parent.index()].clone(),
        (ElementRule::Average, Inheritance::Patch) => {
            let total: f64 = edit.elements_removed.iter().map(|removed| removed.measure).sum();
            sum(old, &|measure| measure / total)
        }
        (ElementRule::Divide, Inheritance::Parent) => old[added.parent.index()].clone() * added.share,
        (ElementRule::Divide, Inheritance::Patch) => sum(old, &|_| added.share),
    });
}

impl Attributes<Inherit> {
    pub(crate) fn follow<P: Id, E: Id>(&mut self, edit: &Edit<P, E>, corners: usize) {
        self.length = edit.elements.after * corners;
        for Column { values, .. } in &mut self.columns {
            match values {
                Values::Scalars(values) => follow_facets(edit, corners, values, 0.0),
                Values::Vectors(values) => follow_facets(edit, corners, values, Vec3::zeros()),
                Values::Labels(values) => follow_facets(edit, corners, values, 0),
            }
        }
    }
}

fn follow_facets<P: Id, E: Id, T: Clone>(edit: &Edit<P, E>, corners: usize, values: &mut Vec<T>, fresh: T) {
    let inherited: Vec<T> = edit
        .elements_added
        .iter()
        .flat_map(|added| &added.facets[..corners])
        .map(|&origin| if origin == NONE { fresh.clone() } else { values[origin as usize].clone() })
        .collect();
    if edit.elements.after > edit.elements.before {
        values.resize(edit.elements.after * corners, fresh);
    }
    for (added, inherited) in edit.elements_added.iter().zip(inherited.chunks(corners)) {
        values[added.element.index() * corners..][..corners].clone_from_slice(inherited);
    }
    for moved in &edit.elements.moved {
        for corner in 0..corners {
            values[moved.to.index() * corners + corner] = values[moved.from.index() * corners + corner].clone();
        }
    }
    values.truncate(edit.elements.after * corners);
}
