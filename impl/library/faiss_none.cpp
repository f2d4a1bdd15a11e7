// Build without FAISS.
#include "impl/library/missing.hpp"

namespace km {
namespace {

const bool registered =
    register_missing<float>("library/faiss", "FAISS's Clustering: not in this build", "FAISS", "libfaiss-dev and libopenblas-dev");

}  // namespace
}  // namespace km
