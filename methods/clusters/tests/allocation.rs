//! A step allocates nothing once warm.

// A global allocator can only be written with `unsafe`; it hands everything on to the system's and
// counts.
#![allow(unsafe_code)]

use craze_clusters::{Cloud, Clusters, Options};
use craze_contact::{ContactSurface, Impulse};
use craze_engine::{Attachable, CommitLog, Effect, HoldId, Load, Method, Region, Step};
use craze_material::{Elasticity, Material};
use craze_math::{Isometry, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_step_allocates_nothing() {
    let positions: Vec<Vec3> = (0..20_000u32)
        .map(|n| 0.1 * Vec3::new(f64::from(n % 20), f64::from(n / 20 % 25), f64::from(n / 500)))
        .collect();
    let cloud = Cloud { volumes: vec![1e-3; positions.len()], positions, spacing: 0.1 };
    let material = Material::elastic("dough", 1000.0, Elasticity::from_young(1e6, 0.3));
    let (place, still) = (Isometry::identity(), Vec3::zeros());
    let mut body = Clusters::new(cloud, &material, Options::default(), &place, still, still).unwrap();
    body.attach(HoldId(0), &Region::HalfSpace { point: Vec3::zeros(), normal: -Vec3::y() }).unwrap();
    let loads = [Load { hold: HoldId(0), effect: Effect::Place(Isometry::translation(0.001, 0.0, 0.0)) }];
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let loaded = Step { time: 0.0, time_step: 1.0 / 60.0, gravity, loads: &loads, contacts: &[] };
    let free = Step { loads: &[], ..loaded };
    let impulses: Vec<Impulse> = (0..20_000).map(|dof| Impulse { dof, impulse: Vec3::new(0.0, 0.01, 0.0) }).collect();
    let (mut surface, mut log) = (ContactSurface::default(), CommitLog::default());
    // In rigid-body mode, woken by contact, held, free; inside a pool, as in the world's loop.
    let mut round = |body: &mut Clusters| {
        for (step, impulses) in
            [(&free, &impulses[..0]), (&free, &impulses[..]), (&loaded, &impulses[..]), (&free, &[])]
        {
            body.predict(step).unwrap();
            surface.points.clear();
            body.collision_geometry().points.add_points(&mut surface);
            body.receive(impulses, step);
            body.check().unwrap();
            body.commit(step, &mut log);
            body.account(&gravity);
            body.collision_geometry();
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        round(&mut body);
        round(&mut body);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..20 {
            round(&mut body);
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
    });
}
