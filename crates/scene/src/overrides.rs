//! `--set key=value`: single values of a scene changed without editing its file.

use crate::check::structure::{in_words, unknown_name};
use crate::form::{Form, TableForm};
use crate::problem::Problem;
use crate::report::{Collector, SceneErrors};
use crate::source::{Source, Span};
use crate::tree::{Node, Path, Step, Value, shortened};
use std::sync::Arc;

/// Puts the values of all flags into the tree, so that every later check sees them and points at
/// the flag.
pub(crate) fn apply(tree: &mut Node, form: &TableForm, flags: &[String]) -> Result<(), SceneErrors> {
    let mut errors = Collector::default();
    let root = Form::Table(form.clone());
    for flag in flags {
        let source = Arc::new(Source { name: "--set".to_owned(), text: flag.clone() });
        let (path, value) = flag.split_once('=').unwrap_or((flag, ""));
        let key = Span::new(&source, 0..path.trim_end().len());
        let value_end = flag.trim_end().len();
        let value = Span::new(&source, value_end.saturating_sub(value.trim().len())..value_end);
        if let Err(problem) = apply_one(tree, &root, &key, path.trim(), &value) {
            errors.push(&key, path, problem);
        }
    }
    errors.finish(())
}

fn apply_one(tree: &mut Node, root: &Form, key: &Span, path: &str, value: &Span) -> Result<(), Problem> {
    let text = &key.source.text[value.bytes.clone()];
    if text.is_empty() {
        return Err(Problem::Override {
            message: format!("\"{}\" gives no value", shortened(path)),
            help: "write key=value, such as world.duration=2".to_owned(),
        });
    }
    // A word without quotes is a string: shells take the quotes away.
    let new = Node::parse_value(&key.source, value.bytes.clone()).unwrap_or_else(|| Node {
        key: key.clone(),
        span: value.clone(),
        value: Value::Text(text.to_owned()),
    });
    *descend(tree, root, &Path::parse(path).0, key)? = Node { key: key.clone(), ..new };
    Ok(())
}

/// The node at a path, created where it is missing; entries of lists are found by index or by name.
fn descend<'t>(
    mut node: &'t mut Node,
    mut form: &Form,
    steps: &[Step],
    key_span: &Span,
) -> Result<&'t mut Node, Problem> {
    let mut list = "thing";
    for step in steps {
        let kind = node.value.kind();
        (node, form) = match (step, &mut node.value, form) {
            (Step::Key(key), Value::Table(entries), form) => {
                let form = match form {
                    Form::Table(table) => known_key(table, key)?,
                    other => return Err(too_deep(key, &in_words(other))),
                };
                let position = entries.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
                    let value = Value::Table(Vec::new());
                    entries.push((key.clone(), Node { key: key_span.clone(), span: key_span.clone(), value }));
                    entries.len() - 1
                });
                list = key;
                (&mut entries[position].1, form)
            }
            (Step::Index(index), Value::List(items), Form::List { item, .. }) => {
                let count = items.len();
                let node = items.get_mut(*index).ok_or_else(|| Problem::Override {
                    message: format!("there is no number {index}"),
                    help: format!("there are {count}, counted from 0"),
                })?;
                (node, &**item)
            }
            (Step::Key(name), Value::List(items), Form::List { item, .. }) => {
                let names: Vec<String> =
                    items.iter().map(|item| name_of(item).unwrap_or_default().to_owned()).collect();
                let Some(position) = names.iter().position(|known| known == name) else {
                    let named = names.into_iter().filter(|name| !name.is_empty()).collect();
                    return Err(unknown_name(&format!("{list} called"), name, named));
                };
                (&mut items[position], &**item)
            }
            (Step::Key(key), _, _) => return Err(too_deep(key, kind)),
            (Step::Index(index), _, _) => return Err(too_deep(&format!("[{index}]"), kind)),
        };
    }
    Ok(node)
}

fn known_key<'f>(table: &'f TableForm, key: &str) -> Result<&'f Form, Problem> {
    match table.key(key) {
        Some(known) => Ok(&known.form),
        None => Err(Problem::UnknownKey {
            key: shortened(key),
            table: String::new(),
            suggestion: crate::check::elsewhere::suggest(key, table),
            allowed: table.names(),
        }),
    }
}

fn too_deep(step: &str, kind: &str) -> Problem {
    Problem::Override {
        message: format!("`{}` cannot be found in {kind}", shortened(step)),
        help: "write the path of a key, such as world.duration, body.NAME.edge or hold[0].release".to_owned(),
    }
}

fn name_of(node: &Node) -> Option<&str> {
    match &node.get("name")?.value {
        Value::Text(name) => Some(name),
        _ => None,
    }
}
