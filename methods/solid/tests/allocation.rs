//! A step allocates nothing once warm.

use craze_contact::{ContactSurface, Impulse};
use craze_engine::{Attachable, CommitLog, Effect, HoldId, Load, Method, Region, Step};
use craze_material::{Damping, Elasticity, Material};
use craze_math::{Isometry, Vec3};
use craze_mesh::kuhn_box;
use craze_solid::{Integrator, Solid, SolidOptions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator. There is no other way to see allocations.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of_warm_steps(integrator: Integrator) -> usize {
    let mut material = Material::elastic("soft", 1000.0, Elasticity::from_lame(3e4, 2e4));
    material.damping = Damping { phi: 3.0, psi: 2.0, mass: 1.0, ..Damping::default() };
    let options = SolidOptions { integrator, rest_strain: 0.0, ..SolidOptions::default() };
    let mesh = kuhn_box([10, 10, 10], Vec3::repeat(1.0)).expect("a box");
    let still = Vec3::zeros();
    let mut body = Solid::new(mesh, vec![material], options, Isometry::identity(), still, still).expect("a solid");
    let low = Region::HalfSpace { point: Vec3::zeros(), normal: -Vec3::y() };
    let high = Region::HalfSpace { point: Vec3::repeat(1.0), normal: Vec3::y() };
    body.attach(HoldId(0), &low).expect("nodes");
    body.attach(HoldId(1), &high).expect("nodes");
    let loads = [
        Load { hold: HoldId(0), effect: Effect::Place(Isometry::identity()) },
        Load { hold: HoldId(1), effect: Effect::Traction(Vec3::y()) },
    ];
    let time_step = 0.5 * body.time_step_limit();
    let step = Step { time: 0.0, time_step, gravity: Vec3::new(0.0, -9.81, 0.0), loads: &loads, contacts: &[] };
    let impulses = [Impulse { dof: 500, impulse: Vec3::new(1e-3, 0.0, 0.0) }];
    let mut surface = ContactSurface::default();
    let mut log = CommitLog::default();
    let mut one = |body: &mut Solid| {
        body.predict(&step).expect("a good step");
        surface.points.clear();
        body.collision_geometry();
        body.collision_geometry().points.add_points(&mut surface);
        body.receive(&impulses, &step);
        body.check().expect("a good step");
        body.commit(&step, &mut log);
    };
    (0..5).for_each(|_| one(&mut body));
    let before = COUNT.load(Ordering::SeqCst);
    (0..200).for_each(|_| one(&mut body));
    COUNT.load(Ordering::SeqCst) - before
}

#[test]
fn a_warm_step_allocates_nothing() {
    // Within a pool, as the program runs: handing work in from outside costs the pool a small queue
    // now and then.
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for integrator in [Integrator::Symplectic, Integrator::Euler, Integrator::Taylor] {
            let count = pool.install(|| allocations_of_warm_steps(integrator));
            assert_eq!(count, 0, "{integrator:?} on {threads} threads");
        }
    }
}
