// Build without Armadillo.
#include "impl/library/missing.hpp"

namespace km {
namespace {

const bool registered =
    register_missing<float, double>("library/armadillo", "Armadillo's arma::kmeans: not in this build", "Armadillo", "libarmadillo-dev");

}  // namespace
}  // namespace km
