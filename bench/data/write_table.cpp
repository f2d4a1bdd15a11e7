// Writes tables of numbers to .npy and .csv through temporary files.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "bench/base/descriptor.hpp"
#include "bench/base/error.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/data/dataset.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// Returns the header of values of a type ("f4") and shape ("10, 3"). Its length is a multiple of 64.
std::string npy_header(std::string_view type, std::string_view shape) {
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  return std::string("\x93NUMPY\x01\0", 8) + char(header.size() & 0xff) + char(header.size() >> 8) + header;
}

template <class T>
std::string header_of_table(std::int64_t n, int d) {
  return npy_header(sizeof(T) == 4 ? "f4" : "f8", fmt::format("{}, {}", n, d));
}

template <class T>
void write_values(const fs::path& path, std::string_view header, std::span<const T> values) {
  write_whole(path,
              [&](std::ostream& out) { (out << header).write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size_bytes())); });
}

/// A mapped temporary file of fixed size, deleted unless kept.
class MappedPart {
 public:
  MappedPart(const fs::path& path, std::size_t bytes) : part_(path), bytes_(bytes) {
    std::error_code unknown;
    const auto space = fs::space(part_.path().parent_path(), unknown);
    if (!unknown && bytes > space.available)
      throw UserError("cannot write {}: it takes {:.3g} GiB, {:.3g} GiB of the disk are free", path.string(), double(bytes) / (1 << 30),
                      double(space.available) / (1 << 30));
    const Descriptor file(::open(part_.path().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.id() < 0) part_.refuse(errno);
    if (const int error = ::posix_fallocate(file.id(), 0, off_t(bytes))) part_.refuse(error);  // detects a full disk
    data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.id(), 0);
    if (data_ == MAP_FAILED) part_.refuse(errno);
  }
  ~MappedPart() { ::munmap(data_, bytes_); }
  MappedPart(MappedPart&&) = delete;

  char* data() const { return static_cast<char*>(data_); }

  void keep() {
    if (::msync(data_, bytes_, MS_SYNC) != 0) part_.refuse(errno);
    part_.keep();
  }

 private:
  PartFile part_;
  std::size_t bytes_;
  void* data_;
};

}  // namespace

template <class T>
void write_npy(const fs::path& path, std::span<const T> values, std::int64_t n, int d) {
  if (values.size() != std::size_t(n) * std::size_t(d)) throw std::logic_error("write_npy: n x d is not the number of values");
  write_values(path, header_of_table<T>(n, d), values);
}

void write_labels(const fs::path& path, std::span<const std::int32_t> labels) {
  write_values(path, npy_header("i4", fmt::format("{},", labels.size())), labels);
}

template <class T>
void fill_npy(const fs::path& path, std::int64_t n, int d, const std::function<void(std::span<T>)>& fill) {
  const std::string header = header_of_table<T>(n, d);
  const std::size_t count = std::size_t(n) * std::size_t(d);
  MappedPart part(path, header.size() + count * sizeof(T));
  std::ranges::copy(header, part.data());
  fill({reinterpret_cast<T*>(part.data() + header.size()), count});
  part.keep();
}

template <class T>
void write_csv(const fs::path& path, std::span<const T> values, std::int64_t n, int d) {
  if (values.size() != std::size_t(n) * std::size_t(d)) throw std::logic_error("write_csv: n x d is not the number of values");
  write_whole(path, [&](std::ostream& out) {
    std::string line;
    for (std::int64_t i = 0; i < n && out; ++i) {
      line.clear();
      for (int j = 0; j < d; ++j) fmt::format_to(std::back_inserter(line), "{}{}", values[std::size_t(i * d + j)], j + 1 < d ? ',' : '\n');
      out << line;
    }
  });
}

template void write_npy(const fs::path&, std::span<const float>, std::int64_t, int);
template void write_npy(const fs::path&, std::span<const double>, std::int64_t, int);
template void fill_npy(const fs::path&, std::int64_t, int, const std::function<void(std::span<float>)>&);
template void fill_npy(const fs::path&, std::int64_t, int, const std::function<void(std::span<double>)>&);
template void write_csv(const fs::path&, std::span<const float>, std::int64_t, int);
template void write_csv(const fs::path&, std::span<const double>, std::int64_t, int);

}  // namespace km
