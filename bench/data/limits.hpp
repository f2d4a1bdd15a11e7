// What is accepted at most, so that a slip of the pen is refused in one line and not in an hour of swapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace km {

constexpr int most_dimensions = 100'000;
constexpr std::size_t most_cases = 100'000;         // of one plan
constexpr std::size_t most_sweeps = 1'000;          // of one exhibit
constexpr std::size_t most_toml_bytes = 1 << 20;    // of one exhibit or table of data sets
constexpr int most_nesting = 16;                    // of brackets and of dotted keys in TOML
constexpr std::size_t most_header_bytes = 1 << 10;  // of a .npy file, its first words included: shape and type need about 128
constexpr std::size_t most_line_bytes = 4 << 20;    // of a .csv file's line

/// Throws UserError where n x d values of that size do not fit into the memory that is free. `what` begins the sentence, `advice` ends it.
void check_memory(const std::string& what, std::int64_t n, int d, std::size_t value_bytes, const std::string& advice = "");

}  // namespace km
