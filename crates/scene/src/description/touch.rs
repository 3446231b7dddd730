//! Friction, restitution and contact response between two bodies or obstacles of a scene.

use super::{ContactPair, Response, Scene};
use craze_descriptor::{Descriptor, Responses};

/// Contact parameters of two bodies or obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Coulomb's coefficient of friction (1).
    pub friction: f64,
    /// Coefficient of restitution (1).
    pub restitution: f64,
    /// Contact response.
    pub response: Response,
}

impl Scene {
    /// Contact parameters between the bodies or obstacles of these names.
    ///
    /// Values of a pair take precedence. Otherwise friction is the geometric mean of the two, and
    /// restitution the larger of the two. A body has the values of its material, an obstacle its
    /// own, and either those of `[contact]` if it has none. The response is the later in the order
    /// of [`Response`] of what the methods of two bodies ask for, and impulses if one of them has
    /// no penalty forces.
    pub fn touch(&self, methods: &[Descriptor], first: &str, second: &str) -> Touch {
        let (one, other) = (self.own_values(first), self.own_values(second));
        let pair = self.pair(first, second);
        let mixed_friction = (one.0 * other.0).sqrt();
        let mixed_restitution = one.1.max(other.1);
        Touch {
            friction: pair.and_then(|pair| pair.friction).unwrap_or(mixed_friction),
            restitution: pair.and_then(|pair| pair.restitution).unwrap_or(mixed_restitution),
            response: pair
                .and_then(|pair| pair.response)
                .unwrap_or_else(|| self.asked_response(methods, first, second)),
        }
    }

    fn pair(&self, first: &str, second: &str) -> Option<&ContactPair> {
        self.contact.pairs.iter().rev().find(|pair| {
            let [a, b] = &pair.between;
            (a == first && b == second) || (a == second && b == first)
        })
    }

    /// The response that two bodies ask for without a pair.
    fn asked_response(&self, methods: &[Descriptor], first: &str, second: &str) -> Response {
        let asked = |name: &str| -> Option<Responses> {
            let body = self.bodies.iter().find(|body| body.name == name)?;
            let method = methods.iter().find(|method| method.name == body.method && method.penalty)?;
            Some(method.responses(body.tables.table(method.name), &body.facts(method, self.world.mode)))
        };
        match (asked(first), asked(second)) {
            (Some(one), Some(other)) if first != second => one.others.max(other.others),
            (Some(one), Some(_)) => one.itself,
            _ => Response::Impulses,
        }
    }

    /// Friction and restitution of one body or obstacle.
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
            scene.touch(craze_methods::METHODS, "soft", "floor"),
            Touch { friction: 0.9, restitution: 0.1, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch(craze_methods::METHODS, "rough", "floor"),
            Touch { friction: 0.8, restitution: 0.5, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch(craze_methods::METHODS, "soft", "rough"),
            Touch { friction: 0.5, restitution: 0.5, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch(craze_methods::METHODS, "soft", "soft"),
            Touch { friction: 0.25, restitution: 0.1, response: Response::Impulses }
        );
        assert_eq!(
            scene.touch(craze_methods::METHODS, "rough", "rough").response,
            Response::OverlapPenalty,
            "glass breaks"
        );
    }
}
