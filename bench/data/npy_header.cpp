#include "bench/data/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "bench/base/error.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/data/limits.hpp"

namespace km {
namespace {

constexpr std::array<std::string_view, 11> types = {"<f2", "<f4", "<f8", "|u1", "|i1", "<u1", "<i1", "<u2", "<i2", "<i4", "<i8"};

/// Parser of the dictionary's text, left to right.
class Text {
 public:
  Text(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  UserError refuse(std::string_view why) const { return UserError(fmt::format("{}: {}", path_, why)); }
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

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& file) {
  const FileBytes content(file, most_header_bytes);
  const std::string_view bytes = content.view();
  const std::string path = file.string();
  const auto refuse = [&](std::string_view why) { return UserError(fmt::format("{}: {}", path, why)); };
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

}  // namespace km
