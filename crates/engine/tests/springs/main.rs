//! Contact of bodies made of springs: with themselves after a crack, with obstacles, and where impulses find no way out.

mod cube;
mod leaves;
mod lips;
mod obstacles;
mod parting;
