//! Accessors of a glTF file, dense and sparse, and the buffers behind them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::document::{Accessor, Document, SparsePart};
use super::uri::{self, Target};
use crate::error::ShapeError;
use crate::import::external::{ExternalFiles, path_within};
use crate::import::text::shortened;

/// Reads accessors; loads buffers on first use.
pub(super) struct AccessorReader<'f> {
    pub document: &'f Document,
    pub path: &'f Path,
    pub external_files: &'f ExternalFiles<'f>,
    pub chunk: Option<Rc<[u8]>>,
    /// Loaded buffers by index.
    pub buffers: BTreeMap<usize, Rc<[u8]>>,
    /// Loaded files; several buffers may use the same one.
    pub files: BTreeMap<PathBuf, Rc<[u8]>>,
}

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

    /// The number at the start of `bytes`.
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

    /// The value of a normalised integer (specification, section 3.6.2.2).
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

/// Elements of equal size at a constant stride.
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
    fn bad(&self, part: String, problem: impl Into<String>) -> ShapeError {
        ShapeError::BadPart { path: self.path.to_owned(), part, problem: problem.into() }
    }

    pub fn count(&self, number: usize) -> Result<u64, ShapeError> {
        Ok(self.accessor(number)?.count)
    }

    fn accessor(&self, number: usize) -> Result<&Accessor, ShapeError> {
        let missing = || self.bad(format!("accessors[{number}]"), "it does not exist");
        self.document.accessors.get(number).ok_or_else(missing)
    }

    /// Vectors of an accessor; normalised integers become floats.
    pub fn vectors<const N: usize>(&mut self, number: usize, kind: &str) -> Result<Vec<[f64; N]>, ShapeError> {
        let part = format!("accessors[{number}]");
        let accessor = self.accessor(number)?;
        if accessor.kind != kind {
            return Err(self.bad(part, format!("its type is {}, but {kind} is needed", shortened(&accessor.kind))));
        }
        let Some(component) = Component::of(accessor.component_type) else {
            return Err(self.bad(part, format!("unknown componentType {}", accessor.component_type)));
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
        // Loads the sparse buffers before the zeros are allocated.
        let changes = match &self.document.accessors[number].sparse {
            Some(sparse) => {
                let part = format!("{part}.sparse");
                let indices = self.sparse_indices(&part, &sparse.indices, sparse.count)?;
                let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
                Some((indices, self.elements(&part, view, offset, sparse.count, size)?))
            }
            None => None,
        };
        let mut vectors: Vec<[f64; N]> = match view {
            Some(view) => {
                let elements = self.elements(&part, view, offset, count, size)?;
                (0..elements.count).map(|element| read(elements.get(element))).collect()
            }
            None => vec![[0.0; N]; self.zero_count(&part, number)?],
        };
        if let Some((indices, values)) = changes {
            for (element, index) in indices.into_iter().enumerate() {
                let Some(vector) = vectors.get_mut(index as usize) else {
                    let problem = format!("it changes element {index}, but there are only {count}");
                    return Err(self.bad(format!("{part}.sparse"), problem));
                };
                *vector = read(values.get(element));
            }
        }
        Ok(vectors)
    }

    pub fn indices(&mut self, number: usize) -> Result<Vec<u32>, ShapeError> {
        let accessor = self.accessor(number)?;
        if !matches!(Component::of(accessor.component_type), Some(Component::U8 | Component::U16 | Component::U32)) {
            let problem = format!("componentType {} is not an index type", accessor.component_type);
            return Err(self.bad(format!("accessors[{number}]"), problem));
        }
        if accessor.normalized {
            return Err(self.bad(format!("accessors[{number}]"), "indices must not be normalised"));
        }
        // An f64 represents all 32-bit integers exactly.
        Ok(self.vectors::<1>(number, "SCALAR")?.into_iter().map(|[index]| index as u32).collect())
    }

    fn sparse_indices(&mut self, part: &str, indices: &SparsePart, count: u64) -> Result<Vec<u32>, ShapeError> {
        let component = Component::of(indices.component_type)
            .filter(|component| matches!(component, Component::U8 | Component::U16 | Component::U32))
            .ok_or_else(|| {
                self.bad(part.to_owned(), format!("componentType {} is not an index type", indices.component_type))
            })?;
        let elements = self.elements(part, indices.buffer_view, indices.byte_offset, count, component.size())?;
        Ok((0..elements.count).map(|element| component.read(elements.get(element)) as u32).collect())
    }

    /// Number of zeros of an accessor without a buffer view: at most the size of all buffers, which
    /// bounds memory by the file size.
    fn zero_count(&self, part: &str, number: usize) -> Result<usize, ShapeError> {
        let accessor = self.accessor(number)?;
        let chunk = self.chunk.as_ref().map_or(0, |chunk| chunk.len());
        let room = chunk + self.buffers.values().map(|bytes| bytes.len()).sum::<usize>();
        if accessor.sparse.is_none() || accessor.count > room as u64 {
            return Err(self.bad(part.to_owned(), format!("its {} elements have no bufferView", accessor.count)));
        }
        Ok(accessor.count as usize)
    }

    /// Elements of a size (bytes) in a buffer view, checked against its bounds.
    fn elements(
        &mut self,
        part: &str,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Elements, ShapeError> {
        let view_name = format!("bufferViews[{view}]");
        let Some(view) = self.document.buffer_views.get(view) else {
            return Err(self.bad(part.to_owned(), format!("it uses {view_name}, which does not exist")));
        };
        if view.extensions.contains_key("EXT_meshopt_compression") {
            return Err(super::unsupported_extension(self.path, "EXT_meshopt_compression"));
        }
        let stride = view.byte_stride.unwrap_or(size as u64);
        if stride < size as u64 {
            return Err(self.bad(view_name, format!("its byteStride is {stride}, but an element has {size} bytes")));
        }
        let bytes = self.buffer(view.buffer, &view_name)?;
        let end_of_view = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= bytes.len() as u64);
        let Some(end_of_view) = end_of_view else {
            let problem = format!(
                "{} bytes from byte {} exceed the {} bytes of buffers[{}]",
                view.byte_length,
                view.byte_offset,
                bytes.len(),
                view.buffer
            );
            return Err(self.bad(view_name, problem));
        };
        let start = view.byte_offset.checked_add(offset);
        let length = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size as u64));
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        if end.is_none_or(|end| end > end_of_view) {
            let problem =
                format!("{count} elements from byte {offset} exceed the {} bytes of {view_name}", view.byte_length);
            return Err(self.bad(part.to_owned(), problem));
        }
        // The bounds check above makes the casts safe.
        Ok(Elements { bytes, start: start.unwrap_or(0) as usize, stride: stride as usize, count: count as usize })
    }

    /// The bytes of an image in a buffer view or at a URI.
    pub fn image(&mut self, number: usize) -> Result<Vec<u8>, ShapeError> {
        let part = format!("images[{number}]");
        let Some(image) = self.document.images.get(number) else { return Err(self.bad(part, "it does not exist")) };
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match uri::resolve(uri) {
                Ok(Target::Data(bytes)) => Ok(bytes),
                Ok(Target::Name(name)) => Ok(self.file(&part, &name)?.to_vec()),
                Err(problem) => Err(self.bad(part, problem)),
            },
            (None, Some(view)) => {
                let length = self.document.buffer_views.get(view).map_or(0, |view| view.byte_length);
                let elements = self.elements(&part, view, 0, length, 1)?;
                Ok(elements.bytes[elements.start..elements.start + elements.count].to_vec())
            }
            (None, None) => Err(self.bad(part, "it has neither a uri nor a bufferView")),
        }
    }

    /// The bytes of a buffer, at least the declared number.
    fn buffer(&mut self, number: usize, user: &str) -> Result<Rc<[u8]>, ShapeError> {
        if let Some(bytes) = self.buffers.get(&number) {
            return Ok(bytes.clone());
        }
        let part = format!("buffers[{number}]");
        let Some(buffer) = self.document.buffers.get(number) else {
            return Err(self.bad(user.to_owned(), format!("it uses {part}, which does not exist")));
        };
        let bytes: Rc<[u8]> = match &buffer.uri {
            None => match (&self.chunk, number) {
                (Some(chunk), 0) => chunk.clone(),
                _ => return Err(self.bad(part, "it has no uri, and only the first buffer may be the binary chunk")),
            },
            Some(uri) => match uri::resolve(uri) {
                Ok(Target::Data(bytes)) => bytes.into(),
                Ok(Target::Name(name)) => self.file(&part, &name)?,
                Err(problem) => return Err(self.bad(part, problem)),
            },
        };
        if buffer.byte_length > bytes.len() as u64 {
            let problem = format!("it declares {} bytes, but has {}", buffer.byte_length, bytes.len());
            return Err(self.bad(part, problem));
        }
        self.buffers.insert(number, bytes.clone());
        Ok(bytes)
    }

    fn file(&mut self, part: &str, name: &str) -> Result<Rc<[u8]>, ShapeError> {
        let shown = shortened(name);
        let Some(path) = path_within(name) else {
            let problem = format!("\"{shown}\" is not a file in the model's folder");
            return Err(self.bad(part.to_owned(), problem));
        };
        if self.path.file_name().is_some_and(|own| path.as_os_str() == own) {
            return Err(self.bad(part.to_owned(), "it names the model itself"));
        }
        if let Some(bytes) = self.files.get(&path) {
            return Ok(bytes.clone());
        }
        let bytes: Rc<[u8]> = (self.external_files)(&path)
            .map_err(|error| self.bad(part.to_owned(), format!("\"{shown}\" cannot be read: {error}")))?
            .into();
        self.files.insert(path, bytes.clone());
        Ok(bytes)
    }
}
