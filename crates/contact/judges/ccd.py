#!/usr/bin/env python3
"""Judges continuous collision detection by an implementation that Craze did not write: the IPC Toolkit (ipctk on PyPI).

    python3 crates/contact/judges/ccd.py [COUNT]

asks COUNT seeded queries (200 000 unless told; 10 000 000 for the thorough run) of every kind that the example `ccd` knows, and ends
with code 0 if no collision was missed, no report was late and false alarms outside the tolerance are below 1 %; 1 if not; 2 if the
judge could not be set up. It is installed from PyPI on first use, into `judges` under the cargo target folder.

Queries that we answer with no go to the toolkit's additive advancement, as does a tenth of the others, and one in five hundred to its
tight inclusion as well. Both may report what is no collision (they stop at a share of the first distance, or after so
many steps), never the reverse. So:
  - where they report one and we do not, a third way decides: a collision needs the four vertices in one plane, which is a cubic
    equation of time, solved in whole numbers; with a separation, distances at ever more moments whose speed is bounded. What even
    that leaves open (a gap too small for the number of moments) is counted;
  - where we report, the distance at our time must be within the tolerance of the separation, or it is a false alarm, and no
    collision may come before it, or we are late. Distances in doubt are computed exactly.
"""

import collections
import hashlib
import multiprocessing
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

PYTHON_PACKAGES = ["numpy==2.4.6", "ipctk==1.6.1"]
ROOT = Path(__file__).resolve().parents[3]
CHUNK = 20_000
FIELDS = 29
TOLERANCE = 1e-6  # of the largest difference, as in craze_contact::narrow::ccd
TIGHT_EVERY = 500
ASKED_EVERY = 10  # of those that we report
MOMENTS = 20_000


def set_up():
    """Installs the judge if needed, and goes on in its own Python."""
    target = os.environ.get("CARGO_TARGET_DIR")
    folder = (Path(target) if target else ROOT / "target") / "judges"
    python = folder / "ccd" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / "ccd-installed"
    wanted = hashlib.sha256(" ".join(PYTHON_PACKAGES).encode()).hexdigest()
    try:
        if not (mark.is_file() and mark.read_text() == wanted and python.is_file()):
            folder.mkdir(parents=True, exist_ok=True)
            print(f"setting up the judge in {folder}", flush=True)
            if not python.is_file():
                subprocess.run([sys.executable, "-m", "venv", folder / "ccd"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PYTHON_PACKAGES], check=True)
            mark.write_text(wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"FAIL the judge cannot be set up (needs Python with venv and its registry): {error}")
        sys.exit(2)
    if Path(sys.prefix).resolve() != (folder / "ccd").resolve():
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)


def ours(*arguments):
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "run", "--quiet", "--package", "craze-contact", "--example", "ccd", "--", *map(str, arguments)]
    return subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE).stdout


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def divided(a, b):
    return Fraction(a, b) if isinstance(a, int) else a / b


def segment_squared(a, b):
    """Squared distance of the origin from a segment; exact for whole numbers."""
    along = minus(b, a)
    square, towards = dot(along, along), -dot(a, along)
    if towards <= 0:
        return dot(a, a)
    if towards >= square:
        return dot(b, b)
    return divided(dot(a, a) * square - towards * towards, square)


def polygon_squared(corners):
    """Squared distance of the origin from a triangle or parallelogram; exact for whole numbers."""
    normal = cross(minus(corners[1], corners[0]), minus(corners[-1], corners[0]))
    sides = list(zip(corners, corners[1:] + corners[:1]))
    if any(normal) and all(dot(cross(a, minus(b, a)), normal) >= 0 for a, b in sides):
        return divided(dot(normal, corners[0]) ** 2, dot(normal, normal))
    return min(segment_squared(a, b) for a, b in sides)


PAIRS = {False: [(0, 1), (0, 2), (0, 3)], True: [(0, 2), (1, 2), (1, 3), (0, 3)]}


class Queries:
    """Many queries at once; for the toolkit moved to the origin and scaled to one, where its fixed tolerances make sense."""

    def __init__(self, records):
        import numpy

        self.records = records
        places = records[:, 3:27].reshape(-1, 8, 3)
        self.scales, self.largest = numpy.ones((2, len(records)))
        self.never = numpy.zeros(len(records), dtype=bool)
        for edges, pairs in PAIRS.items():
            chosen = (records[:, 0] == 1) == edges
            i, j = numpy.transpose(pairs)
            start, end = (places[chosen][:, i + s] - places[chosen][:, j + s] for s in (0, 4))
            scales = numpy.maximum(abs(start).max(axis=(1, 2)), abs(end).max(axis=(1, 2)))
            scales[scales == 0.0] = 1.0
            self.largest[chosen] = scales
            scales = numpy.exp2(numpy.ceil(numpy.log2(scales)))
            self.scales[chosen] = scales
            separations = records[chosen, 2] / scales
            self.never[chosen] = never_in_one_plane(start / scales[:, None, None], end / scales[:, None, None], separations)
        self.places = (places - places[:, :1]) / self.scales[:, None, None]
        self.separations = records[:, 2] / self.scales
        self.tolerances = TOLERANCE * (1.0 + 1e-6) * self.largest / self.scales

    def gaps(self, times):
        """Distance less separation at these times, in ordinary numbers."""
        import numpy

        places = self.places[:, :4] * (1.0 - times)[:, None, None] + self.places[:, 4:] * times[:, None, None]
        gaps = numpy.empty(len(times))
        for edges, pairs in PAIRS.items():
            chosen = (self.records[:, 0] == 1) == edges
            i, j = numpy.transpose(pairs)
            gaps[chosen] = polygon_distances(places[chosen][:, i] - places[chosen][:, j])
        return gaps - self.separations


def polygon_distances(corners):
    """Distances of the origin from triangles or parallelograms, in ordinary numbers."""
    import numpy

    def dots(a, b):
        return (a * b).sum(axis=-1)

    normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, -1] - corners[:, 0])
    lengths = numpy.linalg.norm(normals, axis=1)
    nonzero = numpy.where(lengths > 0.0, lengths, 1.0)
    heights = abs(dots(normals, corners[:, 0])) / nonzero
    within, least = lengths > 0.0, numpy.full(len(corners), numpy.inf)
    for k in range(corners.shape[1]):
        a, b = corners[:, k - 1], corners[:, k]
        along = b - a
        within &= dots(numpy.cross(a, along), normals) >= 0.0
        squares = dots(along, along)
        shares = numpy.clip(-dots(a, along) / numpy.where(squares > 0.0, squares, 1.0), 0.0, 1.0)
        least = numpy.minimum(least, numpy.linalg.norm(a + along * shares[:, None], axis=1))
    return numpy.where(within, numpy.minimum(heights, least), least)


def never_in_one_plane(start, end, separations):
    """Whether the polygon's plane stays away from the origin for certain: a cubic polynomial of time with no coefficient (in
    Bernstein's form) on the other side."""
    import numpy

    (a, b, c), (d, e, f) = [(k[:, 0], k[:, 1] - k[:, 0], k[:, -1] - k[:, 0]) for k in (start, end)]
    normals = [numpy.cross(b, c), (numpy.cross(b, f) + numpy.cross(e, c)) / 2, numpy.cross(e, f)]
    heights = numpy.stack(
        [
            (normals[0] * a).sum(axis=1),
            ((normals[0] * d).sum(axis=1) + 2 * (normals[1] * a).sum(axis=1)) / 3,
            ((normals[2] * a).sum(axis=1) + 2 * (normals[1] * d).sum(axis=1)) / 3,
            (normals[2] * d).sum(axis=1),
        ]
    )
    longest = numpy.max([numpy.linalg.norm(normal, axis=1) for normal in normals], axis=0)
    limit = separations * longest + 1e-13
    return (heights.min(axis=0) > limit) | (heights.max(axis=0) < -limit)


class Query:
    """One of them, looked at closely."""

    def __init__(self, queries, index):
        self.record, self.places = queries.records[index], queries.places[index]
        self.pairs = PAIRS[bool(self.record[0] == 1)]
        self.scale, self.never_in_one_plane = queries.scales[index], queries.never[index]
        self.separation = queries.separations[index]

    def speed(self):
        motion = self.places[4:] - self.places[:4]
        return max(float(sum((motion[i] - motion[j]) ** 2) ** 0.5) for i, j in self.pairs)

    def whole(self):
        """Corners of the polygon of all differences at the start and at the end as whole numbers, and how many of them are one of our
        scale: all coordinates are whole multiples of some power of two."""
        ratios = [x.as_integer_ratio() for x in self.record[3:27].tolist()]
        unit = max(denominator for _, denominator in ratios)
        numbers = [numerator * (unit // denominator) for numerator, denominator in ratios]
        places = [numbers[3 * i : 3 * i + 3] for i in range(8)]
        corners = [[minus(places[i + s], places[j + s]) for i, j in self.pairs] for s in (0, 4)]
        return corners, unit * Fraction(self.scale)

    def plain_gap(self, time):
        """In ordinary numbers, with the same care as the exact one."""
        now = (self.places[:4] * (1.0 - time) + self.places[4:] * time).tolist()
        return max(polygon_squared([minus(now[i], now[j]) for i, j in self.pairs]), 0.0) ** 0.5 - self.separation

    def exact_gap(self, time, whole=None):
        (start, end), unit = whole or self.whole()
        numerator, denominator = Fraction(time).as_integer_ratio()
        now = [[x * denominator + numerator * (y - x) for x, y in zip(a, b)] for a, b in zip(start, end)]
        return float(polygon_squared(now) / (unit * denominator) ** 2) ** 0.5 - self.separation

    def collides(self):
        """The third way: True, False, or None where it cannot tell."""
        if self.never_in_one_plane:
            return False
        return self.collides_within() if self.separation > 0.0 else self.collides_in_plane()

    def collides_in_plane(self):
        corners, _ = whole = self.whole()
        (a, b, c), (d, e, f) = [[k[0], minus(k[1], k[0]), minus(k[-1], k[0])] for k in corners]
        coefficients = [
            3 * dot(cross(b, c), a),
            dot(cross(b, c), d) + dot(cross(e, c), a) + dot(cross(b, f), a),
            dot(cross(e, f), a) + dot(cross(b, f), d) + dot(cross(e, c), d),
            3 * dot(cross(e, f), d),
        ]
        if not any(coefficients):
            return self.collides_within()
        # Halve wherever the coefficients do not all have one sign, down to stretches over which the two stay apart.
        stretches, speed = [(0, 0, coefficients)], self.speed()
        for _ in range(1_000):
            if not stretches:
                return False
            place, level, (p, q, r, s) = stretches.pop()
            if min(p, q, r, s) > 0 or max(p, q, r, s) < 0:
                continue
            if level >= 20:
                reach = speed * 0.5**level
                if self.plain_gap((place + 0.5) * 0.5**level) > reach + 1e-6:
                    continue
                if self.exact_gap(Fraction(2 * place + 1, 2 ** (level + 1)), whole) > reach:
                    continue
                if reach < 1e-30:
                    return True
            middle = p + 3 * q + 3 * r + s
            stretches += [
                (2 * place + 1, level + 1, [middle, 2 * (q + 2 * r + s), 4 * (r + s), 8 * s]),
                (2 * place, level + 1, [8 * p, 4 * (p + q), 2 * (p + 2 * q + r), middle]),
            ]
        return None

    def collides_within(self):
        import numpy

        i, j = numpy.transpose(self.pairs)
        start, end = (self.places[i + s] - self.places[j + s] for s in (0, 4))
        speed, asked, width, lows = self.speed(), 0, 1.0, numpy.zeros(1)
        while len(lows):
            asked += len(lows)
            if asked > MOMENTS or width < 1e-15:
                return None
            times = (lows + width / 2)[:, None, None]
            gaps = polygon_distances(start * (1.0 - times) + end * times) - self.separation
            if gaps.min() < 0.0 and self.exact_gap(lows[gaps.argmin()] + width / 2) < 0.0:
                return True
            near = lows[gaps <= speed * width / 2 + 1e-14]
            width /= 2
            lows = numpy.concatenate([near, near + width])
        return False


def judge(chunk):
    """What is seen, by word and kind, and the queries that went wrong."""
    import ipctk
    import numpy

    first, count = chunk
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    additive = ipctk.AdditiveCCD(max_iterations=300, conservative_rescaling=0.99)
    tight = ipctk.TightInclusionCCD(tolerance=1e-5, max_iterations=10_000, conservative_rescaling=0.99)
    records = numpy.frombuffer(ours("write", first, count), dtype="<f8").reshape(-1, FIELDS)
    queries = Queries(records)
    edges, kinds, times = records[:, 0] == 1, records[:, 1].astype(int), records[:, 27]

    def asked(judge, index):
        ask = judge.edge_edge_ccd if edges[index] else judge.point_triangle_ccd
        return ask(*queries.places[index], min_distance=queries.separations[index])[0]

    reported = times >= 0.0
    groups = (first + numpy.arange(count)) // 28
    theirs = reported.copy()
    for index in (~reported | (groups % ASKED_EVERY == 0)).nonzero()[0]:
        theirs[index] = asked(additive, index)
    # Tight inclusion repeats itself without limit where contact is reached in less than a millionth of the step.
    chosen = (groups % TIGHT_EVERY == 0) & (queries.gaps(numpy.zeros(count)) > 1e-3)
    for index in chosen.nonzero()[0]:
        theirs[index] &= asked(tight, index)

    words, problems = numpy.full(count, "agreed", dtype=object), []
    words[reported & ~theirs] = "blurred"
    for index in (reported & (queries.gaps(times) > queries.tolerances)).nonzero()[0]:
        gap = Query(queries, index).exact_gap(times[index])
        if gap > queries.tolerances[index]:
            words[index] = "false alarm"
            problems.append((first + index, f"false alarm: {gap:.3g} of its size away"))
    # Up to our time, planes that stay away prove that we are not late; where they do not, moments are looked at.
    before = records.copy()
    before[:, 15:27] = records[:, 3:15] * (1.0 - times)[:, None] + records[:, 15:27] * times[:, None]
    doubtful = (times > 0.0) & ~Queries(before).never
    for share in numpy.linspace(0.0, 1.0, 9):
        moments = numpy.maximum(times, 0.0) * share
        for index in (doubtful & (queries.gaps(moments) < 1e-12)).nonzero()[0]:
            if words[index] != "late" and Query(queries, index).exact_gap(moments[index]) <= 0.0:
                words[index] = "late"
                problems.append((first + index, "reported late"))
    for index in (~reported & theirs).nonzero()[0]:
        collides = Query(queries, index).collides()
        words[index] = {True: "missed", False: "agreed", None: "open"}[collides]
        if collides:
            problems.append((first + index, "missed"))
    seen = collections.Counter(zip(words, kinds.tolist()))
    seen += collections.Counter(("reported", kind) for kind in kinds[reported].tolist())
    seen += collections.Counter(("tight", kind) for kind in kinds[chosen].tolist())
    return count, seen, problems


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    kinds = ours("kinds").decode().split("\n")[:-1]
    chunks = [(first, min(CHUNK, count - first)) for first in range(0, count, CHUNK)]
    seen, problems, done = collections.Counter(), [], 0
    with multiprocessing.Pool() as pool:
        for size, part, found in pool.imap(judge, chunks):
            done += size
            seen += part
            problems += found
            print(f"\r{done} of {count}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    words = ["reported", "agreed", "blurred", "false alarm", "late", "missed", "open", "tight"]
    print(f"{'kind':>17} " + " ".join(f"{word:>11}" for word in words))
    for index, name in enumerate(kinds):
        print(f"{name:>17} " + " ".join(f"{seen[word, index]:>11}" for word in words))
    total = {word: sum(seen[word, index] for index in range(len(kinds))) for word in words}
    print(f"{'all':>17} " + " ".join(f"{total[word]:>11}" for word in words))
    for number, what in problems[:20]:
        print(f"query {number}: {what}")
    passed = True
    for condition, what in [
        (total["missed"] == 0, f"{total['missed']} collisions missed of {count} queries"),
        (total["late"] == 0, f"{total['late']} reports late"),
        (total["false alarm"] < 0.01 * count, f"{total['false alarm']} false alarms outside of the tolerance, less than 1 %"),
        (total["open"] < 0.01 * count, f"{total['open']} left open, less than 1 %"),
    ]:
        print(("PASS " if condition else "FAIL ") + what)
        passed = passed and condition
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    set_up()
    main()
