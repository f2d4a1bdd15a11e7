#include "bench/contract/reuse_scope.hpp"

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

ReuseScope::ReuseScope() { ++alive; }
ReuseScope::~ReuseScope() {
  if (--alive > 0) return;
  for (const auto& drop : drops()) drop();
}

bool ReuseScope::active() { return alive > 0; }
void ReuseScope::on_end(std::function<void()> drop) { drops().push_back(std::move(drop)); }

}  // namespace km
