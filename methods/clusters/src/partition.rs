//! Overlapping clusters of a cloud: fuzzy c-means (Jones et al. 2016 §3.1 after Jones et al. 2015).
//!
//! Centres start evenly along a space-filling curve, move to the means of their nearest particles
//! (k-means), and then to the weighted means of all particles within the radius, until they
//! converge. A particle's weights decrease with the distance from the centre and sum to one over
//! its clusters.

use crate::grid::Grid;
use crate::membership::Share;
use crate::tuning::{KMEANS_ITERATIONS, MAX_MEAN_ITERATIONS, MIN_MEMBERS, PARTICLES_PER_CHUNK};
use craze_math::{Random, Vec3};
use craze_spatial::Aabb;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How a body is divided into clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Clustering {
    /// All particles in one cluster.
    #[default]
    One,
    /// A number of clusters, with the radius that they need.
    Count {
        /// Number of clusters; fewer if few particles have different positions.
        count: u32,
        /// Mean number of clusters that a particle is in (1), at least 1.
        overlap: f64,
        /// Seed of the initial centres.
        seed: u64,
    },
    /// Clusters of a radius, as many as are needed.
    Radius {
        /// Radius of a cluster (m).
        radius: f64,
        /// Approximate number of clusters that a particle inside the body is in (1), at least 1.
        overlap: f64,
        /// Seed of the initial centres.
        seed: u64,
    },
}

/// Memberships of all particles.
pub(crate) struct Partition {
    /// For every particle its clusters, ascending, with weights that sum to one.
    pub shares: Vec<Vec<Share>>,
    pub clusters: usize,
}

/// Particles that are in no cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Uncovered {
    pub count: usize,
    /// Radius that would include them (m).
    pub radius: f64,
}

/// Displacement of a centre relative to the radius at which iterations end.
const CONVERGED_DISPLACEMENT: f64 = 0.01;
/// Distance in radii within which a particle in no cluster joins the nearest one.
const MAX_STRAY_DISTANCE: f64 = 2.0;
/// Smallest weight of a member before normalisation.
const MIN_WEIGHT: f64 = 1e-3;
/// Bins of the histogram of distances that chooses the radius.
const HISTOGRAM_BINS: usize = 4096;

/// Divides particles (m, kg) into clusters. The same bits for any number of threads.
pub(crate) fn partition(places: &[Vec3], masses: &[f64], clustering: &Clustering) -> Result<Partition, Uncovered> {
    let whole = || Partition { shares: vec![vec![Share { cluster: 0, weight: 1.0 }]; places.len()], clusters: 1 };
    let (count, overlap, given, seed) = match *clustering {
        Clustering::One => return Ok(whole()),
        Clustering::Count { count, overlap, seed } => (count as usize, overlap, None, seed),
        Clustering::Radius { radius, overlap, seed } => {
            (count_for_radius(places, radius, overlap), overlap, Some(radius), seed)
        }
    };
    let count = count.min(places.len() / MIN_MEMBERS);
    if count <= 1 || !(Aabb::from_points(places).size().max() > 0.0) {
        return Ok(whole());
    }
    let mut centres = first_centres(places, count, seed);
    for _ in 0..KMEANS_ITERATIONS {
        nearest_means(places, masses, &mut centres);
    }
    let mut radius = given.unwrap_or_else(|| radius_for_overlap(places, &centres, overlap));
    for _ in 0..MAX_MEAN_ITERATIONS {
        let moved = weighted_means(places, masses, &mut centres, radius);
        if moved <= CONVERGED_DISPLACEMENT * radius {
            break;
        }
    }
    if given.is_none() {
        radius = radius_for_overlap(places, &centres, overlap);
    }
    let shares = shares_of(places, &centres, radius)?;
    drop_small(shares, places, &centres, radius)
}

/// Number of clusters so that balls of this radius (m) fill a cloud with this overlap, by the
/// volume of the cells that it fills.
fn count_for_radius(places: &[Vec3], radius: f64, overlap: f64) -> usize {
    let cell = 0.5 * radius;
    let mut cells: Vec<[i64; 3]> =
        places.iter().map(|place| std::array::from_fn(|axis| (place[axis] / cell).floor() as i64)).collect();
    cells.par_sort_unstable();
    cells.dedup();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    ((overlap * cells.len() as f64 * cell.powi(3) / ball).ceil() as usize).max(1)
}

/// Particles evenly along a Morton curve.
fn first_centres(places: &[Vec3], count: usize, seed: u64) -> Vec<Vec3> {
    let order = morton_order(places);
    let mut random = Random::new(seed);
    let stretch = places.len() as f64 / count as f64;
    let at = |index: usize, shift: f64| ((index as f64 + shift) * stretch) as usize;
    (0..count).map(|index| places[order[at(index, random.number()).min(places.len() - 1)] as usize]).collect()
}

/// Order of the particles along a Morton curve through their bounding box: neighbours in space are
/// mostly neighbours in the list.
pub(crate) fn morton_order(places: &[Vec3]) -> Vec<u32> {
    let bounds = Aabb::from_points(places);
    let scale = 1023.0 / bounds.size().max().max(f64::MIN_POSITIVE);
    let spread = |number: u64| {
        let mut bits = number & 0x3ff;
        bits = (bits | bits << 16) & 0x0300_00ff;
        bits = (bits | bits << 8) & 0x0300_f00f;
        bits = (bits | bits << 4) & 0x030c_30c3;
        (bits | bits << 2) & 0x0924_9249
    };
    let code = |place: &Vec3| {
        let [x, y, z] = ((place - bounds.min) * scale).map(|value| spread(value as u64)).into();
        x | y << 1 | z << 2
    };
    let mut order: Vec<(u64, u32)> = places.iter().map(code).zip(0..).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, particle)| particle).collect()
}

/// Mean distance between neighbouring centres (m), for the width of cells.
fn centre_distance(places: &[Vec3], count: usize) -> f64 {
    let size = Aabb::from_points(places).size();
    let widest = size.max().max(f64::MIN_POSITIVE);
    // A flat or thin cloud has almost no volume: its centres are in a plane or on a line.
    let sizes = size.map(|length| length.max(0.05 * widest));
    (sizes.product() / count as f64).cbrt()
}

/// Sums of chunks, added in their order.
fn means(
    places: &[Vec3],
    centres: &mut [Vec3],
    add: impl Fn(std::ops::Range<usize>, &mut [(f64, Vec3)]) + Sync,
) -> f64 {
    let chunks = places.len().div_ceil(PARTICLES_PER_CHUNK);
    let partial: Vec<Vec<(f64, Vec3)>> = (0..chunks)
        .into_par_iter()
        .map(|chunk| {
            let mut sums = vec![(0.0, Vec3::zeros()); centres.len()];
            add(chunk * PARTICLES_PER_CHUNK..places.len().min((chunk + 1) * PARTICLES_PER_CHUNK), &mut sums);
            sums
        })
        .collect();
    let mut farthest = 0.0f64;
    for (index, centre) in centres.iter_mut().enumerate() {
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for sums in &partial {
            mass += sums[index].0;
            moment += sums[index].1;
        }
        if mass > 0.0 {
            let mean = moment / mass;
            farthest = farthest.max((mean - *centre).norm());
            *centre = mean;
        }
    }
    farthest
}

fn nearest_means(places: &[Vec3], masses: &[f64], centres: &mut [Vec3]) {
    let old = centres.to_vec();
    let grid = Grid::new(&old, centre_distance(places, old.len()));
    means(places, centres, |range, sums| {
        for particle in range {
            let sum = &mut sums[grid.nearest(&places[particle]).0 as usize];
            sum.0 += masses[particle];
            sum.1 += masses[particle] * places[particle];
        }
    });
}

/// Moves centres to the weighted means of particles within the radius; returns the largest
/// displacement (m).
fn weighted_means(places: &[Vec3], masses: &[f64], centres: &mut [Vec3], radius: f64) -> f64 {
    let old = centres.to_vec();
    let grid = Grid::new(&old, radius);
    means(places, centres, |range, sums| {
        let mut near = Vec::new();
        for particle in range {
            weights(&grid, &old, &places[particle], radius, &mut near);
            for share in &near {
                let mass = share.weight * masses[particle];
                let sum = &mut sums[share.cluster as usize];
                sum.0 += mass;
                sum.1 += mass * places[particle];
            }
        }
    })
}

/// The clusters of a position, ascending, with weights that sum to one; none if it is outside of
/// all.
fn weights(grid: &Grid, centres: &[Vec3], place: &Vec3, radius: f64, found: &mut Vec<Share>) {
    found.clear();
    grid.near(place, radius, |centre| {
        let square = (centres[centre as usize] - place).norm_squared() / (radius * radius);
        if square <= 1.0 {
            let weight = ((1.0 - square) * (1.0 - square)).max(MIN_WEIGHT);
            found.push(Share { cluster: centre, weight });
        }
    });
    found.sort_unstable_by_key(|share| share.cluster);
    let total: f64 = found.iter().map(|share| share.weight).sum();
    found.iter_mut().for_each(|share| share.weight /= total);
}

/// The radius (m) within which a particle has so many centres in the mean.
fn radius_for_overlap(places: &[Vec3], centres: &[Vec3], overlap: f64) -> f64 {
    let wanted = (overlap * places.len() as f64).min(places.len() as f64 * centres.len() as f64);
    let mut most = 1.5 * centre_distance(places, centres.len()) * overlap.cbrt();
    loop {
        let grid = Grid::new(centres, most);
        let count = |chunk: &[Vec3]| {
            let mut bins = vec![0u64; HISTOGRAM_BINS];
            for place in chunk {
                grid.near(place, most, |centre| {
                    let bin = (centres[centre as usize] - place).norm() / most * HISTOGRAM_BINS as f64;
                    if bin < HISTOGRAM_BINS as f64 {
                        bins[bin as usize] += 1;
                    }
                });
            }
            bins
        };
        let parts: Vec<Vec<u64>> = places.par_chunks(PARTICLES_PER_CHUNK).map(count).collect();
        let mut total = 0;
        for bin in 0..HISTOGRAM_BINS {
            total += parts.iter().map(|part| part[bin]).sum::<u64>();
            if total as f64 >= wanted {
                return most * (bin + 1) as f64 / HISTOGRAM_BINS as f64;
            }
        }
        most *= 2.0;
    }
}

fn shares_of(places: &[Vec3], centres: &[Vec3], radius: f64) -> Result<Vec<Vec<Share>>, Uncovered> {
    let grid = Grid::new(centres, radius);
    let nearest = Grid::new(centres, centre_distance(places, centres.len()));
    let of = |place: &Vec3| {
        let mut found = Vec::new();
        weights(&grid, centres, place, radius, &mut found);
        if !found.is_empty() {
            return Ok(found);
        }
        let (cluster, square) = nearest.nearest(place);
        let distance = square.sqrt();
        if distance <= MAX_STRAY_DISTANCE * radius { Ok(vec![Share { cluster, weight: 1.0 }]) } else { Err(distance) }
    };
    let found: Vec<Result<Vec<Share>, f64>> = places.par_iter().map(of).collect();
    let far = found.iter().filter_map(|shares| shares.as_ref().err());
    let (count, radius) = far.fold((0, 0.0f64), |(count, most), distance| (count + 1, most.max(*distance)));
    if count > 0 { Err(Uncovered { count, radius }) } else { Ok(found.into_iter().flatten().collect()) }
}

/// Drops clusters with too few members; particles that were in no other join the nearest.
fn drop_small(
    mut shares: Vec<Vec<Share>>,
    places: &[Vec3],
    centres: &[Vec3],
    radius: f64,
) -> Result<Partition, Uncovered> {
    let mut members = vec![0usize; centres.len()];
    shares.iter().flatten().for_each(|share| members[share.cluster as usize] += 1);
    let kept: Vec<usize> = (0..centres.len()).filter(|&cluster| members[cluster] >= MIN_MEMBERS).collect();
    if kept.is_empty() {
        let all = vec![Share { cluster: 0, weight: 1.0 }];
        return Ok(Partition { shares: vec![all; places.len()], clusters: 1 });
    }
    let mut far = Uncovered { count: 0, radius: 0.0 };
    let mut number = vec![u32::MAX; centres.len()];
    kept.iter().zip(0..).for_each(|(&cluster, new)| number[cluster] = new);
    let kept_centres: Vec<Vec3> = kept.iter().map(|&cluster| centres[cluster]).collect();
    for (own, place) in shares.iter_mut().zip(places) {
        own.retain(|share| members[share.cluster as usize] >= MIN_MEMBERS);
        own.iter_mut().for_each(|share| share.cluster = number[share.cluster as usize]);
        if own.is_empty() {
            let distances = kept_centres.iter().map(|centre| (centre - place).norm_squared()).zip(0..);
            let best = |best: (f64, u32), next: (f64, u32)| if next.0 < best.0 { next } else { best };
            let (square, cluster) = distances.fold((f64::INFINITY, 0), best);
            if square.sqrt() > MAX_STRAY_DISTANCE * radius {
                far = Uncovered { count: far.count + 1, radius: far.radius.max(square.sqrt()) };
            }
            own.push(Share { cluster, weight: 1.0 });
        }
        let total: f64 = own.iter().map(|share| share.weight).sum();
        own.iter_mut().for_each(|share| share.weight /= total);
    }
    if far.count > 0 { Err(far) } else { Ok(Partition { shares, clusters: kept.len() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::block;
    use proptest::prelude::*;

    fn counted(places: &[Vec3], count: u32, overlap: f64, seed: u64) -> Partition {
        let clustering = Clustering::Count { count, overlap, seed };
        partition(places, &vec![1.0; places.len()], &clustering).expect("all are covered")
    }

    fn assert_sound(partition: &Partition) {
        let mut members = vec![0; partition.clusters];
        for shares in &partition.shares {
            assert!(!shares.is_empty());
            assert!(shares.windows(2).all(|pair| pair[0].cluster < pair[1].cluster));
            assert!(shares.iter().all(|share| share.weight > 0.0));
            assert!((shares.iter().map(|share| share.weight).sum::<f64>() - 1.0).abs() < 1e-14);
            shares.iter().for_each(|share| members[share.cluster as usize] += 1);
        }
        assert!(members.iter().all(|&count| count >= MIN_MEMBERS), "{members:?}");
    }

    #[test]
    fn a_bar_gets_the_clusters_and_memberships_it_asks_for() {
        let cloud = block([40, 12, 12]);
        let found = counted(&cloud.positions, 50, 3.0, 1);
        assert_eq!(found.clusters, 50);
        let memberships = found.shares.iter().map(Vec::len).sum::<usize>() as f64;
        assert!((memberships / (3.0 * cloud.positions.len() as f64) - 1.0).abs() < 0.02, "{memberships}");
        assert_sound(&found);
        let radius = Clustering::Radius { radius: 0.35, overlap: 3.0, seed: 1 };
        assert_sound(&partition(&cloud.positions, &vec![1.0; cloud.positions.len()], &radius).unwrap());
    }

    #[test]
    fn seeds_choose_and_threads_do_not() {
        let cloud = block([20, 15, 9]);
        let run = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| counted(&cloud.positions, 30, 4.0, seed).shares)
        };
        let one = run(1, 5);
        assert!(one == run(2, 5) && one == run(3, 5));
        assert!(one != run(1, 6));
    }

    #[test]
    fn a_stray_particle_joins_and_one_far_away_is_told_of() {
        let mut places = block([12, 12, 12]).positions;
        places.push(Vec3::new(1.55, 0.5, 0.5));
        assert_sound(&counted(&places, 12, 2.0, 1));
        places.push(Vec3::new(40.0, 0.5, 0.5));
        let clustering = Clustering::Radius { radius: 0.3, overlap: 2.0, seed: 1 };
        let uncovered = partition(&places, &vec![1.0; places.len()], &clustering).err().expect("one is out of reach");
        assert_eq!(uncovered.count, 1);
        assert!(uncovered.radius > 30.0);
    }

    #[test]
    fn flat_straight_and_coincident_clouds_are_divided_too() {
        for counts in [[30, 20, 1], [400, 1, 1]] {
            let places = block(counts).positions;
            let found = counted(&places, 10, 2.5, 1);
            assert!((8..=10).contains(&found.clusters), "{}", found.clusters);
            assert_sound(&found);
        }
        assert_sound(&counted(&[Vec3::repeat(1.0); 40], 3, 2.0, 1));
    }

    proptest! {
        #[test]
        fn any_cloud_is_covered(
            places in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..200),
            count in 1u32..20,
            overlap in 1.0f64..5.0,
        ) {
            let places: Vec<Vec3> = places.into_iter().map(Vec3::from).collect();
            let found = partition(&places, &vec![1.0; places.len()], &Clustering::Count { count, overlap, seed: 3 });
            if let Ok(found) = found {
                for shares in &found.shares {
                    prop_assert!((shares.iter().map(|share| share.weight).sum::<f64>() - 1.0).abs() < 1e-14);
                    prop_assert!(shares.iter().all(|share| (share.cluster as usize) < found.clusters));
                }
            }
        }
    }
}
