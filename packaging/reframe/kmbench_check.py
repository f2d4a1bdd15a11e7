"""reframe -c packaging/reframe -r: every CPU implementation is right, and the time of an iteration is recorded."""

import json
from pathlib import Path
from statistics import median

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_before, sanity_function

SHAPE = ("--dataset", "blobs", "--n", "1e5", "--d", "8", "--k", "32", "--out", "lines")


@rfm.simple_test
class KmbenchRight(rfm.RunOnlyRegressionTest):
    """Judges an implementation on every awkward shape."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "kmbench"
    implementation = parameter(["cpu/lloyd/auto", "cpu/lloyd/two_step"])

    @run_before("run")
    def name_the_checks(self):
        self.executable_opts = ["check", "--defaults", "--filter", self.implementation]

    @sanity_function
    def all_right(self):
        return sn.assert_found(r"^[1-9]\d* right, 0 wrong", self.stdout)


@rfm.simple_test
class KmbenchTime(rfm.RunOnlyRegressionTest):
    """Measures an implementation; a wrong run has no time."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "kmbench"
    postrun_cmds = ["kmbench export lines/adhoc.jsonl --out lines.json"]
    implementation = parameter(["cpu/lloyd/auto", "cpu/lloyd/two_step"])

    @run_before("run")
    def name_the_case(self):
        self.executable_opts = ["run", "--implementation", self.implementation, *SHAPE]

    @sanity_function
    def measured(self):
        return sn.assert_found('"kmeans_iterations"', "lines.json")

    @performance_function("ms")
    def iteration(self):
        """The median over the runs."""
        runs = json.loads((Path(self.stagedir) / "lines.json").read_text())["benchmarks"]
        return median(run["real_time"] / run["kmeans_iterations"] for run in runs if run["run_type"] == "iteration")
