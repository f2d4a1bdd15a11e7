#include "bench/data/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/hash.hpp"
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

/// IEEE 754's binary16.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
  }
  explicit operator float() const { return float(double(*this)); }
};

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

class File {
 public:
  explicit File(const fs::path& path) : id_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (id_ < 0) throw UserError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  ~File() { ::close(id_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int id() const { return id_; }

  /// Returns false if the file ends early.
  bool read(std::size_t offset, std::size_t bytes, char* to) const {
    while (bytes > 0) {
      const auto got = ::pread(id_, to, bytes, off_t(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      offset += std::size_t(got);
      bytes -= std::size_t(got);
    }
    return true;
  }

 private:
  int id_;
};

}  // namespace

DatasetShape npy_shape(const fs::path& path) {
  const NpyHeader h = read_npy_header(path);
  std::error_code error;
  if (!is_packed(path)) check_size(h, fs::file_size(path, error), path.string());
  return {h.n, h.d};
}

template <class T>
Values<T> read_npy(const fs::path& path, std::int64_t n) {
  const NpyHeader h = read_npy_header(path);
  if (n > h.n) throw UserError(fmt::format("{}: {} rows, {} are needed", path.string(), h.n, n));
  if (is_packed(path)) check_memory(path.string(), h.n, h.d, h.value_bytes());
  const FileBytes file(path, h.offset + h.bytes() + 1);
  check_size(h, file.view().size(), path.string());
  Values<T> out = make_values<T>(std::size_t(n) * std::size_t(h.d));
  const char* from = file.view().data() + h.offset;
  if (h.type == "f2") convert<Half>(from, h, n, out.get());
  else if (h.type == "f4") convert<float>(from, h, n, out.get());
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

std::string unmappable(const fs::path& path, std::size_t value_bytes) {
  if (path.extension() != ".npy") return "only a .npy can be, no packed file and no text";
  const NpyHeader h = read_npy_header(path);
  const std::string type = value_bytes == 4 ? "f4" : "f8";
  if (h.type != type) return fmt::format("its values are {} and would have to be converted to {}", h.type, type);
  if (h.fortran) return "its values lie column by column";
  if (h.offset % 64 != 0) return fmt::format("its values begin at byte {}, which is no multiple of 64", h.offset);
  return "";
}

template <class T>
MappedRows<T> map_npy(const fs::path& path, std::int64_t n) {
  if (const auto why = unmappable(path, sizeof(T)); !why.empty()) throw UserError(fmt::format("{} cannot be mapped: {}", path.string(), why));
  npy_shape(path);  // throws if the size is wrong
  const NpyHeader h = read_npy_header(path);
  if (n > h.n) throw UserError(fmt::format("{}: {} rows, {} are needed", path.string(), h.n, n));
  const File file(path);
  const std::size_t bytes = std::size_t(n) * std::size_t(h.d) * sizeof(T);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool> short_of = false;
  std::atomic<std::int64_t> first = none;  // first value that is not finite
  MappedRows<T> out;
  out.hash = hash_of(bytes, [&](std::size_t offset, std::size_t count, char* buffer) {
    if (short_of || !file.read(h.offset + offset, count, buffer)) short_of = true;
    if (short_of) return;
    const T* const values = reinterpret_cast<const T*>(buffer);
    for (std::size_t at = 0; at < count / sizeof(T); ++at) {
      if (std::isfinite(values[at])) continue;
      const auto place = std::int64_t(offset / sizeof(T) + at);
      for (auto before = first.load(); place < before && !first.compare_exchange_weak(before, place);) {}
      return;
    }
  });
  if (short_of) throw UserError(fmt::format("{}: became shorter while it was read", path.string()));
  if (first < none)
    throw UserError(fmt::format("{}: row {}, column {} is not a finite {} number", path.string(), first / h.d + 1, first % h.d + 1,
                                sizeof(T) == 4 ? "fp32" : "fp64"));
  out.values.reset(static_cast<T*>(map_file_values(file.id(), h.offset, bytes, "the points")));
  return out;
}

template MappedRows<float> map_npy(const fs::path&, std::int64_t);
template MappedRows<double> map_npy(const fs::path&, std::int64_t);

}  // namespace km
