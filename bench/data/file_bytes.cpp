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

#include "bench/error.hpp"

namespace km {
namespace {

struct Descriptor {
  int id;
  ~Descriptor() { if (id >= 0) close(id); }
};

std::vector<char> unpack(std::string_view packed, std::size_t limit, const std::string& path) {
  struct Decoder {
    lzma_stream stream = LZMA_STREAM_INIT;
    ~Decoder() { lzma_end(&stream); }
  } decoder;
  lzma_stream& s = decoder.stream;
  if (lzma_stream_decoder(&s, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  s.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  s.avail_in = packed.size();
  std::vector<char> out;
  for (lzma_ret state = LZMA_OK; state != LZMA_STREAM_END && out.size() < limit;) {
    const std::size_t had = out.size(), room = std::min(limit - had, std::max<std::size_t>(had, 1 << 16));
    out.resize(had + room);
    s.next_out = reinterpret_cast<std::uint8_t*>(out.data() + had);
    s.avail_out = room;
    state = lzma_code(&s, LZMA_FINISH);
    out.resize(had + room - s.avail_out);
    if (state != LZMA_OK && state != LZMA_STREAM_END) throw UserError(path + ": not a whole .xz file");
  }
  return out;
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status{};
  if (file.id < 0 || fstat(file.id, &status) != 0) throw UserError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw UserError(path.string() + ": not a file");
  if (status.st_size == 0) throw UserError(path.string() + ": empty file");
  mapped_bytes_ = std::size_t(status.st_size);
  mapped_ = mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE, file.id, 0);
  if (mapped_ == MAP_FAILED) throw UserError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  view_ = {static_cast<const char*>(mapped_), mapped_bytes_};
  if (path.extension() == ".xz") {
    try {
      unpacked_ = unpack(view_, limit, path.string());
    } catch (...) {
      munmap(mapped_, mapped_bytes_);
      throw;
    }
    view_ = {unpacked_.data(), unpacked_.size()};
  }
  view_ = view_.substr(0, limit);
}

FileBytes::~FileBytes() { munmap(mapped_, mapped_bytes_); }

}  // namespace km
