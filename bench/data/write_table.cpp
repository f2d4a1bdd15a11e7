// Tables of numbers to .npy and .csv, through a temporary file beside them.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "bench/data/dataset.hpp"
#include "bench/error.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// fill(stream), then the file is there whole, or not at all. Throws UserError.
template <class Fill>
void write_whole(const fs::path& path, Fill fill) {
  const fs::path part = path.string() + fmt::format(".{}.part", getpid());
  std::error_code error;
  std::ofstream out(part, std::ios::binary);
  fill(out);
  const bool written = bool(out.flush());
  out.close();
  if (written) fs::rename(part, path, error);
  if (written && !error) return;
  const std::string why = error ? error.message() : std::generic_category().message(errno);
  fs::remove(part, error);
  throw UserError(fmt::format("cannot write {}: {}", path.string(), why));
}

}  // namespace

template <class T>
void write_npy(const fs::path& path, std::span<const T> values, std::int64_t n, int d) {
  if (values.size() != std::size_t(n) * std::size_t(d)) throw std::logic_error("write_npy: n x d is not the number of values");
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", sizeof(T), n, d);
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  write_whole(path, [&](std::ostream& out) {
    out << std::string_view("\x93NUMPY\x01\0", 8) << char(header.size() & 0xff) << char(header.size() >> 8) << header;
    out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size_bytes()));
  });
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
template void write_csv(const fs::path&, std::span<const float>, std::int64_t, int);
template void write_csv(const fs::path&, std::span<const double>, std::int64_t, int);

}  // namespace km
