// Build without MPI.
#include <stdexcept>

#include "bench/run/ranks.hpp"

namespace km {

std::string no_ranks() { return "this build has no MPI: install one (Debian: openmpi-bin, libopenmpi-dev), then configure with -DKM_MPI=ON"; }
void join_ranks() { throw std::logic_error(no_ranks()); }
Ranks* ranks() { return nullptr; }

}  // namespace km
