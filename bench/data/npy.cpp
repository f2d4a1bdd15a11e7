#include "bench/data/npy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <regex>
#include <span>

#include "bench/data/file_bytes.hpp"
#include "bench/error.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view types = "f4, f8, u1, i1, u2, i2, i4, i8";

struct Header {
  std::string type;   // f4, u1, …
  bool fortran = false;
  std::int64_t n = 0;
  int d = 0;
  std::size_t offset = 0;
};

Header parse_header(std::string_view bytes, const std::string& path) {
  const auto refuse = [&](std::string_view why) { return UserError(fmt::format("{}: {}", path, why)); };
  const auto byte = [&](std::size_t at) { return std::size_t(static_cast<unsigned char>(bytes[at])); };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) throw refuse("not a .npy file");
  Header h;
  h.offset = byte(6) == 1 ? 10 + (byte(8) | byte(9) << 8) : 12 + (byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24);
  if (h.offset > bytes.size()) throw refuse("the header is cut short");
  const std::string text(bytes.substr(10, h.offset - 10));
  const auto field = [&](const char* pattern) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : std::string();
  };
  const std::string type = field("'descr': *'([^']*)'"), shape = field("'shape': *\\(([^)]*)\\)");
  h.fortran = field("'fortran_order': *(True|False)") == "True";
  if (type.size() != 3 || type[0] == '>' || types.find(type.substr(1)) == types.npos)
    throw refuse(fmt::format("values of type '{}' are not read; accepted, little-endian: {}", type, types));
  h.type = type.substr(1);
  std::smatch size;
  if (!std::regex_match(shape, size, std::regex("(\\d{1,15}), *(\\d{1,9}),?"))) throw refuse(fmt::format("shape ({}) is not rows x columns", shape));
  h.n = std::stoll(size[1]);
  h.d = int(std::stoll(size[2]));
  if (h.n == 0 || h.d == 0) throw refuse(fmt::format("shape ({}) holds no points", shape));
  return h;
}

template <class From, class T>
void convert(const char* from, const Header& h, std::int64_t n, T* to) {
  const auto at = [&](std::int64_t i) {   // the file may lie at any alignment
    From value;
    std::memcpy(&value, from + i * std::int64_t(sizeof(From)), sizeof(From));
    return T(value);
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i)
    for (int j = 0; j < h.d; ++j) to[i * h.d + j] = h.fortran ? at(j * h.n + i) : at(i * h.d + j);
}

}  // namespace

DatasetShape npy_shape(const fs::path& path) {
  const FileBytes file(path, 1 << 16);
  const Header h = parse_header(file.view(), path.string());
  return {h.n, h.d};
}

template <class T>
std::unique_ptr<T[]> read_npy(const fs::path& path, std::int64_t n) {
  const FileBytes file(path);
  const Header h = parse_header(file.view(), path.string());
  const std::size_t value_bytes = std::size_t(h.type[1] - '0'), need = std::size_t(h.n) * std::size_t(h.d) * value_bytes;
  const std::size_t have = file.view().size() - h.offset;
  if (have < need) throw UserError(fmt::format("{}: cut short, {} of {} bytes of values", path.string(), have, need));
  std::unique_ptr<T[]> out(new T[std::size_t(n) * std::size_t(h.d)]);
  const char* from = file.view().data() + h.offset;
  if (h.type == "f4") convert<float>(from, h, n, out.get());
  else if (h.type == "f8") convert<double>(from, h, n, out.get());
  else if (h.type == "u1") convert<std::uint8_t>(from, h, n, out.get());
  else if (h.type == "i1") convert<std::int8_t>(from, h, n, out.get());
  else if (h.type == "u2") convert<std::uint16_t>(from, h, n, out.get());
  else if (h.type == "i2") convert<std::int16_t>(from, h, n, out.get());
  else if (h.type == "i4") convert<std::int32_t>(from, h, n, out.get());
  else convert<std::int64_t>(from, h, n, out.get());
  return out;
}

template <class T>
void write_npy(const fs::path& path, std::span<const T> values, std::int64_t n, int d) {
  if (values.size() != std::size_t(n) * std::size_t(d)) throw std::logic_error("write_npy: n x d is not the number of values");
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", sizeof(T), n, d);
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  const fs::path part = path.string() + fmt::format(".{}.part", getpid());
  {
    std::ofstream out(part, std::ios::binary);
    out << std::string_view("\x93NUMPY\x01\0", 8) << char(header.size() & 0xff) << char(header.size() >> 8) << header;
    out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size_bytes()));
    if (!out.flush()) {
      std::error_code ignored;
      fs::remove(part, ignored);
      throw UserError(fmt::format("{} cannot be written", path.string()));
    }
  }
  fs::rename(part, path);
}

template std::unique_ptr<float[]> read_npy(const fs::path&, std::int64_t);
template std::unique_ptr<double[]> read_npy(const fs::path&, std::int64_t);
template void write_npy(const fs::path&, std::span<const float>, std::int64_t, int);
template void write_npy(const fs::path&, std::span<const double>, std::int64_t, int);

}  // namespace km
