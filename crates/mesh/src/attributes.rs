//! Data on points, elements and facets that is transferred through every edit.
//!
//! A column has a name, values and a rule for its transfer, independent of its meaning. Regions,
//! boundary conditions, painted weights and plastic strain are stored here.

use crate::edit::{Edit, Inheritance};
use crate::id::{Id, NONE};
use craze_math::Vec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The values of one attribute, one per point, element or facet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// Numbers.
    Scalars(Vec<f64>),
    /// Vectors.
    Vectors(Vec<Vec3>),
    /// Integers: labels, counts or bit sets.
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

/// Transfer to a new or moved point from its parent points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointRule {
    /// Weighted mean, exact for linear fields. For scalars and vectors.
    Interpolate,
    /// The value of the parent with the largest weight, the first among equals.
    Heaviest,
    /// Bits common to all parents: the midpoint of an edge is in a region if both ends are. For
    /// labels.
    Common,
}

/// Transfer to a new element from the elements it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementRule {
    /// The value of the parent.
    Copy,
    /// The mean: the parent's value if elements are subdivided, the mean over the patch, by volume
    /// or area, if they are rearranged. For scalars and vectors.
    Average,
    /// A share by volume or area, which conserves the sum over all elements. For scalars and
    /// vectors.
    Divide,
}

/// Transfer to facets: part of an old facet keeps its value, a new facet gets zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherit;

/// A transfer rule.
pub trait Rule: Copy {
    /// True if the rule applies to values of this type.
    fn applies_to(self, values: &Values) -> bool;
}

impl Rule for PointRule {
    fn applies_to(self, values: &Values) -> bool {
        match self {
            Self::Interpolate => !matches!(values, Values::Labels(_)),
            Self::Heaviest => true,
            Self::Common => matches!(values, Values::Labels(_)),
        }
    }
}

impl Rule for ElementRule {
    fn applies_to(self, values: &Values) -> bool {
        self == Self::Copy || !matches!(values, Values::Labels(_))
    }
}

impl Rule for Inherit {
    fn applies_to(self, _values: &Values) -> bool {
        true
    }
}

/// Why an attribute is rejected.
#[derive(Clone, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages describe variants and fields")]
pub enum AttributeError {
    #[error("attribute '{name}' has {found} values where {expected} are needed")]
    Length { name: String, expected: usize, found: usize },
    #[error("attribute '{name}' exists already")]
    Exists { name: String },
    #[error("attribute '{name}': labels cannot be averaged or divided, and only labels have bits in common")]
    Rule { name: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Column<R> {
    name: String,
    rule: R,
    values: Values,
}

/// The columns on the points, elements or facets of a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attributes<R> {
    length: usize,
    columns: Vec<Column<R>>,
}

impl<R: Rule> Attributes<R> {
    pub(crate) fn new(length: usize) -> Self {
        Self { length, columns: Vec::new() }
    }

    /// Adds a column with one value per point, element or facet.
    pub fn add(&mut self, name: &str, rule: R, values: Values) -> Result<(), AttributeError> {
        if values.len() != self.length {
            return Err(AttributeError::Length { name: name.into(), expected: self.length, found: values.len() });
        }
        if self.columns.iter().any(|column| column.name == name) {
            return Err(AttributeError::Exists { name: name.into() });
        }
        if !rule.applies_to(&values) {
            return Err(AttributeError::Rule { name: name.into() });
        }
        self.columns.push(Column { name: name.into(), rule, values });
        Ok(())
    }

    /// Removes a column and returns its values.
    pub fn remove(&mut self, name: &str) -> Option<Values> {
        let index = self.columns.iter().position(|column| column.name == name)?;
        Some(self.columns.remove(index).values)
    }

    /// The names of the columns, in insertion order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The values of a column of any type.
    pub fn values(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }

    /// A column of scalars.
    pub fn scalars(&self, name: &str) -> Option<&[f64]> {
        match self.values(name)? {
            Values::Scalars(values) => Some(values),
            _ => None,
        }
    }

    /// A column of vectors.
    pub fn vectors(&self, name: &str) -> Option<&[Vec3]> {
        match self.values(name)? {
            Values::Vectors(values) => Some(values),
            _ => None,
        }
    }

    /// A column of labels.
    pub fn labels(&self, name: &str) -> Option<&[u32]> {
        match self.values(name)? {
            Values::Labels(values) => Some(values),
            _ => None,
        }
    }

    /// A column of scalars, mutable.
    pub fn scalars_mut(&mut self, name: &str) -> Option<&mut [f64]> {
        match self.values_mut(name)? {
            Values::Scalars(values) => Some(values),
            _ => None,
        }
    }

    /// A column of labels, mutable.
    pub fn labels_mut(&mut self, name: &str) -> Option<&mut [u32]> {
        match self.values_mut(name)? {
            Values::Labels(values) => Some(values),
            _ => None,
        }
    }

    fn values_mut(&mut self, name: &str) -> Option<&mut Values> {
        self.columns.iter_mut().find(|column| column.name == name).map(|column| &mut column.values)
    }

    /// Checks the length, unique name and rule of every column.
    pub(crate) fn check(&self, expected: usize) -> Result<(), AttributeError> {
        for (index, column) in self.columns.iter().enumerate() {
            let found = column.values.len();
            if found != expected || self.length != expected {
                return Err(AttributeError::Length { name: column.name.clone(), expected, found });
            }
            if self.columns[..index].iter().any(|other| other.name == column.name) {
                return Err(AttributeError::Exists { name: column.name.clone() });
            }
            if !column.rule.applies_to(&column.values) {
                return Err(AttributeError::Rule { name: column.name.clone() });
            }
        }
        if self.length == expected {
            Ok(())
        } else {
            Err(AttributeError::Length { name: String::new(), expected, found: self.length })
        }
    }

    /// Permutes all columns: entry `i` becomes the old entry `order[i]`.
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
    pub(crate) fn transfer<P: Id, E: Id>(&mut self, edit: &Edit<P, E>) {
        self.length = edit.points.after;
        for Column { rule, values, .. } in &mut self.columns {
            match (values, *rule) {
                (Values::Scalars(values), PointRule::Interpolate) => {
                    edit.apply_to_points(values, |old, blend| blend.sum(|point| old[point.index()]))
                }
                (Values::Vectors(values), PointRule::Interpolate) => {
                    edit.apply_to_points(values, |old, blend| blend.sum(|point| old[point.index()]))
                }
                (Values::Labels(values), PointRule::Common) => edit.apply_to_points(values, |old, blend| {
                    blend.iter().fold(u32::MAX, |common, (point, _)| common & old[point.index()])
                }),
                (Values::Scalars(values), _) => {
                    edit.apply_to_points(values, |old, blend| old[blend.heaviest().index()])
                }
                (Values::Vectors(values), _) => {
                    edit.apply_to_points(values, |old, blend| old[blend.heaviest().index()])
                }
                (Values::Labels(values), _) => edit.apply_to_points(values, |old, blend| old[blend.heaviest().index()]),
            }
        }
    }
}

impl Attributes<ElementRule> {
    pub(crate) fn transfer<P: Id, E: Id>(&mut self, edit: &Edit<P, E>) {
        self.length = edit.elements.after;
        for Column { rule, values, .. } in &mut self.columns {
            match values {
                Values::Scalars(values) => transfer_elements(edit, *rule, values, 0.0),
                Values::Vectors(values) => transfer_elements(edit, *rule, values, Vec3::zeros()),
                Values::Labels(values) => edit.apply_to_elements(values, |old, added| old[added.parent.index()]),
            }
        }
    }
}

fn transfer_elements<P: Id, E: Id, T>(edit: &Edit<P, E>, rule: ElementRule, values: &mut Vec<T>, zero: T)
where
    T: Clone + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let sum = |old: &[T], weight: &dyn Fn(f64) -> f64| {
        edit.elements_removed
            .iter()
            .fold(zero.clone(), |sum, removed| sum + old[removed.element.index()].clone() * weight(removed.measure))
    };
    edit.apply_to_elements(values, |old, added| match (rule, edit.inheritance) {
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
    pub(crate) fn transfer<P: Id, E: Id>(&mut self, edit: &Edit<P, E>, corners: usize) {
        self.length = edit.elements.after * corners;
        for Column { values, .. } in &mut self.columns {
            match values {
                Values::Scalars(values) => transfer_facets(edit, corners, values, 0.0),
                Values::Vectors(values) => transfer_facets(edit, corners, values, Vec3::zeros()),
                Values::Labels(values) => transfer_facets(edit, corners, values, 0),
            }
        }
    }
}

fn transfer_facets<P: Id, E: Id, T: Clone>(edit: &Edit<P, E>, corners: usize, values: &mut Vec<T>, default: T) {
    let inherited: Vec<T> = edit
        .elements_added
        .iter()
        .flat_map(|added| &added.facets[..corners])
        .map(|&origin| if origin == NONE { default.clone() } else { values[origin as usize].clone() })
        .collect();
    if edit.elements.after > edit.elements.before {
        values.resize(edit.elements.after * corners, default);
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
