//! Every key, type, length, limit and name of a tree against the schema.

use super::{elsewhere, units};
use crate::form::{Choice, Form, KeyForm, NumberForm, TableForm};
use crate::problem::Problem;
use crate::report::Collector;
use crate::source::Span;
use crate::tree::{Node, Path, Value, shortened};

/// Everything in `tree` that the form of a scene does not admit.
pub(crate) fn check(tree: &Node, form: &TableForm, errors: &mut Collector) {
    let mut checker = Checker { errors };
    if let Value::Table(_) = tree.value {
        checker.table(tree, form, &Path::default());
    }
}

struct Checker<'a> {
    errors: &'a mut Collector,
}

impl Checker<'_> {
    fn report(&mut self, span: &Span, path: &Path, problem: Problem) {
        self.errors.push(span, path, problem);
    }

    fn node(&mut self, node: &Node, form: &Form, path: &Path) {
        match (form, &node.value) {
            (Form::Table(table), Value::Table(_)) => self.table(node, table, path),
            (Form::List { item, least, most }, Value::List(items)) => {
                if !(*least..=*most).contains(&items.len()) {
                    let expected = count_in_words(*least, *most, item);
                    let problem = Problem::WrongCount { key: path.to_string(), expected, found: items.len() };
                    self.report(&node.span, path, problem);
                }
                for (index, node) in items.iter().enumerate() {
                    self.node(node, item, &path.with_index(index));
                }
            }
            (Form::Number(number), Value::Integer(value)) => self.number(node, number, *value as f64, path),
            (Form::Number(number), Value::Float(value)) if !number.integer => self.number(node, number, *value, path),
            (Form::Text { least }, Value::Text(text)) => {
                if text.chars().count() < *least {
                    let problem =
                        Problem::Rejected { message: format!("`{path}` must not be empty"), help: String::new() };
                    self.report(&node.span, path, problem);
                }
            }
            (Form::Names(names), Value::Text(text)) => {
                if names.iter().all(|(name, _)| name != text) {
                    let allowed: Vec<String> = names.iter().map(|(name, _)| name.clone()).collect();
                    let problem = unknown_name(last_key(path), text, allowed);
                    self.report(&node.span, path, problem);
                }
            }
            (Form::Switch, Value::Switch(_)) => {}
            _ => self.wrong_type(node, form, path),
        }
    }

    fn table(&mut self, node: &Node, form: &TableForm, path: &Path) {
        for (key, value) in node.entries() {
            let path = path.with_key(key);
            match form.key(key) {
                Some(known) => self.node(value, &known.form, &path),
                None => self.unknown_key(key, value, form, &path),
            }
        }
        // An unknown key may be the missing one misspelt: one message is enough.
        if node.entries().iter().any(|(key, _)| form.key(key).is_none()) {
            return;
        }
        for key in form.keys.iter().filter(|key| key.required && node.get(&key.name).is_none()) {
            self.missing_key(node, key, path);
        }
        if let Some(choice) = &form.choice {
            self.choice(node, choice, path);
        }
    }

    fn unknown_key(&mut self, key: &str, value: &Node, form: &TableForm, path: &Path) {
        let allowed = form.names();
        let suggestion = elsewhere::suggest(key, form);
        let table = Path(path.0[..path.0.len() - 1].to_vec());
        let problem = Problem::UnknownKey { key: shortened(key), table: table.to_string(), suggestion, allowed };
        self.report(&value.key, path, problem);
    }

    fn missing_key(&mut self, node: &Node, key: &KeyForm, path: &Path) {
        let path = path.with_key(&key.name);
        let table = Path(path.0[..path.0.len() - 1].to_vec()).to_string();
        let meaning = match &key.form {
            Form::Names(names) => {
                let names: Vec<String> = names.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                format!("{}: {}", key.meaning, names.join(", "))
            }
            Form::Table(TableForm { choice: Some(choice), .. }) if choice.is_tag => {
                format!(
                    "{}: {}",
                    key.meaning,
                    choice.keys.iter().map(|tag| format!("`{}.{tag}`", key.name)).collect::<Vec<_>>().join(", ")
                )
            }
            _ => key.meaning.clone(),
        };
        let problem = Problem::MissingKey { key: key.name.clone(), table, meaning };
        self.report(&node.key, &path, problem);
    }

    fn choice(&mut self, node: &Node, choice: &Choice, path: &Path) {
        let mut given = node.entries().iter().filter(|(key, _)| choice.keys.contains(key));
        let table = path.to_string();
        match (given.next(), given.next()) {
            (None, _) if choice.required => {
                self.report(&node.key, path, Problem::MissingChoice { table, choices: choice.keys.clone() });
            }
            (Some((first, _)), Some((second, node))) => {
                let (first, second) = (first.clone(), second.clone());
                let problem = Problem::TwoChoices { table, first, second, choices: choice.keys.clone() };
                self.report(&node.key, path, problem);
            }
            _ => {}
        }
    }

    fn number(&mut self, node: &Node, form: &NumberForm, value: f64, path: &Path) {
        let key = path.to_string();
        if !value.is_finite() {
            let value = shortened(&node.span.source.text[node.span.bytes.clone()]);
            self.report(&node.span, path, Problem::NotFinite { key, value });
        } else if !form.admits(value) {
            let value = units::with_unit(value, &form.unit);
            let allowed = form.limits().unwrap_or_default();
            self.report(&node.span, path, Problem::OutOfRange { key, value, allowed });
        }
    }

    fn wrong_type(&mut self, node: &Node, form: &Form, path: &Path) {
        let hint = match (form, &node.value) {
            (Form::Number(number), Value::Text(text)) => units::hint(text, number),
            (Form::Number(NumberForm { integer: true, .. }), Value::Float(value)) if value.is_finite() => {
                Some(format!("write {}", value.round()))
            }
            (Form::List { item, .. }, Value::Table(_)) if matches!(**item, Form::Table(_)) => {
                Some(format!("write [[{path}]] with two brackets, once for each"))
            }
            (Form::Table(_), Value::List(_)) => Some(format!("there is only one: write [{path}] with one bracket")),
            (Form::Table(table), _) if table.choice.as_ref().is_some_and(|choice| choice.is_tag) => {
                let tags: Vec<String> =
                    table.keys.iter().map(|key| format!("{}.{}", last_key(path), key.name)).collect();
                Some(format!("write {} = {{ … }}", tags.join(" or ")))
            }
            (Form::Table(table), Value::Text(text)) if table.key("preset").is_some() => {
                Some(format!("write {}.preset = \"{}\"", last_key(path), shortened(text)))
            }
            (Form::Names(names), _) => {
                Some(names.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
            }
            (Form::Switch, Value::Text(text)) if matches!(text.as_str(), "true" | "false") => {
                Some(format!("write {text} without quotes"))
            }
            _ => None,
        };
        let found = match (form, &node.value) {
            (Form::Number(NumberForm { integer: true, .. }), Value::Float(_)) => "a number with a fraction",
            _ => node.value.kind(),
        };
        let problem = Problem::WrongType { key: path.to_string(), expected: in_words(form), found, hint };
        self.report(&node.span, path, problem);
    }
}

/// The last key of a path, which names the entry.
fn last_key(path: &Path) -> &str {
    path.0
        .iter()
        .rev()
        .find_map(|step| match step {
            crate::tree::Step::Key(key) => Some(key.as_str()),
            crate::tree::Step::Index(_) => None,
        })
        .unwrap_or_default()
}

/// A name that is none of `allowed`, with the nearest of them.
pub(crate) fn unknown_name(what: &str, name: &str, allowed: Vec<String>) -> Problem {
    let nearest = elsewhere::nearest(name, allowed.iter().map(String::as_str)).map(str::to_owned);
    Problem::UnknownName { what: what.to_owned(), name: shortened(name), nearest, allowed }
}

/// What a form admits, in words.
pub(crate) fn in_words(form: &Form) -> String {
    match form {
        Form::Table(_) => "a table".to_owned(),
        Form::List { item, least, most } => format!("a list of {}", count_in_words(*least, *most, item)),
        Form::Number(number) => {
            let kind = if number.integer { "a whole number" } else { "a number" };
            match units::name(&number.unit) {
                Some(name) => format!("{kind} ({name})"),
                None => kind.to_owned(),
            }
        }
        Form::Text { .. } => "a string".to_owned(),
        Form::Names(_) => "a name".to_owned(),
        Form::Switch => "true or false".to_owned(),
    }
}

fn count_in_words(least: usize, most: usize, item: &Form) -> String {
    let items = match item {
        Form::Table(_) => "tables",
        Form::List { .. } => "lists",
        Form::Number(_) => "numbers",
        Form::Text { .. } | Form::Names(_) => "strings",
        Form::Switch => "switches",
    };
    match (least, most) {
        _ if least == most => format!("{least} {items}"),
        (0, usize::MAX) => items.to_owned(),
        (least, usize::MAX) => format!("at least {least} of its {items}"),
        (least, most) => format!("{least} to {most} {items}"),
    }
}
