//! Which kinds of bodies this program knows, so that saved ones can be loaded.

use crate::Method;

/// Turns saved bytes into a body. The text of the error says what is wrong with them.
pub type Loader = fn(&[u8]) -> Result<Box<dyn Method>, String>;

/// Loaders by the kind of method.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    loaders: Vec<(&'static str, Loader)>,
}

/// A saved body that cannot be loaded.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// No method of that kind.
    #[error("the checkpoint holds a body of method \"{0}\", which this program does not know")]
    UnknownKind(String),
    /// Bytes that the method refuses.
    #[error("the saved body of method \"{kind}\" is damaged: {reason}")]
    Damaged {
        /// Kind of the method.
        kind: String,
        /// What is wrong.
        reason: String,
    },
}

impl Registry {
    /// A registry that knows nothing.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds a kind of method, or replaces it.
    pub fn register(mut self, kind: &'static str, loader: Loader) -> Registry {
        self.loaders.retain(|(known, _)| *known != kind);
        self.loaders.push((kind, loader));
        self
    }

    /// Loads a body.
    pub fn load(&self, kind: &str, bytes: &[u8]) -> Result<Box<dyn Method>, LoadError> {
        let loader = self.loaders.iter().find(|(known, _)| *known == kind);
        let (_, loader) = loader.ok_or_else(|| LoadError::UnknownKind(kind.to_owned()))?;
        loader(bytes).map_err(|reason| LoadError::Damaged { kind: kind.to_owned(), reason })
    }
}
