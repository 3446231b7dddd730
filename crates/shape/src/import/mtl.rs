//! Material libraries of OBJ files: names, colours and textures.

use std::collections::HashMap;

use super::external::{ExternalFiles, path_within};
use super::model::SurfaceMaterial;
use super::text::{number, shortened};

/// Materials by name; the first definition of a name counts.
#[derive(Default)]
pub(crate) struct MaterialLibraries {
    materials: Vec<SurfaceMaterial>,
    number_of: HashMap<String, usize>,
}

impl MaterialLibraries {
    pub fn find(&self, name: &str) -> Option<&SurfaceMaterial> {
        self.number_of.get(name).map(|&number| &self.materials[number])
    }

    fn add(&mut self, material: SurfaceMaterial) {
        if !self.number_of.contains_key(&material.name) {
            self.number_of.insert(material.name.clone(), self.materials.len());
            self.materials.push(material);
        }
    }
}

/// Reads the libraries of a `mtllib` statement: one file whose name may contain blanks, or several.
/// Files that cannot be read get a remark.
pub(crate) fn read_library(
    names: &str,
    external_files: &ExternalFiles<'_>,
    libraries: &mut MaterialLibraries,
    remarks: &mut Vec<String>,
) {
    let read = |name: &str| {
        let path = path_within(name).ok_or_else(|| "it lies outside the model's folder".to_owned())?;
        external_files(&path).map_err(|error| error.to_string())
    };
    let mut outcomes = vec![(names, read(names))];
    if outcomes[0].1.is_err() && names.contains(char::is_whitespace) {
        outcomes = names.split_whitespace().map(|name| (name, read(name))).collect();
    }
    for (name, outcome) in outcomes {
        match outcome {
            Ok(bytes) => parse(&String::from_utf8_lossy(&bytes), libraries),
            Err(problem) => {
                remarks.push(format!("the material library \"{}\" was not read: {problem}", shortened(name)));
            }
        }
    }
}

/// Adds the materials of a library. Skips invalid statements, which affect appearance only.
fn parse(text: &str, libraries: &mut MaterialLibraries) {
    let mut material: Option<SurfaceMaterial> = None;
    for line in text.lines() {
        let statement = line.split('#').next().unwrap_or_default().trim();
        let (key, rest) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let rest = rest.trim();
        if key == "newmtl" {
            let next = SurfaceMaterial { name: rest.to_owned(), ..SurfaceMaterial::default() };
            if let Some(finished) = material.replace(next) {
                libraries.add(finished);
            }
            continue;
        }
        let Some(material) = &mut material else { continue };
        let mut values = rest.split_whitespace().map_while(number).map(|value| value.clamp(0.0, 1.0) as f32);
        let colour = material.colour.unwrap_or([1.0; 4]);
        match key {
            "Kd" => {
                if let Some(red) = values.next().filter(|value| value.is_finite()) {
                    // A single number is a grey.
                    let mut next = || values.next().filter(|value| value.is_finite()).unwrap_or(red);
                    material.colour = Some([red, next(), next(), colour[3]]);
                }
            }
            "d" | "Tr" => {
                if let Some(value) = values.next().filter(|value| value.is_finite()) {
                    let opacity = if key == "d" { value } else { 1.0 - value };
                    material.colour = Some([colour[0], colour[1], colour[2], opacity]);
                }
            }
            "map_Kd" => material.texture = texture_name(rest),
            _ => {}
        }
    }
    if let Some(material) = material {
        libraries.add(material);
    }
}

/// The file name of a texture statement, after options such as `-s 1 1 1` or `-clamp on`.
fn texture_name(statement: &str) -> Option<String> {
    let mut rest = statement;
    while let Some(option) = rest.strip_prefix('-') {
        let (name, mut values) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
        let most = match name {
            "o" | "s" | "t" => 3,
            "mm" => 2,
            _ => 1,
        };
        for index in 0..most {
            let (word, after) =
                values.trim_start().split_once(char::is_whitespace).unwrap_or((values.trim_start(), ""));
            // Scales and offsets have one to three numbers; the next word is the file name.
            if index > 0 && number(word).is_none() {
                break;
            }
            values = after;
        }
        rest = values.trim_start();
    }
    (!rest.is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_textures_are_read() {
        let mut libraries = MaterialLibraries::default();
        parse(
            "# look\nKd 9 9 9\nnewmtl red paint\nKd 1 0.25 0 # red\nd 0.5\nmap_Kd -s 2 2 -clamp on my wood.png\n\
             newmtl grey\nKd 0.5\nTr 0.25\nnewmtl bare\nmap_Kd\nnewmtl odd\nKd nan x\nnewmtl grey\nKd 1\n",
            &mut libraries,
        );
        let red = libraries.find("red paint").expect("red");
        assert_eq!((red.colour, red.texture.as_deref()), (Some([1.0, 0.25, 0.0, 0.5]), Some("my wood.png")));
        assert_eq!(libraries.find("grey").expect("grey").colour, Some([0.5, 0.5, 0.5, 0.75]));
        for name in ["bare", "odd"] {
            let plain = SurfaceMaterial { name: name.into(), ..SurfaceMaterial::default() };
            assert_eq!(libraries.find(name), Some(&plain));
        }
    }

    #[test]
    fn missing_and_outside_libraries_get_a_remark() {
        let files = |path: &std::path::Path| match path.to_str() {
            Some("two words.mtl") => Ok(b"newmtl a".to_vec()),
            Some("one.mtl") => Ok(b"newmtl b".to_vec()),
            _ => Err(std::io::Error::other("it is not there")),
        };
        let (mut libraries, mut remarks) = (MaterialLibraries::default(), Vec::new());
        for names in ["two words.mtl", "one.mtl other.mtl", "../one.mtl"] {
            read_library(names, &files, &mut libraries, &mut remarks);
        }
        assert!(libraries.find("a").is_some() && libraries.find("b").is_some());
        assert_eq!(
            remarks,
            [
                "the material library \"other.mtl\" was not read: it is not there",
                "the material library \"../one.mtl\" was not read: it lies outside the model's folder"
            ]
        );
    }
}
