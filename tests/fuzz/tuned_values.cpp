// bench/tune/store.cpp: a file of tuned values, and a case that takes them.
#include "bench/tune/store.hpp"
#include "tests/fuzz/scratch.hpp"

namespace km {
void write_whole(const std::filesystem::path&, const std::string&) { std::abort(); }  // reading writes nothing
}  // namespace km

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const km::Implementation implementation{.name = "a",
                                                 .description = {
                                                     .parameters = {{.name = "block", .fallback = 32, .range = {32, 1024}, .tunable = true},
                                                                    {.name = "way", .fallback = "up", .range = {"down", "up"}, .tunable = true},
                                                                    {.name = "packages", .fallback = 1, .range = {1, 10}}}}};
  return km::refusing([&] {
    const auto file = km::scratch_file("m.json", data, bytes);
    const km::TunedValues values(file.parent_path(), "m");
    km::Case c{.implementation_name = "a", .implementation = &implementation, .n = 1000, .d = 4, .k = 8};
    c.config = km::Config({{"block", 32}, {"way", "up"}, {"packages", 1}});
    values.apply(c, {});
    const auto block = c.config.number("block");
    if (block < 32 || block > 1024 || c.config.number("packages") != 1 || c.tuned.empty()) std::abort();
  });
}
