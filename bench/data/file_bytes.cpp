#include "bench/data/file_bytes.hpp"

#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench/base/error.hpp"

namespace km {
namespace {

// ---- .npz: a zip archive (PKWARE, APPNOTE 6.3) with arrays, stored or deflated ----------------------------------------------------------------

constexpr std::size_t most_zip_members = 10'000;
constexpr std::uint64_t in_extra = 0xffffffff;  // the field is in the extra field of 64-bit archives

/// Reads little-endian numbers, checked against the archive's end.
class ZipReader {
 public:
  ZipReader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  UserError refuse(std::string_view why) const { return UserError("{}: {}", path_, why); }

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

struct ZipMember {
  std::string_view packed;  // its bytes in the archive
  std::size_t bytes = 0;    // unpacked, as the archive says
  bool deflated = false;
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

/// Returns the only .npy of an archive, or of several the one named points or X.
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

/// Unpacks at most `limit` bytes of a deflated member to `out`. Returns their number.
std::size_t inflate(const ZipMember& member, char* out, std::size_t limit, const std::string& path) {
  z_stream z = {};
  if (::inflateInit2(&z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();  // raw, without zlib's own header
  const std::unique_ptr<z_stream, decltype(&::inflateEnd)> owner(&z, ::inflateEnd);
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
    if (state != Z_OK && state != Z_STREAM_END) throw UserError("{}: the packed content is damaged or cut short", path);
  }
  return made;
}

// ---- .xz -------------------------------------------------------------------------------------------------------------------------------------

constexpr std::uint64_t most_dictionary = 80 << 20;  // bytes; xz -9 needs 65 MiB

const char* complaint(lzma_ret state) {
  switch (state) {
    case LZMA_MEMLIMIT_ERROR: return "unpacking takes more than 80 MiB: pack it with xz -9 or less";
    case LZMA_BUF_ERROR: return "cut short, the packed content goes on";
    case LZMA_FORMAT_ERROR: return "not an .xz file";
    default: return "the packed content is damaged";
  }
}

/// Unpacks at most `limit` bytes to `out`. Returns their number.
std::size_t unpack(std::string_view packed, char* out, std::size_t limit, const std::string& path) {
  lzma_stream s = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, decltype(&::lzma_end)> owner(&s, ::lzma_end);
  if (lzma_stream_decoder(&s, most_dictionary, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  s.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  s.avail_in = packed.size();
  s.next_out = reinterpret_cast<std::uint8_t*>(out);
  s.avail_out = limit;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && s.avail_out > 0) state = lzma_code(&s, LZMA_FINISH);
  if (state != LZMA_OK && state != LZMA_STREAM_END) throw UserError("{}: {}", path, complaint(state));
  return limit - s.avail_out;
}

}  // namespace

bool is_packed(const std::filesystem::path& path) { return ends_in(path.string(), ".xz") || ends_in(path.string(), ".npz"); }

Descriptor open_to_read(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.id() < 0) throw UserError("{}: {}", path.string(), std::strerror(errno));
  return file;
}

FileBytes::Mapping::Mapping(std::size_t size, int file) : bytes(size) {
  void* const at = file >= 0 ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0)
                             : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw UserError("{} bytes cannot be mapped: {}", bytes, std::strerror(errno));
  data = static_cast<char*>(at);
}

FileBytes::Mapping::~Mapping() { munmap(data, bytes); }

FileBytes::FileBytes(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file = open_to_read(path);
  struct stat status {};
  if (fstat(file.id(), &status) != 0) throw UserError("{}: {}", path.string(), std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw UserError(path.string() + ": not a regular file");
  if (status.st_size == 0) throw UserError(path.string() + ": empty file");
  const auto size = std::size_t(status.st_size);
  mapping_ = std::make_unique<Mapping>(is_packed(path) ? size : std::min(limit, size), file.id());
  view_ = {mapping_->data, mapping_->bytes};
  if (view_.starts_with("\x1f\x8b")) throw UserError(path.string() + ": gzip-compressed; unpack it first");
  if (!is_packed(path)) return;
  const bool zip = ends_in(path.string(), ".npz");
  const ZipMember member = zip ? array_of_zip(view_, path.string()) : ZipMember{};
  if (zip && !member.deflated) {
    view_ = member.packed.substr(0, limit);
    return;
  }
  auto unpacked = std::make_unique<Mapping>(limit, -1);
  view_ = {unpacked->data, zip ? inflate(member, unpacked->data, limit, path.string()) : unpack(view_, unpacked->data, limit, path.string())};
  mapping_ = std::move(unpacked);
}

}  // namespace km
