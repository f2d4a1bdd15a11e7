// FAISS's k-means on the GPU (Johnson, Douze, Jégou: Billion-scale similarity search with GPUs, 2019) from Python: faiss.Clustering over a
// GpuIndexFlatL2, as faiss.Kmeans(gpu=True) does. Subsampling, several starts, fp16 and the check for non-finite values are disabled. Habits that
// remain, all timed: points are in host memory and uploaded in every iteration. Means are made on the CPU; an empty cluster splits another; there is
// no convergence test. Labels and last centroids come as in faiss.cpp.
// Tested with a stand-in (tests/python/test_libraries.py) and with FAISS 1.15's own Clustering over its CPU index, not yet on a GPU.
#include "impl/library/faiss.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("faiss_gpu_worker.py"); }

const Register<Program<command>::Solver, float> registration{{
    .summary = "FAISS's Clustering over a GpuIndexFlatL2, called as users do",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (std::string why = no_faiss(p); !why.empty()) return why;
      if (!python_has("faiss")) return not_installed("FAISS");
      return python_has("faiss", "GpuIndexFlatL2") ? "" : "the FAISS of " + python() + " is without GPUs";
    },
    .distance = Distance::expansion,
    .departs = faiss_departs,
}};

}  // namespace
}  // namespace km
