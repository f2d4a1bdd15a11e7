#include "bench/data/npy.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/machine/memory.hpp"

namespace km {
namespace {

constexpr std::array<std::string_view, 11> types = {"<f2", "<f4", "<f8", "|u1", "|i1", "<u1", "<i1", "<u2", "<i2", "<i4", "<i8"};

void read_type(std::string_view text, NpyHeader& h, const std::string& path) {
  if (text == "[") throw UserError("{}: structured values are not read: a table of plain numbers is needed", path);
  const auto known = std::ranges::find(types, text);
  if (known == types.end())
    throw UserError("{}: values of type '{}' are not read; accepted, little-endian: f2, f4, f8, u1, i1, u2, i2, i4, i8", path, text);
  h.type = known->substr(1);
}

void read_shape(const std::string& text, NpyHeader& h, const std::string& path) {
  static const re2::RE2 column(R"([ \n]*(\d+)[ \n]*,[ \n]*)");
  static const re2::RE2 form(R"([ \n]*(\d+)[ \n]*,[ \n]*(\d+)[ \n]*(?:,[ \n]*([34])[ \n]*)?,?[ \n]*)");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t n = 0, d = 0;
  std::string channels;
  if (re2::RE2::FullMatch(text, column, &n)) d = 1;
  else if (!re2::RE2::FullMatch(text, form, &n, &d, &channels))
    throw UserError("{}: shape ({}) is neither rows, rows x columns nor an image of h x w x 3 or 4", path, text);
  if (h.image = !channels.empty(); h.image) {
    if (n > 0 && d > most / 64 / n) throw UserError("{}: shape ({}) is out of range", path, text);
    n *= d;
    d = channels[0] - '0';
  }
  if (n == 0 || d == 0) throw UserError("{}: shape ({}) holds no points", path, text);
  if (d > most_dimensions || n > most / 8 / d)
    throw UserError("{}: shape ({}) is out of range: up to {} columns, n d below 2^60", path, text, most_dimensions);
  h.n = n;
  h.d = int(d);
}

/// Reads the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }, its keys in any order.
void read_dictionary(std::string_view text, NpyHeader& h, const std::string& path) {
  const auto malformed = [&] {
    return UserError("{}: the header is not of the form {{'descr': '<f4', 'fortran_order': False, 'shape': (rows, columns)}}", path);
  };
  static const re2::RE2 begin(R"([ \n]*\{)"), end(R"([ \n]*\}[ \n]*)");
  static const re2::RE2 entry(R"([ \n]*'(descr|fortran_order|shape)'[ \n]*:[ \n]*(?:'([^']*)'|(\[)|(True|False)|\(([^)]*)\))[ \n]*(,|))",
                              re2::RE2::Latin1);
  re2::StringPiece rest(text.data(), text.size());
  if (!re2::RE2::Consume(&rest, begin)) throw malformed();
  std::set<std::string> keys;
  for (std::string key, type, structured, order, shape, comma = ","; !re2::RE2::FullMatch(rest, end);) {
    if (comma.empty() || !re2::RE2::Consume(&rest, entry, &key, &type, &structured, &order, &shape, &comma)) throw malformed();
    if (!keys.insert(key).second) throw malformed();
    if (key == "descr" && order.empty() && shape.empty()) read_type(type + structured, h, path);
    else if (key == "shape" && type.empty() && structured.empty() && order.empty()) read_shape(shape, h, path);
    else if (key == "fortran_order" && !order.empty()) h.fortran = order == "True";
    else throw malformed();
  }
  if (keys.size() != 3) throw malformed();
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
bool read_at(const Descriptor& file, std::size_t offset, std::size_t bytes, char* to) {
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
  read_dictionary(bytes.substr(from, h.offset - from), h, path);
  if (h.image && h.fortran) throw refuse("an image in Fortran order is not read");
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
  if (!ends_in(path.string(), ".npy")) return "only a .npy can be, no packed file and no text";
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
  const Descriptor file = open_to_read(path);
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
