//! One file a command.

pub mod bench;
pub mod check;
pub mod export;
pub mod inspect;
pub mod materials;
pub mod new;
pub mod render;
pub mod run;
pub mod scenes;
pub mod schema;
pub mod shatter;
pub mod validate;
