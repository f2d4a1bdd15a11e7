// Upper limits of inputs. They turn a typing error into one line instead of an hour of swapping.
#pragma once

#include <cstddef>

namespace km {

constexpr int most_dimensions = 100'000;
constexpr std::size_t most_cases = 100'000;         // per plan
constexpr std::size_t most_sweeps = 1'000;          // per exhibit
constexpr std::size_t most_toml_bytes = 1 << 20;    // per exhibit or table of data sets
constexpr int most_nesting = 16;                    // of brackets and dotted keys in TOML
constexpr std::size_t most_header_bytes = 1 << 10;  // of a .npy file; shape and type need about 128
constexpr std::size_t most_line_bytes = 4 << 20;    // per line of a .csv file

}  // namespace km
