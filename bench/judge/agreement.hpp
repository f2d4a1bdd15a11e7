// How far two labelings of the same points agree, whatever the labels' names.
#pragma once

#include <cstdint>
#include <span>

namespace km {

struct Agreement {
  double ari;  // adjusted Rand index (Hubert and Arabie, "Comparing partitions", 1985): 1 equal, 0 as by chance
  double nmi;  // mutual information over the mean of both entropies (Strehl and Ghosh, "Cluster ensembles", 2002): 1 equal, 0 independent
};

/// Labels are at least 0. Both spans have one length.
Agreement agreement_of(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

}  // namespace km
