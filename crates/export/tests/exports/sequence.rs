use std::path::Path;

use craze_export::{ExportError, Format, Report, export_sequence};
use craze_frame::{Frame, ObstacleShape};

use crate::sample;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn export(frames: Vec<Frame>, format: Format, folder: &Path) -> Result<Report, ExportError> {
    export_sequence(frames.into_iter().map(Ok), &[], format, folder, "scene")
}

#[test]
fn a_sequence_has_a_numbered_file_a_frame_in_a_new_folder() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new").join("deeper");
    let frames = [9, 10, 12345].map(sample::frame).to_vec();
    let report = export(frames, Format::Ply, &folder).unwrap();
    assert_eq!(names(&folder), ["scene.0009.ply", "scene.0010.ply", "scene.12345.ply"]);
    assert_eq!(report.frames, 3);
    assert!(report.left_out.iter().any(|phrase| phrase.contains("obstacle 'floor'")), "{report:?}");
}

#[test]
fn the_same_frames_give_the_same_bytes() {
    for format in Format::ALL {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        for folder in &folders {
            export(vec![sample::frame(1)], format, folder.path()).unwrap();
        }
        for name in names(folders[0].path()) {
            let [one, other] = folders.each_ref().map(|folder| std::fs::read(folder.path().join(&name)).unwrap());
            assert!(one == other, "{name}");
        }
    }
}

#[test]
fn a_position_that_is_not_finite_is_named_and_nothing_is_written() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut frame = sample::frame(6);
        frame.bodies[0].surface.positions[11].y = f64::NAN;
        let message = export(vec![frame], format, folder.path()).unwrap_err().to_string();
        assert!(message.contains("frame 6: vertex 11 of body 'block'"), "{message}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn positions_of_particles_nodes_and_obstacles_are_checked_too() {
    let refusal = |change: fn(&mut Frame)| {
        let folder = tempfile::tempdir().unwrap();
        let mut frame = sample::frame(1);
        change(&mut frame);
        export(vec![frame], Format::Vtk, folder.path()).unwrap_err().to_string()
    };
    let message = refusal(|frame| frame.bodies[1].particles.as_mut().unwrap().positions[2].x = f64::INFINITY);
    assert!(message.contains("particle 2 of body 'cloud of dust'"), "{message}");
    let message = refusal(|frame| frame.bodies[0].volume.as_mut().unwrap().positions[3].z = f64::NAN);
    assert!(message.contains("node 3 of body 'block'"), "{message}");
    let message = refusal(|frame| {
        let ObstacleShape::Surface(surface) = &mut frame.obstacles[1].shape else { panic!("a surface") };
        surface.positions[5].z = f64::NAN;
    });
    assert!(message.contains("vertex 5 of obstacle 'ball'"), "{message}");
}

#[test]
fn a_position_beyond_single_precision_is_named_where_it_matters() {
    let mut frame = sample::frame(1);
    frame.bodies[2].surface.positions[0].x = 1e300;
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let result = export(vec![frame.clone()], format, folder.path());
        match format {
            Format::Stl | Format::Glb => {
                assert!(matches!(result, Err(ExportError::OutOfRange { index: 0, .. })), "{result:?}");
            }
            _ => assert!(result.is_ok(), "{result:?}"),
        }
    }
}

#[test]
fn an_inconsistent_frame_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut frame = sample::frame(1);
    frame.bodies[0].surface.triangles[0][0] = 1000;
    let error = export(vec![frame], Format::Obj, folder.path()).unwrap_err();
    assert!(matches!(error, ExportError::Invalid { frame: 1, .. }), "{error}");
}

#[test]
fn a_frame_given_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = export(vec![sample::frame(1), sample::frame(1)], Format::Stl, folder.path()).unwrap_err();
    assert!(matches!(error, ExportError::FrameTwice { number: 1 }), "{error}");
}

#[test]
fn no_frames_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(export(Vec::new(), Format::Obj, folder.path()), Err(ExportError::NoFrames)));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taken");
    std::fs::write(&path, b"x").unwrap();
    let error = export(vec![sample::frame(1)], Format::Obj, &path).unwrap_err();
    assert!(matches!(error, ExportError::Folder { .. }) && error.to_string().contains("taken"), "{error}");
}

#[test]
fn empty_frames_can_be_exported() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        export(vec![Frame::default()], format, folder.path()).unwrap();
    }
}
