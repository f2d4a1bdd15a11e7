#include "bench/data/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "bench/base/error.hpp"

namespace km {
namespace {

constexpr std::size_t most_zip_members = 10'000;
constexpr std::uint64_t in_extra = 0xffffffff;  // the field is in the extra field of 64-bit archives

/// Reads little-endian numbers, checked against the archive's end.
class ZipReader {
 public:
  ZipReader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  UserError refuse(std::string_view why) const { return UserError(fmt::format("{}: {}", path_, why)); }

  std::string_view part(std::uint64_t at, std::uint64_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) throw refuse("a damaged .npz file");
    return bytes_.substr(at, count);
  }
  std::uint64_t number(std::uint64_t at, int count) const {
    std::uint64_t value = 0;
    const auto text = part(at, std::uint64_t(count));
    for (int i = count - 1; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[std::size_t(i)]);
    return value;
  }
  bool has(std::uint64_t at, std::string_view mark) const { return at <= bytes_.size() && bytes_.substr(at).starts_with(mark); }

  /// Offset of the record that ends the archive.
  std::uint64_t end_record() const {
    const auto at = bytes_.size() < 22 ? bytes_.npos : bytes_.rfind("PK\5\6", bytes_.size() - 22);
    if (at == bytes_.npos) throw refuse("not a .npz file");
    return at;
  }

 private:
  std::string_view bytes_;
  const std::string& path_;
};

struct ZipEntry {
  std::string name;
  ZipMember member;
};

/// Offset of the first entry of the directory, and the number of entries.
std::pair<std::uint64_t, std::uint64_t> zip_directory(const ZipReader& zip) {
  const auto end = zip.end_record();
  if (end >= 20 && zip.has(end - 20, "PK\6\7")) {  // 64-bit archive
    const auto end64 = zip.number(end - 12, 8);
    if (!zip.has(end64, "PK\6\6")) throw zip.refuse("a damaged .npz file");
    return {zip.number(end64 + 48, 8), zip.number(end64 + 32, 8)};
  }
  return {zip.number(end + 16, 4), zip.number(end + 10, 2)};
}

/// Reads the entry of the directory at `at` and moves past it.
ZipEntry next_zip_entry(const ZipReader& zip, std::uint64_t& at) {
  if (!zip.has(at, "PK\1\2")) throw zip.refuse("a damaged .npz file");
  const auto flags = zip.number(at + 8, 2), method = zip.number(at + 10, 2);
  std::uint64_t packed = zip.number(at + 20, 4), bytes = zip.number(at + 24, 4), local = zip.number(at + 42, 4);
  const auto name_bytes = zip.number(at + 28, 2), extra_bytes = zip.number(at + 30, 2), comment_bytes = zip.number(at + 32, 2);
  const std::string name(zip.part(at + 46, name_bytes));
  const auto extra = at + 46 + name_bytes;
  for (auto field = extra; field + 4 <= extra + extra_bytes; field += 4 + zip.number(field + 2, 2)) {
    if (zip.number(field, 2) != 1) continue;
    auto value = field + 4;
    for (auto* wide : {&bytes, &packed, &local})
      if (*wide == in_extra) *wide = zip.number(value, 8), value += 8;
  }
  at = extra + extra_bytes + comment_bytes;
  if (!name.ends_with(".npy")) return {name, {}};
  if (flags & 1) throw zip.refuse(fmt::format("{} is encrypted", one_line(name)));
  if (method != 0 && method != 8) throw zip.refuse(fmt::format("{} is packed by method {}; accepted: stored, deflated", one_line(name), method));
  if (!zip.has(local, "PK\3\4")) throw zip.refuse("a damaged .npz file");
  const auto data = local + 30 + zip.number(local + 26, 2) + zip.number(local + 28, 2);
  return {name, {zip.part(data, packed), bytes, method == 8}};
}

}  // namespace

ZipMember array_of_zip(std::string_view archive, const std::string& path) {
  const ZipReader zip(archive, path);
  auto [at, count] = zip_directory(zip);
  if (count > most_zip_members) throw zip.refuse(fmt::format("{} members; accepted: up to {}", count, most_zip_members));
  std::vector<ZipEntry> arrays;
  for (std::uint64_t i = 0; i < count; ++i)
    if (ZipEntry entry = next_zip_entry(zip, at); entry.name.ends_with(".npy")) arrays.push_back(std::move(entry));
  if (arrays.empty()) throw zip.refuse("holds no array");
  if (arrays.size() == 1) return arrays[0].member;
  std::string names;
  for (const auto& [name, member] : arrays) {
    if (name == "points.npy" || name == "X.npy") return member;
    names += (names.empty() ? "" : ", ") + name.substr(0, name.size() - 4);
  }
  throw zip.refuse(fmt::format("holds the arrays {}; accepted: one array, or one named points or X", one_line(names.substr(0, 200))));
}

std::size_t inflate(const ZipMember& member, char* out, std::size_t limit, const std::string& path) {
  struct Stream {
    z_stream z = {};
    Stream() {
      if (::inflateInit2(&z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // raw, without zlib's own header
    }
    ~Stream() { ::inflateEnd(&z); }
  } stream;
  z_stream& z = stream.z;
  std::size_t read = 0, made = 0;
  constexpr std::size_t step = std::numeric_limits<uInt>::max();
  for (int state = Z_OK; state == Z_OK && made < limit;) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.packed.data() + read));
    z.avail_in = uInt(std::min(step, member.packed.size() - read));
    z.next_out = reinterpret_cast<Bytef*>(out + made);
    z.avail_out = uInt(std::min(step, limit - made));
    const auto in = z.avail_in, room = z.avail_out;
    state = ::inflate(&z, Z_NO_FLUSH);
    read += in - z.avail_in;
    made += room - z.avail_out;
    if (state != Z_OK && state != Z_STREAM_END) throw UserError(fmt::format("{}: the packed content is damaged or cut short", path));
  }
  return made;
}

}  // namespace km
