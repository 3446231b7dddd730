//! The program as a person meets it: the built `craze`, called in folders of its own with what people do to programs.

mod bad_folders;
mod bad_scenes;
mod commands;
mod full_disk;
mod inspect;
mod interruption;
mod run_folder;
mod same_bits;
mod shatter;
mod workshop;
