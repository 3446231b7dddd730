//! The text of a scene as a tree; every key and value has the span of the text it was read from.

use crate::problem::Problem;
use crate::report::{Collector, SceneErrors};
use crate::source::{Source, Span};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A value with its span, and the span of its key.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The key, or the header of a table in a list; the value itself where it has neither.
    pub key: Span,
    /// The value; the header where a table is written in sections.
    pub span: Span,
    pub value: Value,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    /// Within the range of `i64`.
    Integer(i64),
    Float(f64),
    Switch(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Value {
    /// What the value is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Switch(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Node {
    /// Reads TOML; every error in it is reported.
    pub fn parse(source: &Arc<Source>) -> Result<Self, SceneErrors> {
        let (table, errors) = DeTable::parse_recoverable(&source.text);
        let mut problems = Collector::default();
        report_syntax(source, &errors, &mut problems);
        let value = match errors.is_empty() {
            true => convert_table(source, 0, table.into_inner(), &mut problems),
            false => Value::Table(Vec::new()),
        };
        let start = Span::new(source, 0..0);
        problems.finish(Self { key: start.clone(), span: start, value })
    }

    /// Reads one value in TOML from the bytes of a source; none if it is not TOML.
    pub fn parse_value(source: &Arc<Source>, bytes: Range<usize>) -> Option<Self> {
        let offset = bytes.start;
        let value = DeValue::parse(source.text.get(bytes)?).ok()?;
        let mut problems = Collector::default();
        let node = convert(source, offset, None, value, &mut problems);
        problems.finish(node).ok()
    }

    /// The entries of a table; none of anything else.
    pub fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The entry of this key of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The node at a path such as `hold[2].region`; none if it is not written.
    pub fn at(&self, path: &str) -> Option<&Node> {
        Path::parse(path).0.iter().try_fold(self, Node::below)
    }

    /// The node at a path such as `hold[2].region`, or the nearest of its ancestors that exists.
    pub fn nearest_to(&self, path: &str) -> &Node {
        let mut node = self;
        for step in Path::parse(path).0 {
            match node.below(&step) {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    fn below(&self, step: &Step) -> Option<&Node> {
        match (step, &self.value) {
            (Step::Key(key), _) => self.get(key),
            (Step::Index(index), Value::List(items)) => items.get(*index),
            (Step::Index(_), _) => None,
        }
    }

    /// The tree as JSON, for serde. Numbers that are not finite become null: they are refused
    /// before.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) | Value::Date(text) => text.clone().into(),
            Value::Integer(integer) => (*integer).into(),
            Value::Float(float) => (*float).into(),
            Value::Switch(switch) => (*switch).into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Table(entries) => entries.iter().map(|(key, node)| (key.clone(), node.to_json())).collect(),
        }
    }
}

/// Reports one error a line: what follows on the same line is mostly an echo of the first.
fn report_syntax(source: &Arc<Source>, errors: &[toml::de::Error], problems: &mut Collector) {
    let mut last_line = None;
    for error in errors {
        let span = Span::new(source, error.span().unwrap_or(0..0));
        let line = span.line_range();
        if last_line != Some(line.clone()) {
            problems.push(&span, "", Problem::Syntax { message: error.message().to_owned() });
        }
        last_line = Some(line);
    }
}

fn convert_table(source: &Arc<Source>, offset: usize, table: DeTable<'_>, problems: &mut Collector) -> Value {
    let entries = table.into_iter().map(|(key, value)| {
        let bytes = key.span();
        let span = Span::new(source, bytes.start + offset..bytes.end + offset);
        (key.into_inner().into_owned(), convert(source, offset, Some(span), value, problems))
    });
    Value::Table(entries.collect())
}

fn convert(
    source: &Arc<Source>,
    offset: usize,
    key: Option<Span>,
    value: toml::Spanned<DeValue<'_>>,
    problems: &mut Collector,
) -> Node {
    let bytes = value.span();
    let span = Span::new(source, bytes.start + offset..bytes.end + offset);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => {
                let number = shortened(&integer.to_string());
                problems.push(&span, "", Problem::TooBig { number });
                Value::Integer(0)
            }
        },
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(switch) => Value::Switch(switch),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            Value::List(items.into_iter().map(|item| convert(source, offset, None, item, problems)).collect())
        }
        DeValue::Table(table) => convert_table(source, offset, table, problems),
    };
    Node { key: key.unwrap_or_else(|| span.clone()), span, value }
}

/// A text cut to a length that fits into a message.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A path of keys in a scene: `hold[2].region.box`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(pub Vec<Step>);

/// One step down a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    /// Position in a list, from 0.
    Index(usize),
}

impl Path {
    /// Reads a path; brackets that hold no number are taken as part of the key.
    pub fn parse(text: &str) -> Self {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let mut key = part;
            let mut indices = Vec::new();
            while let Some((rest, index)) = key.strip_suffix(']').and_then(|open| open.rsplit_once('[')) {
                let Ok(index) = index.parse() else { break };
                indices.push(Step::Index(index));
                key = rest;
            }
            steps.push(Step::Key(key.to_owned()));
            steps.extend(indices.into_iter().rev());
        }
        Self(steps)
    }

    pub fn with_key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(shortened(key)));
        Self(steps)
    }

    pub fn with_index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if position == 0 => write!(formatter, "{key}")?,
                Step::Key(key) => write!(formatter, ".{key}")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_as_they_are_read() {
        for text in ["world", "hold[2].region.box.from[1]", "body[0].material.stiffness[3][4]", "a[x].b"] {
            assert_eq!(Path::parse(text).to_string(), text);
        }
        assert_eq!(Path::parse("a[1]").0, [Step::Key("a".into()), Step::Index(1)]);
    }

    #[test]
    fn the_nearest_node_to_a_path_is_the_last_that_exists() {
        let source = Arc::new(Source { name: "a.toml".into(), text: "[[hold]]\n[[hold]]\nregion.box = 3\n".into() });
        let tree = Node::parse(&source).expect("valid TOML");
        assert_eq!(tree.nearest_to("hold[1].region").span.line(), 3);
        assert_eq!(tree.nearest_to("hold[1].body").span.line(), 2);
        assert_eq!(tree.nearest_to("hold[7].body").span.line(), 1);
        assert_eq!(tree.nearest_to("probe[0]").span.bytes, 0..0);
    }
}
