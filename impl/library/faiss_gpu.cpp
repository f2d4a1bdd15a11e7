// FAISS's k-means on the GPU (Johnson, Douze, Jégou: Billion-scale similarity search with GPUs, 2019) from Python: faiss.Clustering over a
// GpuIndexFlatL2, which is what faiss.Kmeans(gpu=True) does. Subsampling, several starts, fp16 and the look for values that are not finite are
// switched off. What cannot be: its points lie in host memory and go to the GPU in every iteration, the means are made on the CPU, both inside
// the time; an iteration without the points of one cluster splits another; there is no test for convergence. It keeps neither its
// labels nor the centroids before the last: one more call makes the last iteration, and the labels are found again in download, by the same
// index, untimed, in FAISS's favour; so are the means of a last iteration that split a cluster. The warm-up run takes what a first call allocates.
// Run against a stand-in (tests/python/test_libraries.py), and with FAISS 1.15's own Clustering over its index on the CPU; never yet on a GPU.
#include <limits>

#include "impl/library/out_of_process.hpp"
#include "impl/library/python.hpp"

namespace km {
namespace {

template <class T>  // float alone
class FaissGpu : public OutOfProcess<T> {
 public:
  FaissGpu(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, python_command("faiss_gpu_worker.py")) {}
};

const Register<FaissGpu, float> registration{{
    .summary = "FAISS's Clustering over a GpuIndexFlatL2, called as users do",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.tolerance >= 0) return "FAISS has no test for convergence: give no tolerance";
      if (p.n <= p.k) return "FAISS takes the points themselves for centroids where there are no more of them";
      if (p.n > std::numeric_limits<int>::max()) return "FAISS would take a sample of more than 2^31 points";
      if (p.max_iters < 3) return "FAISS gives no labels: finding them pays for itself from 3 iterations on";
      if (!python_has("faiss")) return "FAISS is not installed for " + python();
      return python_has("faiss", "GpuIndexFlatL2") ? "" : "the FAISS of " + python() + " is without GPUs";
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved beside another, which moves aside",
}};

}  // namespace
}  // namespace km
