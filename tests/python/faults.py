"""What tests/faults plants: for each fault a problem on which it shows, and what the program must say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

BOTH = ("fp32", "fp64")


@dataclass(frozen=True)
class Problem:
    points: np.ndarray
    start: np.ndarray
    flags: dict[str, object] = field(default_factory=dict)

    def save(self, folder: Path, name: str) -> list[str]:
        """Flags of `kmbench run` for this problem; its files lie in the folder."""
        points, start = folder / f"{name}.npy", folder / f"{name}.start.npy"
        np.save(points, self.points)
        np.save(start, self.start)
        flags = {"data": points, "init": start, "k": len(self.start), "iterations": 10, "repetitions": 3, **self.flags}
        return [text for flag, value in flags.items() for text in (f"--{flag}", str(value))]


def groups(n: int, d: int, spread: float, seed: int = 2) -> np.ndarray:
    """Seven groups; a hundred of the points are equal."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(7, d)) * spread
    points = centers[random.integers(0, 7, n)] + random.normal(size=(n, d))
    points[100:200] = points[100]
    return points


def with_empty_cluster(start: np.ndarray) -> np.ndarray:
    start = start.copy()
    start[len(start) // 2] = 1000
    return start


def problems() -> dict[str, Problem]:
    blobs = groups(2134, 5, 0.7, 5)  # overlapping, k = d, one cluster empty; labels still change after ten iterations
    many = np.concatenate([groups(30_003, 2, 1), np.random.default_rng(3).normal(9, 1, (70_000, 2))])
    uniform = np.random.default_rng(2).uniform(size=(1500, 2))
    wide = groups(300, 300, 0.3)
    settled = groups(1500, 3, 20)
    huge = 1e200 * groups(500, 2, 0.7)
    apart = np.random.default_rng(7).normal(size=(2134, 5))
    apart[:1067] += 3000
    grid = np.random.default_rng(1).integers(0, 3, (600, 2)).astype(float)
    return {
        "blobs": Problem(blobs, with_empty_cluster(blobs[:5])),
        "tolerance 0": Problem(blobs, blobs[:5], {"iterations": 200, "tolerance": 0}),
        "tolerance 0.01": Problem(blobs, blobs[:5], {"iterations": 200, "tolerance": 0.01}),
        "ties": Problem(grid, np.array([[0.0, 0], [2, 0], [0, 0], [2, 2]]), {"iterations": 1}),
        "far": Problem(1e4 + blobs, 1e4 + with_empty_cluster(blobs[:5])),
        "far groups": Problem(apart, apart[[0, 1, 2, -3, -2, -1]]),
        "many points": Problem(many, many[[0, 1, 2, -1]], {"iterations": 7, "repetitions": 5}),
        "many clusters": Problem(uniform, uniform[:300], {"iterations": 4}),
        "wide": Problem(wide, wide[:4], {"iterations": 4}),
        "settled": Problem(settled, settled[:3], {"iterations": 30}),
        "huge": Problem(huge, huge[:4], {"iterations": 3}),
        "1 s": Problem(blobs, blobs[:5], {"timeout": 1}),
        "1 GiB": Problem(blobs, blobs[:5], {"memory": 1}),
    }


@dataclass(frozen=True)
class Fault:
    name: str
    run: str  # a regular expression for the sentence of `kmbench run`; "" where it says that all is right
    on: str = "blobs"  # the problem
    check: str | None = "d = 2"  # an awkward shape on which `kmbench check` has to see it; None: it need not
    precisions: tuple[str, ...] = ("fp64",)
    argued: str = ""  # why it may pass


START = r"did not start from the initial centroids"
LINK = r"iteration \d+ does not go on where a run of \d+ iterations ends|^it began \d+ iterations and reported \d+"
EARLY, LATE = (
    r"^it stopped after (\d+ iterations although|1 iteration, in which)",
    r"^it went on for \d+ iterations although",
)
LABEL = r"has label \d+ \(distance² \S+\) but centroid \d+ is nearer"
TIE = r"is at the same distance² \(\S+\) and has the lower index"
MEAN = r"but the mean of its \d+ points is"
EMPTY = r"centroid \d+ has no points and moved"
AGAIN = f"{START}|{LINK}"
DOWNLOAD = r"^download took"
WRITES = r"^it wrote to the (points|initial centroids), which are not its own$"
END = r"^no end after 1 s"


def code(number: int) -> str:
    return rf"^the worker process ended with exit code {number} "


def signal(number: int) -> str:
    return rf"^the worker process died of signal {number} "


F = Fault
CATALOGUE: dict[str, list[Fault]] = {
    "Lies that agree with themselves": [
        F("one_iteration_told_as_all", LINK, precisions=BOTH),
        F("one_iteration_more", AGAIN),
        F("one_iteration_fewer", LINK),
        F("wrong_iterations", r"9 iterations where exactly 10 were asked for"),
        F("told_one_more", r"11 iterations where exactly 10 were asked for"),
        F("zero_iterations", r"^0 iterations where exactly 10"),
        F("iterations_disagree", r"iterations where exactly 10"),
        F("skips_iteration_three", LINK),
        F("skips_iteration_seven", LINK),
        F("honest_when_replayed", LINK),
        F("other_start", AGAIN),
        F("start_rotated", START),
        F("own_plus_plus", AGAIN),
        F("best_of_several_starts", AGAIN),
        F("stale", AGAIN),
        F("stale_across_instances", START),
        F("false_convergence", EARLY, "tolerance 0", None),
        F("stops_when_still", EARLY, "tolerance 0", "converges, tolerance 0.01"),
        F("stops_after_one", EARLY, "tolerance 0", "converges, tolerance 0.01"),
        F("ignores_tolerance", LATE, "tolerance 0.01", "converges, tolerance 0.01"),
        F("stops_one_late", LATE, "tolerance 0.01", "converges, tolerance 0.01"),
        F("stops_at_fixed_point", r"iterations", "settled", None),
        F("mini_batch", LINK, precisions=BOTH),
        F("sampled_update", LINK),
        F("random_mini_batch", LINK),
        F("mini_batch_when_large", f"after \\d iterations: .*{MEAN}", "many points", None),
        F("hartigan", LINK),
        F("online_update", LINK),
        F("damped_update", LINK),
        F("over_relaxed_update", LINK),
        F("one_iteration_behind", LINK),
        F("labels_of_final_centroids", LABEL),
        F("last_assign_without_update", MEAN),
        F("departs_and_lies", LINK),
    ],
    "Labels": [
        F("wrong_label", LABEL),
        F("all_labels_zero", LABEL),
        F("half_distances", LABEL, precisions=BOTH),
        F("tf32_inputs", LABEL, precisions=BOTH),
        F("bf16_inputs", LABEL, precisions=BOTH),
        F("points_in_8_bits", LABEL, precisions=BOTH),
        F("expansion_far", "coarse", "far", None, ("fp32",)),
        F("expansion_undeclared", LABEL, "far", "far from the origin", BOTH),
        F("claims_expansion", LABEL),
        F("float_inside", MEAN),
        F("float_distances", LABEL),
        F("overflowing_distances", r"^values reach \S+: distances² overflow", "huge", None),
        F("manhattan", LABEL, precisions=BOTH),
        F("dot_product", LABEL),
        F("weighted_dimensions", LABEL),
        F("last_dimension_left_out", LABEL),
        F("dimension_in_8_bits", LABEL, "wide", "d = 300"),
        F("half_of_the_centroids", LABEL),
        F("first_centroid_left_out", LABEL),
        F("last_centroid_left_out", LABEL),
        F("last_cluster_merged", LABEL),
        F("label_in_8_bits", LABEL, "many clusters", "k = 1000"),
        F("labels_from_one", r"has label 5: labels are 0 to 4"),
        F("label_out_of_range", r"has label 5: labels are 0 to 4"),
        F("huge_label", r"has label 2147483647: labels are 0 to 4"),
        F("last_point_unlabelled", r"point 2133 has label -1"),
        F("last_point_like_the_one_before", LABEL),
        F("partial_block_skipped", LABEL),
        F("point_in_16_bits", LABEL, "many points", None),
        F("second_nearest_now_and_then", LABEL, "many points", None),
        F("highest_index_wins", TIE, "ties", "ties", BOTH),
        F("ties_at_random", TIE, "ties", "ties", BOTH),
        F("near_ties_are_ties", LABEL, precisions=BOTH),
        F("sticky_labels", LABEL, precisions=BOTH),
        F("stays_near", LABEL),
        F("wrong_bound", LABEL),
        F("margin_of_a_hundredth", LABEL, "far groups", precisions=BOTH),
        F("drift_not_added", LABEL, precisions=BOTH),
        F("cut_too_early", LABEL, precisions=BOTH),
        F("compares_with_nan", LABEL),
        F("labels_of_iteration_before", LABEL),
        F("labels_in_sorted_order", LABEL),
    ],
    "Means": [
        F("wrong_mean", MEAN),
        F("scaled_means", MEAN, "many points", precisions=BOTH),
        F("scaled_by_a_millionth", MEAN, "many points"),
        F("count_less_one", MEAN, "many points"),
        F("count_plus_one", MEAN, "many points", precisions=BOTH),
        F("dropped_remainder", MEAN, "many points", precisions=BOTH),
        F("lost_additions", MEAN, "many points"),
        F("half_sums", MEAN, "many points", precisions=BOTH),
        F("float_sums", MEAN, "many points"),
        F("claims_short_sums", MEAN, "many points", None, BOTH),
        F("claims_long_sums", MEAN, "many points"),
        F("zero_means", MEAN, "many points", precisions=BOTH),
        F("fixed_point_sums", MEAN),
        F("mean_of_means", MEAN),
        F("median", MEAN),
        F("only_joiners", MEAN),
        F("duplicates_once", MEAN),
        F("stale_dimension", MEAN),
        F("swapped_centroids", MEAN),
        F("swaps_every_iteration", MEAN),
        F("transposed", MEAN),
        F("centroids_before_update", MEAN),
        F("assigned_are_final", LABEL),
        F("count_in_16_bits", MEAN, "many points", None),
        F("empty_cluster_moved", EMPTY, check="empty clusters"),
        F("empty_cluster_to_zero", EMPTY, check="empty clusters"),
        F("empty_cluster_to_a_point", EMPTY, check="empty clusters"),
        F("empty_cluster_to_the_middle", EMPTY, check="empty clusters"),
        F("empty_cluster_nan", r"centroid 2, dimension 0 is -?nan$", check="empty clusters"),
    ],
    "Outputs": [
        F("nan_centroid", r"centroid 4, dimension 4 is nan$"),
        F("infinite_centroid", r"centroid 4, dimension 4 is inf$"),
        F("unwritten_labels", r"point 0 has label -2"),
        F("unwritten_outputs", r"centroid 0, dimension 0 is nan$"),
        F("too_few_labels", r"^2133 labels for 2134 points$"),
        F("too_many_labels", r"^2144 labels for 2134 points$"),
        F("too_few_centroids", r"^20 centroid values for k d = 25$"),
        F("no_assigned_centroids", r"^0 centroid values for k d = 25$"),
        F("centroids_in_another_order", MEAN),
        F("clusters_renumbered", START),
        F("centroids_in_fp32", MEAN),
    ],
    "Work done elsewhere, answers kept": [
        F("work_in_download", DOWNLOAD, "many points", None),
        F("work_in_background", DOWNLOAD, "many points", None),
        F("work_in_reset", r"reset", "many points", None),
        F("unfinished_on_return", r"is nan$"),
        F("remembers_its_answer", AGAIN),
        F("computes_when_prepared", AGAIN, check=None),
        F("keeps_the_start", AGAIN, check=None),
        F("remembers_labels", LABEL),
        F(
            "remembers_by_start",
            "",
            "tolerance 0",
            None,
            argued="no timed run starts as another: it computes each of them",
        ),
        F(
            "remembers_by_rounded_start",
            "",
            check=None,
            argued="no timed run starts as another: it computes each of them",
        ),
        F("remembers_in_a_file", AGAIN, check=None),
        F("lies_when_traced", LINK),
        F("lies_when_timed", LINK),
        F("lies_later", LINK, check=None),
        F("lies_in_every_third_run", LINK, check=None),
        F("lies_once", LINK),
        F("another_answer_every_run", LABEL),
    ],
    "What is not its own": [
        F("writes_points", WRITES),
        F("sorts_points", WRITES, check=None),
        F("writes_start", WRITES),
        F("reads_past_the_end", r"^it read or wrote past the end of the points$", "wide", None),
        F(
            "reads_before_the_start",
            "",
            check=None,
            argued="the value is put to no use; the page behind the end is guarded",
        ),
        F("own_clock", r"^the clock was tampered with", check=None),
        F("rounds_upward", r"^it changed the rounding mode$", check=None),
        F("flushes_to_zero", r"^it changed how the processor treats denormal numbers$", check=None),
        F("other_folder", r"^it changed the current folder$", check=None),
        F("one_thread_left", r"^it changed OpenMP's number of threads$", check=None),
        F("one_cpu_left", r"^it changed the processors that the process may use$", check=None),
        F("spinning_thread", r"^its threads go on computing after its runs$", check=None),
        F("sleeping_thread", "", check=None, argued="who sleeps takes nothing; the next case has another process"),
        F("environment_changed", r"^it changed the environment$", check=None),
        F("lower_priority", r"priority", check=None),
        F("lower_limits", r"limit", check=None),
        F("other_locale", r"locale", check=None),
        F("umask_changed", r"process's mask", check=None),
        F("alarm_set", r"process's timer", check=None),
        F("closes_descriptors", r"."),
        F("closes_output", r"^it changed a standard stream$", check=None),
        F("redirects_errors", r"^it changed a standard stream$", check=None),
        F("prints", "", check=None, argued="its words go to standard error"),
        F("child_left", r"^it left a process behind$", check=None),
        F("child_in_another_session", r"^it left a process behind$", check=None),
        F("child_returns", r"^it left a process behind$", check=None),
    ],
    "Ends that are none": [
        F("ends_with_0", code(0)),
        F("ends_with_2", code(2)),
        F("ends_with_3", code(3)),
        F("ends_at_once", code(0)),
        F("exits_75", code(75)),
        F("aborts", signal(6)),
        F("crash", signal(11)),
        F("killed", signal(9)),
        F("stack_overflow", signal(11)),
        F("throws", r"^the solver gave up$"),
        F("throws_when_prepared", r"^no memory for the tree$"),
        F("throws_in_download", r"^nothing to hand back$"),
        F("throws_a_number", r"^it threw what is no std::exception$"),
        F("throws_when_asked", r"cannot say"),
        F("throws_in_a_thread", signal(6)),
        F("out_of_memory", r"^out of memory$"),
        F("takes_all_memory", r"^it took more than 1 GiB of memory", "1 GiB", None),
        F("sleeps_for_ever", END, "1 s"),
        F("works_for_ever", END, "1 s"),
        F("never_prepared", END, "1 s"),
        F("never_freed", END, "1 s"),
        F("stops_for_good", END, "1 s"),
        F("stops_itself", r"^the process was stopped from outside", check=None),
    ],
}
FAULTS = [fault for group in CATALOGUE.values() for fault in group]
