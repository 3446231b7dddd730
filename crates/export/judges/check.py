#!/usr/bin/env python3
"""Judges exported files by programs that Craze did not write: trimesh, VTK (through pyvista) and the glTF validator.

    python3 crates/export/judges/check.py FOLDER

looks at every .obj, .ply, .stl, .glb and .pvd in FOLDER. It prints one PASS or FAIL line a check and ends with code 0 if
all passed, 1 if one failed, 2 if the judges could not be set up. They are installed from PyPI and npm on first use, into
`judges` under the cargo target folder.

What a file says about itself is checked against its geometry (closed, volume, pieces, times), and the same frame must have
the same closed volume in all formats. If FOLDER holds a `known.json` (see examples/judged.rs), its numbers are checked too.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

PYTHON_PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "networkx==3.6.1", "trimesh==5.2.0", "pyvista==0.49.1", "vtk==9.7.1"]
VALIDATOR = "gltf-validator@2.0.0-dev.3.10"
VALIDATE = """
const fs = require('fs'), validator = require('gltf-validator');
(async () => {
  const reports = {};
  for (const file of process.argv.slice(1)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 20 });
    reports[file] = report.issues;
  }
  console.log(JSON.stringify(reports));
})();
"""

# Relative error of a volume: what double precision leaves, and what single precision leaves of a piece that is not much
# smaller than its distance from the origin.
EXACT, SINGLE = 1e-9, 1e-4


def judges_folder():
    target = os.environ.get("CARGO_TARGET_DIR")
    return (Path(target) if target else Path(__file__).resolve().parents[3] / "target") / "judges"


def set_up():
    """Installs the judges if needed, and goes on in their own Python."""
    folder = judges_folder()
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "installed"
    wanted = hashlib.sha256(" ".join([*PYTHON_PACKAGES, VALIDATOR]).encode()).hexdigest()
    try:
        if not (mark.is_file() and mark.read_text() == wanted and python.is_file()):
            folder.mkdir(parents=True, exist_ok=True)
            print(f"setting up the judges in {folder}", flush=True)
            if not python.is_file():
                subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PYTHON_PACKAGES], check=True)
            npm = "npm.cmd" if os.name == "nt" else "npm"
            node = folder / "node"
            node.mkdir(exist_ok=True)
            command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", node, VALIDATOR]
            subprocess.run(command, check=True, cwd=node)
            mark.write_text(wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"FAIL judges cannot be set up (needs Python with venv, npm and their registries): {error}")
        sys.exit(2)
    if Path(sys.prefix).resolve() != (folder / "venv").resolve():
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)


class Judge:
    """Counts and prints verdicts."""

    def __init__(self, known):
        self.known = known
        self.passed = self.failed = 0
        # Closed volume by frame number and format, compared at the end.
        self.closed_volumes = {}

    def check(self, condition, what):
        print(("PASS " if condition else "FAIL ") + what)
        if condition:
            self.passed += 1
        else:
            self.failed += 1

    def add_closed(self, frame, format_name, volume):
        volumes = self.closed_volumes.setdefault(frame, {})
        volumes[format_name] = volumes.get(format_name, 0.0) + volume

    def known_volume(self, name, volume, tolerance, where):
        expected = self.known.get("volumes", {}).get(name)
        if expected is not None:
            self.check(abs(volume - expected) <= tolerance * expected, f"{where} {name}: volume {volume:.9g} m³, known {expected:.9g}")

    def surface(self, mesh, name, claims_closed, tolerance, where, format_name, frame):
        """A surface with shared vertices: whether it is what it claims to be; `claims_closed` may be None for no claim."""
        closed = edges_cancel(mesh.faces)
        if claims_closed is not None:
            words = {True: "closed", False: "open"}
            self.check(closed == claims_closed, f"{where} {name}: said to be {words[claims_closed]}, is {words[closed]}")
        if name in self.known.get("open", []):
            self.check(not closed, f"{where} {name}: open as known")
        if name in self.known.get("volumes", {}):
            self.check(mesh.is_watertight and mesh.is_winding_consistent, f"{where} {name}: watertight as known")
        if closed:
            self.check(mesh.volume > 0, f"{where} {name}: faces point outward")
            self.known_volume(name, mesh.volume, tolerance, where)
            self.add_closed(frame, format_name, mesh.volume)

    def points(self, name, count, where):
        expected = self.known.get("points", {}).get(name)
        if expected is not None:
            self.check(count == expected, f"{where} {name}: {count} points, known {expected}")


def edges_cancel(faces):
    """Whether every edge is passed as often in one direction as in the other.

    Stricter tests of closedness ask for two faces an edge, which the two sides of a crack that has not opened yet do not
    keep once vertices in one place are merged.
    """
    import numpy

    edges = numpy.asarray(faces)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    directions = numpy.where(edges[:, 0] < edges[:, 1], 1, -1)
    _, which = numpy.unique(numpy.sort(edges, axis=1), axis=0, return_inverse=True)
    return not numpy.bincount(which.reshape(-1), weights=directions).any()


def frame_number(path):
    # Shards are at rest and belong to no frame.
    return -1 if path.name == "shards.glb" else int(path.name.split(".")[-2])


def judge_glb(judge, path):
    import trimesh

    where, frame = path.name, frame_number(path)
    document = json.loads(path.read_bytes()[20:][: int.from_bytes(path.read_bytes()[12:16], "little")])
    nodes = {node["name"]: node for node in document.get("nodes", []) if "mesh" in node}
    loaded = trimesh.load(path, process=False)
    gathered = {}
    for graph_node in loaded.graph.nodes_geometry:
        transform, geometry = loaded.graph[graph_node]
        # A mesh of several primitives becomes a node of children.
        name = graph_node if graph_node in nodes else loaded.graph.transforms.parents[graph_node]
        part = loaded.geometry[geometry].copy()
        part.apply_transform(transform)
        gathered.setdefault(name, []).append(part)
    judge.check(set(gathered) == set(nodes), f"{where}: all {len(nodes)} named nodes are loaded")
    for name, parts in gathered.items():
        extras = nodes[name].get("extras", {})
        if any(isinstance(part, trimesh.PointCloud) for part in parts):
            judge.points(name, sum(len(part.vertices) for part in parts), where)
            continue
        mesh = trimesh.util.concatenate(parts)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        claim = extras.get("closed")
        if path.name == "shards.glb":
            # A closed shard is manifold too, so one that is not may still have no border.
            claim = claim or None
        judge.surface(mesh, name, claim, SINGLE, where, "glb", frame)
        if name in judge.known.get("masses", {}):
            judge.check(extras.get("mass") == judge.known["masses"][name], f"{where} {name}: mass {extras.get('mass')} kg")


def validate_glb(judge, paths):
    """Khronos' own validator over all files at once."""
    result = subprocess.run(
        ["node", "-e", VALIDATE, "--", *map(str, paths)],
        capture_output=True, text=True, cwd=judges_folder() / "node", check=False,
    )
    if result.returncode != 0:
        judge.check(False, f"glTF validator ran: {result.stderr.strip()}")
        return
    for file, issues in json.loads(result.stdout).items():
        first = next((f"; {m['code']}: {m['message']}" for m in issues["messages"] if m["severity"] == 0), "")
        judge.check(
            issues["numErrors"] == 0,
            f"{Path(file).name}: glTF validator finds {issues['numErrors']} errors, {issues['numWarnings']} warnings{first}",
        )


def judge_obj(judge, path):
    import trimesh

    where, frame = path.name, frame_number(path)
    loaded = trimesh.load(path, process=False, split_objects=True, group_material=False, maintain_order=True)
    meshes = loaded.geometry if isinstance(loaded, trimesh.Scene) else {"all": loaded}
    objects = [line[2:] for line in path.read_text().splitlines() if line.startswith("o ")]
    faces = path.read_text().count("\nf ")
    triangles = sum(len(mesh.faces) for mesh in meshes.values() if isinstance(mesh, trimesh.Trimesh))
    judge.check(triangles == faces, f"{where}: {triangles} triangles in {len(objects)} objects are loaded")
    library = path.with_name(path.read_text().split("mtllib ")[1].split("\n")[0])
    judge.check(library.is_file(), f"{where}: material library {library.name} is there")
    for name, mesh in meshes.items():
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces) > 0:
            judge.surface(mesh, name, None, EXACT, where, "obj", frame)


def judge_ply(judge, path):
    import numpy
    import trimesh

    where, frame = path.name, frame_number(path)
    mesh = trimesh.load(path, process=False)
    raw = mesh.metadata["_ply_raw"]
    vertices, faces = raw["vertex"], raw.get("face", {"length": 0})
    judge.check(len(mesh.vertices) == vertices["length"], f"{where}: {vertices['length']} vertices are loaded")
    if not isinstance(mesh, trimesh.Trimesh):
        return
    judge.check(len(mesh.faces) == faces["length"], f"{where}: {faces['length']} triangles are loaded")
    velocities = [axis for axis in "xyz" if f"velocity_{axis}" in vertices["data"].dtype.names]
    judge.check(len(velocities) in (0, 3), f"{where}: velocities have 3 or 0 coordinates, {len(velocities)} found")
    data = faces["data"]
    objects = numpy.asarray(data["object"]).reshape(-1)
    pieces = numpy.asarray(data["piece"]).reshape(-1) if "piece" in data.dtype.names else numpy.zeros_like(objects)
    for key in sorted(set(zip(objects.tolist(), pieces.tolist()))):
        part = mesh.submesh([numpy.flatnonzero((objects == key[0]) & (pieces == key[1]))], append=True, repair=False)
        if edges_cancel(part.faces):
            judge.check(part.volume > 0, f"{where} object {key[0]} piece {key[1]}: closed, volume {part.volume:.6g} m³")
            judge.add_closed(frame, "ply", part.volume)


def judge_stl(judge, path):
    import trimesh

    mesh = trimesh.load(path, process=False)
    count = int.from_bytes(path.read_bytes()[80:84], "little")
    faces = len(mesh.faces) if isinstance(mesh, trimesh.Trimesh) else 0
    judge.check(faces == count, f"{path.name}: {count} triangles are loaded")


def judge_pvd(judge, path):
    import pyvista

    reader = pyvista.get_reader(path)
    times = list(reader.time_values)
    judge.check(times == sorted(set(times)) and times != [], f"{path.name}: {len(times)} times ascend")
    if "times" in judge.known:
        judge.check(times == judge.known["times"], f"{path.name}: times are {times}, as known")
    for time in times:
        reader.set_active_time_value(time)
        files = [dataset.path for dataset in reader.active_datasets]
        volumes, places = {}, {}
        for file, mesh in zip(files, reader.read()):
            judge_dataset(judge, file, mesh, time, volumes)
            places[dataset_name(file)] = {point.tobytes() for point in mesh.points}
        for name, volume in volumes.items():
            # A surface of the volume's own nodes is its boundary; one of other vertices is a skin around it.
            if f"{name}.volume" in volumes and places[name] <= places[f"{name}.volume"]:
                inside = volumes[f"{name}.volume"]
                same = abs(inside - volume) <= EXACT * abs(volume)
                judge.check(same, f"{path.name} t={time:g} {name}: tetrahedra fill the surface, {inside:.9g} of {volume:.9g} m³")


def dataset_name(file):
    return ".".join(Path(file).name.split(".")[1:-2])


def judge_dataset(judge, file, mesh, time, volumes):
    import numpy
    import pyvista

    where = Path(file).name
    name = dataset_name(file)
    frame = frame_number(Path(file))
    fields = mesh.field_data
    judge.check(fields["TimeValue"][0] == time, f"{where}: holds time {time:g} s")
    wrong = [
        array for data, count in ((mesh.point_data, mesh.n_points), (mesh.cell_data, mesh.n_cells))
        for array in data.keys() if len(data[array]) != count
    ]
    names = [*mesh.point_data.keys(), *mesh.cell_data.keys()]
    judge.check(not wrong, f"{where}: fields {', '.join(names) or 'none'} have one value an element")
    if "velocity" in mesh.point_data:
        judge.check(mesh.point_data["velocity"].shape[1:] == (3,), f"{where}: velocities are vectors")
    if "piece" in mesh.cell_data and mesh.n_cells:
        pieces = len(fields["piece_volume"])
        judge.check(mesh.cell_data["piece"].max() < pieces, f"{where}: cells belong to its {pieces} pieces")
    if isinstance(mesh, pyvista.UnstructuredGrid):
        cells = mesh.compute_cell_sizes(length=False, area=False)["Volume"]
        inverted = int((cells <= 0).sum())
        judge.check(2 * inverted < mesh.n_cells, f"{where}: {mesh.n_cells} tetrahedra are positive, {inverted} of them inverted")
        volumes[name] = float(cells.sum())
        judge.known_volume(name, volumes[name], EXACT, where)
    elif mesh.n_verts == mesh.n_cells:
        judge.points(name, mesh.n_points, where)
    else:
        borders = mesh.extract_feature_edges(
            boundary_edges=True, non_manifold_edges=False, feature_edges=False, manifold_edges=False
        )
        closed = borders.n_cells == 0
        if name in judge.known.get("open", []):
            judge.check(not closed, f"{where}: open as known")
        if closed:
            # VTK's mass properties take the absolute value; the divergence theorem keeps the sign.
            corners = mesh.points[mesh.regular_faces].astype(float)
            corners -= corners[0, 0]
            cross = numpy.cross(corners[:, 1], corners[:, 2])
            volumes[name] = float(numpy.einsum("ij,ij->", corners[:, 0], cross) / 6)
            same = abs(mesh.volume - volumes[name]) <= SINGLE * volumes[name]
            judge.check(same, f"{where}: faces point outward, VTK measures {mesh.volume:.6g} m³")
            judge.known_volume(name, volumes[name], EXACT, where)
            judge.add_closed(frame, "vtk", volumes[name])


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(f"usage: {sys.argv[0]} FOLDER of exports")
        return 2
    set_up()
    folder = Path(sys.argv[1]).resolve()
    known_file = folder / "known.json"
    judge = Judge(json.loads(known_file.read_text()) if known_file.is_file() else {})
    judges = {".glb": judge_glb, ".obj": judge_obj, ".ply": judge_ply, ".stl": judge_stl, ".pvd": judge_pvd}
    paths = sorted(path for path in folder.iterdir() if path.suffix in judges)
    judge.check(paths != [], f"{folder.name}: holds {len(paths)} exports")
    for path in paths:
        try:
            judges[path.suffix](judge, path)
        except Exception as error:  # a judge that cannot open a file has failed it
            judge.check(False, f"{path.name}: {type(error).__name__}: {error}")
    glb = [path for path in paths if path.suffix == ".glb"]
    if glb:
        validate_glb(judge, glb)
    for frame, volumes in sorted(judge.closed_volumes.items()):
        low, high = min(volumes.values()), max(volumes.values())
        told = ", ".join(f"{name} {volume:.6g}" for name, volume in sorted(volumes.items()))
        judge.check(high - low <= SINGLE * high, f"frame {frame}: closed volume in m³ agrees: {told}")
    print(f"{judge.passed} passed, {judge.failed} failed")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
