//! Which friction and restitution hold between two things of a scene.

use super::Scene;

/// How two things rub and bounce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Coulomb's coefficient of friction (1).
    pub friction: f64,
    /// Speed kept in a bounce (1).
    pub restitution: f64,
}

impl Scene {
    /// How the bodies or obstacles of these names rub and bounce on each other.
    ///
    /// A pair decides where it says something. Otherwise friction is the geometric mean of what the two have, and
    /// restitution the larger of the two. A body has what its material says, an obstacle what it says itself, and
    /// either has the values of `[contact]` where nothing is said.
    pub fn touch(&self, first: &str, second: &str) -> Touch {
        let (one, other) = (self.own_touch(first), self.own_touch(second));
        let pair = self.contact.pairs.iter().rev().find(|pair| {
            let [a, b] = &pair.between;
            (a == first && b == second) || (a == second && b == first)
        });
        let mixed_friction = (one.friction * other.friction).sqrt();
        let mixed_restitution = one.restitution.max(other.restitution);
        Touch {
            friction: pair.and_then(|pair| pair.friction).unwrap_or(mixed_friction),
            restitution: pair.and_then(|pair| pair.restitution).unwrap_or(mixed_restitution),
        }
    }

    /// What a thing has by itself.
    fn own_touch(&self, name: &str) -> Touch {
        let obstacle = self.obstacles.iter().find(|obstacle| obstacle.name == name);
        let material = self.bodies.iter().find(|body| body.name == name).map(|body| &body.material);
        let preset = material
            .and_then(|material| material.preset.as_deref())
            .and_then(|preset| craze_material::preset(preset).ok());
        let friction = obstacle
            .and_then(|obstacle| obstacle.friction)
            .or(material.and_then(|material| material.friction))
            .or(preset.as_ref().map(|preset| preset.friction));
        let restitution = obstacle
            .and_then(|obstacle| obstacle.restitution)
            .or(material.and_then(|material| material.restitution))
            .or(preset.as_ref().map(|preset| preset.restitution));
        Touch {
            friction: friction.unwrap_or(self.contact.friction),
            restitution: restitution.unwrap_or(self.contact.restitution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_win_over_things_and_things_over_the_scene() {
        let text = r#"
            [contact]
            friction = 0.25
            restitution = 0.1
            pair = [{ between = ["floor", "soft"], friction = 0.9 }]
            [[body]]
            name = "soft"
            method = "solid"
            shape.sphere = { radius = 1 }
            material = { density = 1000, young = 1e6, poisson = 0.3 }
            [[body]]
            name = "rough"
            method = "solid"
            shape.sphere = { radius = 1 }
            material = { preset = "glass", friction = 1, restitution = 0.5 }
            [[obstacle]]
            name = "floor"
            shape.sphere = { radius = 1 }
            friction = 0.64
        "#;
        let scene = crate::parse(text, "scene").expect("a scene");
        assert_eq!(scene.touch("soft", "floor"), Touch { friction: 0.9, restitution: 0.1 });
        assert_eq!(scene.touch("rough", "floor"), Touch { friction: 0.8, restitution: 0.5 });
        assert_eq!(scene.touch("soft", "rough"), Touch { friction: 0.5, restitution: 0.5 });
        assert_eq!(scene.touch("soft", "soft"), Touch { friction: 0.25, restitution: 0.1 });
    }
}
