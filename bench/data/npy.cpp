#include "bench/data/npy.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/limits.hpp"
#include "bench/data/npy_header.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// `bytes`: size of the whole unpacked file, or one more than needed.
void check_size(const NpyHeader& h, std::size_t bytes, const std::string& path) {
  const std::size_t need = h.offset + h.bytes();
  if (bytes < need) throw UserError(fmt::format("{}: cut short, {} bytes where header and values take {}", path, bytes, need));
  if (bytes > need) throw UserError(fmt::format("{}: goes on after the {} bytes that header and values take", path, need));
}

template <class From, class T>
void convert(const char* from, const NpyHeader& h, std::int64_t n, T* to) {
  const auto at = [&](std::int64_t i) {  // the file may be unaligned
    From value;
    std::memcpy(&value, from + i * std::int64_t(sizeof(From)), sizeof(From));
    return T(value);
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i)
    for (int j = 0; j < h.d; ++j) to[i * h.d + j] = h.fortran ? at(j * h.n + i) : at(i * h.d + j);
}

}  // namespace

DatasetShape npy_shape(const fs::path& path) {
  const NpyHeader h = read_npy_header(path);
  std::error_code error;
  if (path.extension() != ".xz") check_size(h, fs::file_size(path, error), path.string());
  return {h.n, h.d};
}

template <class T>
Values<T> read_npy(const fs::path& path, std::int64_t n) {
  const NpyHeader h = read_npy_header(path);
  if (n > h.n) throw UserError(fmt::format("{}: {} rows, {} are needed", path.string(), h.n, n));
  if (path.extension() == ".xz") check_memory(path.string(), h.n, h.d, h.value_bytes());
  const FileBytes file(path, h.offset + h.bytes() + 1);
  check_size(h, file.view().size(), path.string());
  Values<T> out = make_values<T>(std::size_t(n) * std::size_t(h.d));
  const char* from = file.view().data() + h.offset;
  if (h.type == "f4") convert<float>(from, h, n, out.get());
  else if (h.type == "f8") convert<double>(from, h, n, out.get());
  else if (h.type == "u1") convert<std::uint8_t>(from, h, n, out.get());
  else if (h.type == "i1") convert<std::int8_t>(from, h, n, out.get());
  else if (h.type == "u2") convert<std::uint16_t>(from, h, n, out.get());
  else if (h.type == "i2") convert<std::int16_t>(from, h, n, out.get());
  else if (h.type == "i4") convert<std::int32_t>(from, h, n, out.get());
  else convert<std::int64_t>(from, h, n, out.get());
  return out;
}

template Values<float> read_npy(const fs::path&, std::int64_t);
template Values<double> read_npy(const fs::path&, std::int64_t);

}  // namespace km
