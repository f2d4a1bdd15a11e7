// The stages of he2021's Figure 1 in their order. An implementation adds an eigensolver.
#pragma once

#include <string>
#include <string_view>

#include "impl/cpu/spectral/laplacian.hpp"

namespace km::spectral {

/// Compiled once for float and double (chain.cpp).
template <class T>
class Chain {
 public:
  Chain(const Problem<T>& problem, const Config& config, Eigensolver solver);

  void reset();
  /// Phases: representatives, similarity, transfer (to and from a GPU), eigenvectors, clusters, labels. Throws UserError for points that no chain can cluster.
  int iterate(Trace& trace);
  Solution<T> download();

 private:
  void reduce();
  void connect();
  void embed();
  void cluster();
  void label();

  Problem<T> p_;
  Config config_;
  Eigensolver solver_;
  ChainRecord<T> record_;
  Solution<T> out_;
};

extern template class Chain<float>;
extern template class Chain<double>;

/// The parameters and objections of every chain. missing: why its library is not here, or "".
Description chain_description(std::string_view summary, std::string (*missing)(), Device device = Device::cpu);

}  // namespace km::spectral
