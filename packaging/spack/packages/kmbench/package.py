"""spack repo add packaging/spack && spack install kmbench, from this checkout's commits."""

from pathlib import Path

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ModuleNotFoundError:  # before Spack 1.0
    pass
from spack.package import *


class Kmbench(CMakePackage, CudaPackage):
    """A benchmark of k-means on CPUs and NVIDIA GPUs: judged runs, papers' tables and figures."""

    git = Path(__file__).resolve().parents[4].as_uri()
    license("MIT")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("native", default=True, description="Compile for this machine's processor")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus")
    depends_on("cli11")
    depends_on("benchmark")
    depends_on("xxhash")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("re2")
    depends_on("python@3.11:", type=("build", "run"))
    for name in ("jinja2", "matplotlib", "numpy", "orjson", "rich", "scikit-learn", "scipy"):
        depends_on(f"py-{name}", type="run")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU: cuda_arch=90")
    conflicts("%gcc@:11", msg="C++20 needs GCC 12")
    generator("ninja")

    def cmake_args(self):
        """Without the tests and MPI; CUDA as its variant says."""
        args = [
            self.define("KM_TESTS", False),
            self.define("KM_MPI", "OFF"),
            self.define_from_variant("KM_NATIVE", "native"),
            self.define("KM_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
