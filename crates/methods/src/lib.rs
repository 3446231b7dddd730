//! The fracture methods that Craze has: scenes, validation, benchmarks and fuzzing iterate over
//! this list.

pub use craze_clusters as clusters;
pub use craze_solid as solid;
pub use craze_xfem as xfem;

pub use craze_descriptor::{Describe, Descriptor, Elements};

/// Every method, in the order in which messages and tables name them.
pub static METHODS: &[Descriptor] = &[
    Descriptor::of::<craze_solid::Solid>(),
    Descriptor::of::<craze_clusters::Clusters>(),
    Descriptor::of::<craze_xfem::Xfem>(),
];

/// The method of this name.
pub fn method(name: &str) -> Option<&'static Descriptor> {
    METHODS.iter().find(|method| method.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_methods_have_the_same_name() {
        for (index, one) in METHODS.iter().enumerate() {
            assert!(METHODS[..index].iter().all(|other| other.name != one.name), "{}", one.name);
        }
    }
}
