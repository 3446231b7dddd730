//! Which friction and restitution hold between two things of a scene, and what keeps them apart.

use super::{Body, ContactPair, Integrator, MethodKind, Response, Scene};

/// How two things rub and bounce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Coulomb's coefficient of friction (1).
    pub friction: f64,
    /// Speed kept in a bounce (1).
    pub restitution: f64,
    /// What keeps them apart.
    pub response: Response,
}

impl Scene {
    /// How the bodies or obstacles of these names rub and bounce on each other.
    ///
    /// A pair decides where it says something. Otherwise friction is the geometric mean of what the two have, and
    /// restitution the larger of the two. A body has what its material says, an obstacle what it says itself, and
    /// either has the values of `[contact]` where nothing is said. Two different bodies of method solid are kept apart by what one of
    /// them asks for, the volume's forces where they differ, and the parts of one that can break by the volume's forces; all others by
    /// impulses.
    pub fn touch(&self, first: &str, second: &str) -> Touch {
        let (one, other) = (self.own_values(first), self.own_values(second));
        let pair = self.pair(first, second);
        let mixed_friction = (one.0 * other.0).sqrt();
        let mixed_restitution = one.1.max(other.1);
        Touch {
            friction: pair.and_then(|pair| pair.friction).unwrap_or(mixed_friction),
            restitution: pair.and_then(|pair| pair.restitution).unwrap_or(mixed_restitution),
            response: pair.and_then(|pair| pair.response).unwrap_or_else(|| self.asked_response(first, second)),
        }
    }

    fn pair(&self, first: &str, second: &str) -> Option<&ContactPair> {
        self.contact.pairs.iter().rev().find(|pair| {
            let [a, b] = &pair.between;
            (a == first && b == second) || (a == second && b == first)
        })
    }

    /// What two things ask for by themselves.
    fn asked_response(&self, first: &str, second: &str) -> Response {
        let solid = |name: &str| self.bodies.iter().find(|body| body.name == name && body.method == MethodKind::Solid);
        match (solid(first), solid(second)) {
            (Some(one), Some(other)) if first != second => {
                let asked = |body: &Body| body.solid.as_ref().map_or(Response::Impulses, |settings| settings.response);
                asked(one).max(asked(other))
            }
            // What breaks lies on itself: volumes tell its sides, distances do not.
            (Some(body), Some(_)) if body.can_break() && body.integrator != Some(Integrator::Implicit) => {
                Response::OverlapPenalty
            }
            _ => Response::Impulses,
        }
    }

    /// Friction and restitution that a thing has by itself.
    fn own_values(&self, name: &str) -> (f64, f64) {
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
        (friction.unwrap_or(self.contact.friction), restitution.unwrap_or(self.contact.restitution))
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
        assert_eq!(
            scene.touch("soft", "floor"),
            Touch { friction: 0.9, restitution: 0.1, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch("rough", "floor"),
            Touch { friction: 0.8, restitution: 0.5, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch("soft", "rough"),
            Touch { friction: 0.5, restitution: 0.5, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch("soft", "soft"),
            Touch { friction: 0.25, restitution: 0.1, response: Response::Impulses }
        );
        assert_eq!(scene.touch("rough", "rough").response, Response::OverlapPenalty, "glass breaks");
    }
}
