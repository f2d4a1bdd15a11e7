#include "bench/data/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bench/base/error.hpp"
#include "bench/data/zip.hpp"

namespace km {
namespace {

constexpr std::uint64_t most_dictionary = 80 << 20;  // bytes; xz -9 needs 65 MiB

struct Descriptor {
  int id;
  ~Descriptor() {
    if (id >= 0) close(id);
  }
};

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
  struct Decoder {
    lzma_stream stream = LZMA_STREAM_INIT;
    ~Decoder() { lzma_end(&stream); }
  } decoder;
  lzma_stream& s = decoder.stream;
  if (lzma_stream_decoder(&s, most_dictionary, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  s.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  s.avail_in = packed.size();
  s.next_out = reinterpret_cast<std::uint8_t*>(out);
  s.avail_out = limit;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && s.avail_out > 0) state = lzma_code(&s, LZMA_FINISH);
  if (state != LZMA_OK && state != LZMA_STREAM_END) throw UserError(fmt::format("{}: {}", path, complaint(state)));
  return limit - s.avail_out;
}

}  // namespace

bool is_packed(const std::filesystem::path& path) { return path.extension() == ".xz" || path.extension() == ".npz"; }

FileBytes::Mapping::Mapping(std::size_t size, int file) : bytes(size) {
  void* const at = file >= 0 ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0)
                             : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw UserError(fmt::format("{} bytes cannot be mapped: {}", bytes, std::strerror(errno)));
  data = static_cast<char*>(at);
}

FileBytes::Mapping::~Mapping() { munmap(data, bytes); }

FileBytes::FileBytes(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a pipe without a writer must not block
  struct stat status {};
  if (file.id < 0 || fstat(file.id, &status) != 0) throw UserError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw UserError(path.string() + ": not a regular file");
  if (status.st_size == 0) throw UserError(path.string() + ": empty file");
  const auto size = std::size_t(status.st_size);
  mapping_ = std::make_unique<Mapping>(is_packed(path) ? size : std::min(limit, size), file.id);
  view_ = {mapping_->data, mapping_->bytes};
  if (!is_packed(path)) return;
  const bool zip = path.extension() == ".npz";
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
