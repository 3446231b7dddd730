//! What was probably meant by an unknown key or name.

use crate::form::{Form, TableForm};

/// Names that people know from other programs and textbooks, and what they are called here.
const SYNONYMS: [(&str, &str); 18] = [
    ("E", "young"),
    ("youngs_modulus", "young"),
    ("nu", "poisson"),
    ("rho", "density"),
    ("position", "at"),
    ("translation", "at"),
    ("rotation", "turn"),
    ("rotate", "turn"),
    ("angular_velocity", "spin"),
    ("dt", "time_step"),
    ("fov", "field_of_view"),
    ("resolution", "size"),
    ("frame_rate", "fps"),
    ("look_at", "to"),
    ("bounce", "restitution"),
    ("time", "duration"),
    ("ball", "sphere"),
    ("cube", "box"),
];

/// The most similar candidate; none for a name too long to be a slip of the hand.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 100;
    if name.len() > LONGEST { None } else { craze_material::nearest(name, candidates) }
}

/// The key that was probably meant by `key` in a table: the same word one table deeper or in
/// another section, another word for it, or one spelt alike.
pub(crate) fn suggest(key: &str, table: &TableForm) -> Option<String> {
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours);
    let names = || table.keys.iter().map(|known| known.name.as_str());
    synonym
        .filter(|ours| names().any(|name| name == *ours))
        .map(str::to_owned)
        .or_else(|| below(key, table))
        .or_else(|| synonym.and_then(|ours| below(ours, table)))
        .or_else(|| nearest(key, names()).map(str::to_owned))
        .or_else(|| in_section(key))
}

/// `place.velocity` for `velocity`: the key one or two tables down.
fn below(key: &str, table: &TableForm) -> Option<String> {
    let tables = || {
        table.keys.iter().filter_map(|child| match &child.form {
            Form::Table(table) => Some((&child.name, table)),
            _ => None,
        })
    };
    tables()
        .find(|(_, table)| table.key(key).is_some())
        .map(|(name, _)| format!("{name}.{key}"))
        .or_else(|| tables().find_map(|(name, table)| Some(format!("{name}.{}", below(key, table)?))))
}

/// `fps` of [world] for `fps` in a body: the key of another section.
fn in_section(key: &str) -> Option<String> {
    Form::scene().keys.iter().find_map(|section| {
        let (table, header) = match &section.form {
            Form::Table(table) => (table, format!("[{}]", section.name)),
            Form::List { item, .. } => match &**item {
                Form::Table(table) => (table, format!("[[{}]]", section.name)),
                _ => return None,
            },
            _ => return None,
        };
        table.key(key).map(|_| format!("{key}` of `{header}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> &'static TableForm {
        match &Form::scene().key("body").expect("body").form {
            Form::List { item, .. } => match &**item {
                Form::Table(table) => table,
                _ => panic!("body is a list of tables"),
            },
            _ => panic!("body is a list"),
        }
    }

    #[test]
    fn misplaced_keys_are_found_where_they_belong() {
        for (key, expected) in [
            ("velocity", Some("place.velocity")),
            ("density", Some("material.density")),
            ("radius", Some("shape.sphere.radius")),
            ("rho", Some("material.density")),
            ("dt", Some("time_step")),
            ("shap", Some("shape")),
            ("fps", Some("fps` of `[world]")),
            ("unheard_of", None),
        ] {
            assert_eq!(suggest(key, body()).as_deref(), expected, "{key}");
        }
        assert_eq!(suggest("gravity", Form::scene()).as_deref(), Some("world.gravity"));
    }

    #[test]
    fn synonyms_lead_to_keys_that_exist() {
        fn exists(key: &str, form: &Form) -> bool {
            match form {
                Form::Table(table) => {
                    table.key(key).is_some() || table.keys.iter().any(|child| exists(key, &child.form))
                }
                Form::List { item, .. } => exists(key, item),
                _ => false,
            }
        }
        let scene = Form::Table(Form::scene().clone());
        for (other, ours) in SYNONYMS {
            assert!(exists(ours, &scene), "{other} leads to {ours}");
        }
    }
}
