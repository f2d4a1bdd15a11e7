// The catalogue of planted faults, as tests/python/faults.py reads it from this test's properties (--gtest_output=json:FILE).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

TEST(Faults, Catalogue) {
  EXPECT_GT(planted().size(), 220u);
  for (const auto& [name, category, summary, e] : planted())
    RecordProperty(name, nlohmann::json{{"category", category},
                                        {"summary", summary},
                                        {"run", e.run},
                                        {"on", e.on},
                                        {"check", e.check},
                                        {"precisions", e.precisions},
                                        {"argued", e.argued}}
                             .dump(-1, ' ', true));
}

}  // namespace
}  // namespace km
