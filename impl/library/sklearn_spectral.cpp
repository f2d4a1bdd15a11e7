// scikit-learn's two ways from points to spectral labels, as users call them: SpectralClustering on the points' own graph, and KMeans on Nystroem's
// features (Williams and Seeger, "Using the Nyström method to speed up kernel machines", 2001).
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return python_command("sklearn_spectral_worker.py"); }

const Register<Program<command>::Solver> registration{{
    .summary = "scikit-learn's SpectralClustering, or its Nystroem and KMeans",
    .parameters = {{.name = "method", .fallback = "spectral_clustering", .range = {"spectral_clustering", "nystroem"}, .help = "which of the two"},
                   {.name = "neighbours", .fallback = 10, .range = {1, 10, 100, 1000}, .help = "of a point in SpectralClustering's graph"},
                   {.name = "components", .fallback = 100, .range = {1, 100, 1000}, .help = "of Nystroem"},
                   {.name = "seed", .fallback = 1, .range = {0, 1'000'000'000}, .help = "random_state"}},
    .unsupported = [](const ProblemShape&, const Config&, int) { return python_has("sklearn") ? std::string() : not_installed("scikit-learn"); },
    .work = [](const ProblemShape&, const Config&, int) { return Work{}; },
    .task = Task::spectral,
}};

}  // namespace
}  // namespace km
