//! Numbers in the buffers of a glTF file: buffers, views, accessors, sparse ones among them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::document::{Accessor, Document, SparsePart};
use super::uri::{self, Target};
use crate::error::ShapeError;
use crate::import::external::{ExternalFiles, path_within};
use crate::import::text::shortened;

/// Hands out the numbers of accessors. Buffers are read when they are first asked for.
pub(super) struct AccessorReader<'f> {
    pub document: &'f Document,
    pub path: &'f Path,
    pub external_files: &'f ExternalFiles<'f>,
    /// The binary chunk of a GLB file.
    pub chunk: Option<Rc<[u8]>>,
    /// Bytes of the buffers that were asked for, by number.
    pub buffers: BTreeMap<usize, Rc<[u8]>>,
    /// Files that were read; several buffers may name the same.
    pub files: BTreeMap<PathBuf, Rc<[u8]>>,
}

/// Kind of a number, as the specification counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    /// The number at the start of some bytes.
    fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Component::I8, [a, ..]) => i8::from_le_bytes([*a]).into(),
            (Component::U8, [a, ..]) => (*a).into(),
            (Component::I16, [a, b, ..]) => i16::from_le_bytes([*a, *b]).into(),
            (Component::U16, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
            (Component::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]).into(),
            (Component::F32, [a, b, c, d, ..]) => f32::from_le_bytes([*a, *b, *c, *d]).into(),
            _ => f64::NAN,
        }
    }

    /// The number that a normalised whole one stands for (specification, section 3.6.2.2).
    fn normalised(self, value: f64) -> f64 {
        match self {
            Component::I8 => (value / 127.0).max(-1.0),
            Component::U8 => value / 255.0,
            Component::I16 => (value / 32767.0).max(-1.0),
            Component::U16 => value / 65535.0,
            Component::U32 => value / f64::from(u32::MAX),
            Component::F32 => value,
        }
    }
}

/// Elements of the same length at equal distances.
struct Elements {
    bytes: Rc<[u8]>,
    start: usize,
    stride: usize,
    count: usize,
}

impl Elements {
    fn get(&self, element: usize) -> &[u8] {
        &self.bytes[self.start + element * self.stride..]
    }
}

impl AccessorReader<'_> {
    fn bad(&self, place: String, problem: impl Into<String>) -> ShapeError {
        ShapeError::BadPart { path: self.path.to_owned(), place, problem: problem.into() }
    }

    /// How many elements an accessor has.
    pub fn count(&self, number: usize) -> Result<u64, ShapeError> {
        Ok(self.accessor(number)?.count)
    }

    fn accessor(&self, number: usize) -> Result<&Accessor, ShapeError> {
        let missing = || self.bad(format!("accessors[{number}]"), "it does not exist");
        self.document.accessors.get(number).ok_or_else(missing)
    }

    /// Vectors of an accessor, normalised numbers made real.
    pub fn vectors<const N: usize>(&mut self, number: usize, kind: &str) -> Result<Vec<[f64; N]>, ShapeError> {
        let place = format!("accessors[{number}]");
        let accessor = self.accessor(number)?;
        if accessor.kind != kind {
            return Err(self.bad(place, format!("its type is {}, but {kind} is needed", shortened(&accessor.kind))));
        }
        let Some(component) = Component::of(accessor.component_type) else {
            return Err(self.bad(place, format!("there is no componentType {}", accessor.component_type)));
        };
        let is_normalised = accessor.normalized;
        let read = |bytes: &[u8]| {
            std::array::from_fn(|k| {
                let value = component.read(&bytes[k * component.size()..]);
                if is_normalised { component.normalised(value) } else { value }
            })
        };
        let size = N * component.size();
        let (view, offset, count) = (accessor.buffer_view, accessor.byte_offset, accessor.count);
        // Its buffers are read before the zeros that they change are made.
        let changes = match &self.document.accessors[number].sparse {
            Some(sparse) => {
                let place = format!("{place}.sparse");
                let indices = self.sparse_indices(&place, &sparse.indices, sparse.count)?;
                let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
                Some((indices, self.elements(&place, view, offset, sparse.count, size)?))
            }
            None => None,
        };
        let mut vectors: Vec<[f64; N]> = match view {
            Some(view) => {
                let elements = self.elements(&place, view, offset, count, size)?;
                (0..elements.count).map(|element| read(elements.get(element))).collect()
            }
            None => vec![[0.0; N]; self.zero_count(&place, number)?],
        };
        if let Some((indices, values)) = changes {
            for (element, index) in indices.into_iter().enumerate() {
                let Some(vector) = vectors.get_mut(index as usize) else {
                    let problem = format!("it changes element {index}, but there are only {count}");
                    return Err(self.bad(format!("{place}.sparse"), problem));
                };
                *vector = read(values.get(element));
            }
        }
        Ok(vectors)
    }

    /// Whole numbers of an accessor.
    pub fn indices(&mut self, number: usize) -> Result<Vec<u32>, ShapeError> {
        let accessor = self.accessor(number)?;
        if !matches!(Component::of(accessor.component_type), Some(Component::U8 | Component::U16 | Component::U32)) {
            let problem = format!("componentType {} cannot number points", accessor.component_type);
            return Err(self.bad(format!("accessors[{number}]"), problem));
        }
        if accessor.normalized {
            return Err(self.bad(format!("accessors[{number}]"), "normalised numbers cannot number points"));
        }
        // Whole numbers of 32 bits pass through a `f64` unharmed.
        Ok(self.vectors::<1>(number, "SCALAR")?.into_iter().map(|[index]| index as u32).collect())
    }

    fn sparse_indices(&mut self, place: &str, part: &SparsePart, count: u64) -> Result<Vec<u32>, ShapeError> {
        let component = Component::of(part.component_type)
            .filter(|component| matches!(component, Component::U8 | Component::U16 | Component::U32))
            .ok_or_else(|| {
                self.bad(place.to_owned(), format!("componentType {} cannot number", part.component_type))
            })?;
        let elements = self.elements(place, part.buffer_view, part.byte_offset, count, component.size())?;
        Ok((0..elements.count).map(|element| component.read(elements.get(element)) as u32).collect())
    }

    /// How many zeros an accessor without a view stands for: at most as many as the bytes of all buffers, so that a few letters
    /// cannot fill the memory.
    fn zero_count(&self, place: &str, number: usize) -> Result<usize, ShapeError> {
        let accessor = self.accessor(number)?;
        let chunk = self.chunk.as_ref().map_or(0, |chunk| chunk.len());
        let room = chunk + self.buffers.values().map(|bytes| bytes.len()).sum::<usize>();
        if accessor.sparse.is_none() || accessor.count > room as u64 {
            return Err(self.bad(place.to_owned(), format!("its {} elements stand in no bufferView", accessor.count)));
        }
        Ok(accessor.count as usize)
    }

    /// Elements of a size (bytes) in a view, all of them within it.
    fn elements(
        &mut self,
        place: &str,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Elements, ShapeError> {
        let place_of_view = format!("bufferViews[{view}]");
        let Some(view) = self.document.buffer_views.get(view) else {
            return Err(self.bad(place.to_owned(), format!("it uses {place_of_view}, which does not exist")));
        };
        if view.extensions.contains_key("EXT_meshopt_compression") {
            return Err(super::unsupported_extension(self.path, "EXT_meshopt_compression"));
        }
        let stride = view.byte_stride.unwrap_or(size as u64);
        if stride < size as u64 {
            return Err(self.bad(place_of_view, format!("its byteStride is {stride}, but an element has {size} bytes")));
        }
        let bytes = self.buffer(view.buffer, &place_of_view)?;
        let end_of_view = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= bytes.len() as u64);
        let Some(end_of_view) = end_of_view else {
            let problem = format!(
                "{} bytes from byte {} on lie beyond the {} bytes of buffers[{}]",
                view.byte_length,
                view.byte_offset,
                bytes.len(),
                view.buffer
            );
            return Err(self.bad(place_of_view, problem));
        };
        let start = view.byte_offset.checked_add(offset);
        let length = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size as u64));
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        if end.is_none_or(|end| end > end_of_view) {
            let problem = format!(
                "{count} elements from byte {offset} on lie beyond the {} bytes of {place_of_view}",
                view.byte_length
            );
            return Err(self.bad(place.to_owned(), problem));
        }
        // All fit into the bytes that are there, so into `usize`.
        Ok(Elements { bytes, start: start.unwrap_or(0) as usize, stride: stride as usize, count: count as usize })
    }

    /// The bytes of a picture, in a view or behind an address.
    pub fn image(&mut self, number: usize) -> Result<Vec<u8>, ShapeError> {
        let place = format!("images[{number}]");
        let Some(image) = self.document.images.get(number) else { return Err(self.bad(place, "it does not exist")) };
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match uri::resolve(uri) {
                Ok(Target::Data(bytes)) => Ok(bytes),
                Ok(Target::Name(name)) => Ok(self.file(&place, &name)?.to_vec()),
                Err(problem) => Err(self.bad(place, problem)),
            },
            (None, Some(view)) => {
                let length = self.document.buffer_views.get(view).map_or(0, |view| view.byte_length);
                let elements = self.elements(&place, view, 0, length, 1)?;
                Ok(elements.bytes[elements.start..elements.start + elements.count].to_vec())
            }
            (None, None) => Err(self.bad(place, "it has neither a uri nor a bufferView")),
        }
    }

    /// The bytes of a buffer, as many as it announces.
    fn buffer(&mut self, number: usize, user: &str) -> Result<Rc<[u8]>, ShapeError> {
        if let Some(bytes) = self.buffers.get(&number) {
            return Ok(bytes.clone());
        }
        let place = format!("buffers[{number}]");
        let Some(buffer) = self.document.buffers.get(number) else {
            return Err(self.bad(user.to_owned(), format!("it uses {place}, which does not exist")));
        };
        let bytes: Rc<[u8]> = match &buffer.uri {
            None => match (&self.chunk, number) {
                (Some(chunk), 0) => chunk.clone(),
                _ => return Err(self.bad(place, "it has no uri, and only the first may stand in the file itself")),
            },
            Some(uri) => match uri::resolve(uri) {
                Ok(Target::Data(bytes)) => bytes.into(),
                Ok(Target::Name(name)) => self.file(&place, &name)?,
                Err(problem) => return Err(self.bad(place, problem)),
            },
        };
        if buffer.byte_length > bytes.len() as u64 {
            let problem = format!("it should have {} bytes, but {} are there", buffer.byte_length, bytes.len());
            return Err(self.bad(place, problem));
        }
        self.buffers.insert(number, bytes.clone());
        Ok(bytes)
    }

    fn file(&mut self, place: &str, name: &str) -> Result<Rc<[u8]>, ShapeError> {
        let shown = shortened(name);
        let Some(path) = path_within(name) else {
            let problem = format!("\"{shown}\" is not a file in the model's folder, and no other is read");
            return Err(self.bad(place.to_owned(), problem));
        };
        if self.path.file_name().is_some_and(|own| path.as_os_str() == own) {
            return Err(self.bad(place.to_owned(), "it names the model itself"));
        }
        if let Some(bytes) = self.files.get(&path) {
            return Ok(bytes.clone());
        }
        let bytes: Rc<[u8]> = (self.external_files)(&path)
            .map_err(|error| self.bad(place.to_owned(), format!("\"{shown}\" cannot be read: {error}")))?
            .into();
        self.files.insert(path, bytes.clone());
        Ok(bytes)
    }
}
