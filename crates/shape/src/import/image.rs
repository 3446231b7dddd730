//! Texture images, passed on without decoding.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::external::{ExternalFiles, path_within};
use super::model::{Model, SurfaceMaterial};
use super::text::shortened;
use crate::tuning::MAX_IMAGE_BYTES;

/// An encoded PNG or JPEG image.
#[derive(Clone, PartialEq, Eq)]
pub struct TextureImage {
    media_type: &'static str,
    bytes: Arc<[u8]>,
}

impl TextureImage {
    /// Detects PNG or JPEG by the first bytes; `None` otherwise.
    pub fn of(bytes: &[u8]) -> Option<TextureImage> {
        let media_type = match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            _ => return None,
        };
        Some(TextureImage { media_type, bytes: bytes.into() })
    }

    /// `image/png` or `image/jpeg`.
    pub fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// The encoded bytes.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

impl fmt::Debug for TextureImage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}

/// Finds the images of all used materials. `key` identifies a material's image, so that each is
/// read once; `read` returns its bytes. Failures get a remark.
pub(super) fn find<Key: Ord>(
    model: &mut Model,
    key: impl Fn(usize, &SurfaceMaterial) -> Option<Key>,
    mut read: impl FnMut(&Key) -> Result<Vec<u8>, String>,
) {
    let mut used = vec![false; model.materials.len()];
    model.material_of_triangle.iter().for_each(|&material| used[material as usize] = true);
    let mut known: BTreeMap<Key, Option<TextureImage>> = BTreeMap::new();
    let mut bytes_left = MAX_IMAGE_BYTES;
    for (number, material) in model.materials.iter_mut().enumerate().filter(|(number, _)| used[*number]) {
        let Some(key) = key(number, material) else { continue };
        if let Some(image) = known.get(&key) {
            material.image.clone_from(image);
            continue;
        }
        let bytes = read(&key);
        if bytes.as_ref().is_ok_and(|bytes| bytes.len() > bytes_left) {
            model.remarks.push(format!("only the first {} MB of images were read", MAX_IMAGE_BYTES >> 20));
            return;
        }
        let found =
            bytes.and_then(|bytes| TextureImage::of(&bytes).ok_or_else(|| "it is neither PNG nor JPEG".to_owned()));
        if let Err(problem) = &found {
            let name = shortened(material.texture.as_deref().unwrap_or_default());
            model.remarks.push(format!("the image \"{name}\" was not read: {problem}"));
        }
        material.image = found.ok();
        bytes_left -= material.image.as_ref().map_or(0, |image| image.bytes.len());
        known.insert(key, material.image.clone());
    }
}

/// Finds images that materials name as files in the model's folder.
pub(super) fn find_beside(model: &mut Model, external_files: &ExternalFiles<'_>) {
    let name_of = |_: usize, material: &SurfaceMaterial| material.texture.clone();
    find(model, name_of, |name| {
        let path = path_within(name).ok_or_else(|| "it lies outside the model's folder".to_owned())?;
        external_files(&path).map_err(|error| error.to_string())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

    #[test]
    fn images_are_detected_by_their_first_bytes() {
        assert_eq!(TextureImage::of(PNG).expect("PNG").media_type(), "image/png");
        assert_eq!(TextureImage::of(&[0xff, 0xd8, 0xff, 0xe0]).expect("JPEG").media_type(), "image/jpeg");
        for other in [&b""[..], b"\x89PNG", b"GIF89a", b"\xff\xd8"] {
            assert_eq!(TextureImage::of(other), None);
        }
    }

    #[test]
    fn images_of_used_materials_are_read_once_and_errors_remarked() {
        let names = ["a.png", "b.png", "a.png", "../c.png", "unused.png", "text.png", "b.png"];
        let material = |name: &&str| SurfaceMaterial { texture: Some((*name).into()), ..SurfaceMaterial::default() };
        let mut model = Model {
            materials: names.iter().map(material).collect(),
            material_of_triangle: vec![0, 1, 2, 3, 5, 6],
            ..Model::default()
        };
        let asked = std::cell::RefCell::new(Vec::new());
        find_beside(&mut model, &|path| {
            asked.borrow_mut().push(path.display().to_string());
            match path.to_str() {
                Some("a.png") => Ok(PNG.to_vec()),
                Some("text.png") => Ok(b"text".to_vec()),
                _ => Err(std::io::Error::other("it is not there")),
            }
        });
        assert_eq!(*asked.borrow(), ["a.png", "b.png", "text.png"]);
        let found: Vec<bool> = model.materials.iter().map(|material| material.image.is_some()).collect();
        assert_eq!(found, [true, false, true, false, false, false, false]);
        assert_eq!(
            model.remarks,
            [
                "the image \"b.png\" was not read: it is not there",
                "the image \"../c.png\" was not read: it lies outside the model's folder",
                "the image \"text.png\" was not read: it is neither PNG nor JPEG",
            ]
        );
    }

    #[test]
    fn the_total_size_of_images_is_limited() {
        let material =
            |number: usize| SurfaceMaterial { texture: Some(number.to_string()), ..SurfaceMaterial::default() };
        let mut model = Model {
            materials: (0..20).map(material).collect(),
            material_of_triangle: (0..20).collect(),
            ..Model::default()
        };
        let mut large = PNG.to_vec();
        large.resize(MAX_IMAGE_BYTES / 4, 0);
        let mut times = 0;
        let read = |_: &usize| {
            times += 1;
            Ok(large.clone())
        };
        find(&mut model, |number, _| Some(number), read);
        assert_eq!(model.materials.iter().filter(|material| material.image.is_some()).count(), 4);
        assert_eq!(model.remarks, ["only the first 256 MB of images were read"]);
        assert_eq!(times, 5, "nothing is read beyond that");
    }
}
