// Points are sorted to be near one another, and labels not sorted back.
#include <numeric>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LabelsInSortedOrder : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    std::vector<std::int64_t> order(this->p_.n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](std::int64_t i) { return this->x(i, 0); });
    const auto labels = this->out_.labels;
    for (std::int64_t i = 0; i < this->p_.n; ++i) this->out_.labels[i] = labels[order[i]];
  }
};

const Register<LabelsInSortedOrder> labels_in_sorted_order{fault("hands back labels in the order of sorted points")};

}  // namespace
}  // namespace km
