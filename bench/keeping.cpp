#include "bench/keeping.hpp"

#include <utility>
#include <vector>

namespace km {
namespace {

int alive = 0;

std::vector<std::function<void()>>& drops() {
  static std::vector<std::function<void()>> all;
  return all;
}

}  // namespace

Keeping::Keeping() { ++alive; }
Keeping::~Keeping() {
  if (--alive > 0) return;
  for (const auto& drop : drops()) drop();
}

bool Keeping::now() { return alive > 0; }
void Keeping::at_end(std::function<void()> drop) { drops().push_back(std::move(drop)); }

}  // namespace km
