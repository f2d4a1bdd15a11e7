// A comma for the decimal point, in whatever prints through a stream.
#include <locale>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct OtherLocale : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    struct Comma : std::numpunct<char> {
      char do_decimal_point() const override { return ','; }
    };
    std::locale::global(std::locale(std::locale::classic(), new Comma));
  }
};

const Register<OtherLocale> other_locale{fault("changes the C++ locale")};

}  // namespace
}  // namespace km
