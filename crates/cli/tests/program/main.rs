//! End-to-end tests of the built `craze` in temporary folders.

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
