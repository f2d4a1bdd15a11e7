#include "bench/data/npy.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/machine/memory.hpp"

namespace km {
namespace {

constexpr std::array<std::string_view, 11> types = {"<f2", "<f4", "<f8", "|u1", "|i1", "<u1", "<i1", "<u2", "<i2", "<i4", "<i8"};

/// Parser of the dictionary's text, left to right.
class Text {
 public:
  Text(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  UserError refuse(std::string_view why) const { return UserError("{}: {}", path_, why); }
  UserError malformed() const { return refuse("the header is not of the form {'descr': '<f4', 'fortran_order': False, 'shape': (rows, columns)}"); }

  bool take(std::string_view token) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) throw malformed();
  }
  std::string_view up_to(char end) {
    const auto at = rest_.find(end);
    if (at == rest_.npos) throw malformed();
    const auto text = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return text;
  }
  std::optional<std::int64_t> whole() {
    take("");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(std::size_t(end - rest_.data()));
    return value;
  }
  bool at_end() {
    take("");
    return rest_.empty();
  }

 private:
  std::string_view rest_;
  const std::string& path_;
};

void read_type(Text& in, NpyHeader& h) {
  if (in.take("[")) throw in.refuse("structured values are not read: a table of plain numbers is needed");
  in.need("'");
  const auto name = in.up_to('\'');
  const auto known = std::ranges::find(types, name);
  if (known == types.end())
    throw in.refuse(fmt::format("values of type '{}' are not read; accepted, little-endian: f2, f4, f8, u1, i1, u2, i2, i4, i8", name));
  h.type = known->substr(1);
}

void read_shape(Text& in, NpyHeader& h, const std::string& path) {
  in.need("(");
  const auto text = in.up_to(')');
  Text shape(text, path);
  auto n = shape.whole();
  const bool comma = shape.take(",");
  auto d = shape.whole();
  const bool more = shape.take(",");
  const auto channels = more ? shape.whole() : std::nullopt;
  shape.take(",");
  if (!n || !comma || !d || !shape.at_end() || (channels && *channels != 3 && *channels != 4))
    throw in.refuse(fmt::format("shape ({}) is not rows x columns, nor an image of h x w x 3 or 4", text));
  if (channels) {
    if (*n > 0 && *d > std::numeric_limits<std::int64_t>::max() / 64 / *n) throw in.refuse(fmt::format("shape ({}) is out of range", text));
    h.image = true;
    n = *n * *d;
    d = channels;
  }
  if (*n == 0 || *d == 0) throw in.refuse(fmt::format("shape ({}) holds no points", text));
  if (*d > most_dimensions || *n > std::numeric_limits<std::int64_t>::max() / 8 / *d)
    throw in.refuse(fmt::format("shape ({}) is out of range: up to {} columns, n d below 2^60", text, most_dimensions));
  h.n = *n;
  h.d = int(*d);
}

namespace fs = std::filesystem;

/// `bytes`: size of the whole unpacked file, or one more than needed.
void check_size(const NpyHeader& h, std::size_t bytes, const std::string& path) {
  const std::size_t need = h.offset + h.bytes();
  if (bytes < need) throw UserError("{}: cut short, {} bytes where header and values take {}", path, bytes, need);
  if (bytes > need) throw UserError("{}: goes on after the {} bytes that header and values take", path, need);
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

/// Returns false if the file ends early.
bool read_at(const InputFile& file, std::size_t offset, std::size_t bytes, char* to) {
  while (bytes > 0) {
    const auto got = ::pread(file.id(), to, bytes, off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    offset += std::size_t(got);
    bytes -= std::size_t(got);
  }
  return true;
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& file) {
  const FileBytes content(file, most_header_bytes);
  const std::string_view bytes = content.view();
  const std::string path = file.string();
  const auto refuse = [&](std::string_view why) { return UserError("{}: {}", path, why); };
  const auto byte = [&](std::size_t at) { return std::size_t(static_cast<unsigned char>(bytes[at])); };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) throw refuse("not a .npy file");
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    throw refuse(fmt::format("version {}.{} of the .npy format; accepted: 1.0, 2.0, 3.0", byte(6), byte(7)));
  NpyHeader h;
  const std::size_t from = byte(6) == 1 ? 10 : 12;
  h.offset = from + (byte(8) | byte(9) << 8) + (from == 12 ? byte(10) << 16 | byte(11) << 24 : 0);
  if (h.offset > most_header_bytes) throw refuse(fmt::format("a header of {} bytes; accepted: up to {}", h.offset, most_header_bytes));
  if (h.offset > bytes.size()) throw refuse("the header is cut short");
  Text in(bytes.substr(from, h.offset - from), path);
  bool type = false, order = false, shape = false, more = true;
  in.need("{");
  while (more && !in.take("}")) {
    in.need("'");
    const auto key = in.up_to('\'');
    in.need(":");
    bool* const found = key == "descr" ? &type : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
    if (!found || std::exchange(*found, true)) throw in.malformed();
    if (found == &type) read_type(in, h);
    else if (found == &shape) read_shape(in, h, path);
    else if (!(h.fortran = in.take("True"))) in.need("False");
    if (more = in.take(","); !more) in.need("}");
  }
  if (!type || !order || !shape || !in.at_end()) throw in.malformed();
  if (h.image && h.fortran) throw in.refuse("an image in Fortran order is not read");
  return h;
}

DatasetShape npy_shape(const fs::path& path) {
  const NpyHeader h = read_npy_header(path);
  std::error_code error;
  if (!is_packed(path)) check_size(h, fs::file_size(path, error), path.string());
  return {h.n, h.d};
}

template <class T>
Values<T> read_npy(const fs::path& path, std::int64_t n) {
  const NpyHeader h = read_npy_header(path);
  if (n > h.n) throw UserError("{}: {} rows, {} are needed", path.string(), h.n, n);
  if (is_packed(path)) memory::check(path.string(), h.n, h.d, h.value_bytes());
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
  if (const auto why = unmappable(path, sizeof(T)); !why.empty()) throw UserError("{} cannot be mapped: {}", path.string(), why);
  npy_shape(path);  // throws if the size is wrong
  const NpyHeader h = read_npy_header(path);
  if (n > h.n) throw UserError("{}: {} rows, {} are needed", path.string(), h.n, n);
  const InputFile file(path);
  const std::size_t bytes = std::size_t(n) * std::size_t(h.d) * sizeof(T);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool> short_of = false;
  std::atomic<std::int64_t> first = none;  // first value that is not finite
  MappedRows<T> out;
  out.hash = hash_of(bytes, [&](std::size_t offset, std::size_t count, char* buffer) {
    if (short_of || !read_at(file, h.offset + offset, count, buffer)) short_of = true;
    if (short_of) return;
    const T* const values = reinterpret_cast<const T*>(buffer);
    for (std::size_t at = 0; at < count / sizeof(T); ++at) {
      if (std::isfinite(values[at])) continue;
      const auto place = std::int64_t(offset / sizeof(T) + at);
      for (auto before = first.load(); place < before && !first.compare_exchange_weak(before, place);) {}
      return;
    }
  });
  if (short_of) throw UserError("{}: became shorter while it was read", path.string());
  if (first < none)
    throw UserError("{}: row {}, column {} is not a finite {} number", path.string(), first / h.d + 1, first % h.d + 1,
                    sizeof(T) == 4 ? "fp32" : "fp64");
  out.values.reset(static_cast<T*>(map_file_values(file.id(), h.offset, bytes, "the points")));
  return out;
}

template MappedRows<float> map_npy(const fs::path&, std::int64_t);
template MappedRows<double> map_npy(const fs::path&, std::int64_t);

}  // namespace km
