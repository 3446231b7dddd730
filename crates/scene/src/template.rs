//! Scenes to start from.

/// A commented scene to start from, as `craze new` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// A solid block falls onto the ground.
    Drop,
    /// A solid bar is pulled at one end, in quasi-static mode.
    Pull,
    /// A ball of particles falls onto the ground.
    Particles,
}

impl Template {
    /// All templates; the first is the usual one.
    pub const ALL: [Self; 3] = [Self::Drop, Self::Pull, Self::Particles];

    /// The template's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Pull => "pull",
            Self::Particles => "particles",
        }
    }

    /// What the template shows.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Drop => "a solid block falls onto the ground",
            Self::Pull => "a bar is pulled at one end, slowly",
            Self::Particles => "a soft ball of particles falls onto the ground",
        }
    }

    /// The scene file.
    pub fn text(self) -> &'static str {
        match self {
            Self::Drop => include_str!("../templates/drop.toml"),
            Self::Pull => include_str!("../templates/pull.toml"),
            Self::Particles => include_str!("../templates/particles.toml"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_a_valid_scene() {
        for template in Template::ALL {
            let scene = crate::parse(template.text(), template.name());
            assert!(scene.is_ok(), "{}", scene.unwrap_err());
        }
    }
}
