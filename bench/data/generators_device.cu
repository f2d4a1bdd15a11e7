// Generators on the GPU. The numbers come first, as doubles; then a thread makes each value from them. Groups are drawn on the host: the shuffle of a
// run is sequential.
#include <algorithm>
#include <map>
#include <string>

#include "bench/data/generators_device.hpp"
#include "bench/device/cuda.cuh"

namespace km {
namespace {

constexpr int threads = 256;
constexpr std::int64_t chunk_values = std::int64_t{1} << 25;

/// Normals first to first + size - 1 of a stream; a thread makes the four of a Philox block.
__global__ void draw_normals(Random random, std::int64_t first, std::int64_t size, double* out) {
  const std::int64_t block = first / 4 + std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto words = random.block(block);
  double x[4];
  pair_of_normals(std::sqrt(length2_of_pair(words[0])), words[1], x);
  pair_of_normals(std::sqrt(length2_of_pair(words[2])), words[3], x + 2);
#pragma unroll
  for (int l = 0; l < 4; ++l)
    if (const std::int64_t at = 4 * block + l - first; at >= 0 && at < size) out[at] = x[l];
}

/// The same for uniforms, of which a block gives two.
__global__ void draw_uniforms(Random random, std::int64_t first, std::int64_t size, double* out) {
  const std::int64_t block = first / 2 + std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto words = random.block(block);
#pragma unroll
  for (int l = 0; l < 2; ++l)
    if (const std::int64_t at = 2 * block + l - first; at >= 0 && at < size) out[at] = unit(words[2 * l], words[2 * l + 1]);
}

/// out[at] = value(at) for all of `size`.
template <class T, class Value>
__global__ void fill_values(std::int64_t size, Value value, T* out) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < size) out[at] = T(value(at));
}

/// The arrays of one chunk of rows, and all groups' centroids or codes.
template <class T>
struct Chunk {
  Chunk(const Recipe& r, std::int64_t most_rows, const std::vector<double>& of_groups)
      : recipe(r), x(most_rows * r.d), y(most_rows * r.d), own(std::ssize(of_groups)), groups(of_groups.empty() ? 0 : most_rows),
        out(most_rows * r.d) {
    if (!of_groups.empty()) cuda::upload(own, std::span(of_groups), stream);
  }

  std::int64_t values() const { return rows * recipe.d; }
  void normals(Stream of, std::int64_t at, std::int64_t size, cuda::Buffer<double>& to) {
    draw_normals<<<cuda::blocks(size / 4 + 2, threads), threads, 0, stream>>>(Random(recipe.seed, of), at, size, to.data());
    cuda::check_launch();
  }
  void uniforms(Stream of, std::int64_t at, std::int64_t size, cuda::Buffer<double>& to) {
    draw_uniforms<<<cuda::blocks(size / 2 + 2, threads), threads, 0, stream>>>(Random(recipe.seed, of), at, size, to.data());
    cuda::check_launch();
  }
  template <class V, class Value>
  void fill(std::int64_t size, cuda::Buffer<V>& to, Value value) {
    fill_values<<<cuda::blocks(size, threads), threads, 0, stream>>>(size, value, to.data());
    cuda::check_launch();
  }

  const Recipe& recipe;
  cuda::Stream stream;
  cuda::Buffer<double> x, y, own;
  cuda::Buffer<std::int32_t> groups;
  cuda::Buffer<T> out;
  std::int64_t first = 0, rows = 0;
};

template <class T>
void balls(Chunk<T>& c) {
  const int d = c.recipe.d;
  const double radius = c.recipe["radius"];
  c.normals(of_values, c.first * d, c.values(), c.x);
  c.uniforms(of_radii, c.first, c.rows, c.y);
  const double *const x = c.x.data(), *const own = c.own.data();
  double* const scale = c.y.data();
  const std::int32_t* const groups = c.groups.data();
  c.fill(c.rows, c.y, [=] __device__(std::int64_t i) { return scale_to_ball(x + i * d, d, -log_of(scale[i]), radius); });
  c.fill(c.values(), c.out, [=] __device__(std::int64_t at) {
    const std::int64_t i = at / d;
    return std::fma(x[at], scale[i], own[groups[i] * std::int64_t(d) + at % d]);
  });
}

template <class T>
void gaussians(Chunk<T>& c) {
  const int d = c.recipe.d;
  const double sigma = deviation(c.recipe);
  c.normals(of_values, c.first * d, c.values(), c.x);
  const double *const x = c.x.data(), *const own = c.own.data();
  const std::int32_t* const groups = c.groups.data();
  c.fill(c.values(), c.out, [=] __device__(std::int64_t at) { return std::fma(x[at], sigma, own[groups[at / d] * std::int64_t(d) + at % d]); });
}

template <class T>
void uniform(Chunk<T>& c) {
  const double low = c.recipe["low"], width = c.recipe["high"] - low;
  c.uniforms(of_values, c.first * c.recipe.d, c.values(), c.x);
  const double* const x = c.x.data();
  c.fill(c.values(), c.out, [=] __device__(std::int64_t at) { return std::fma(x[at], width, low); });
}

template <class T>
void integers(Chunk<T>& c) {
  const int d = c.recipe.d;
  const double low = c.recipe["low"], purity = c.recipe["purity"], codes = c.recipe["high"] - low + 1;
  c.uniforms(of_values, c.first * d, c.values(), c.x);
  c.uniforms(of_choices, c.first * d, c.values(), c.y);
  const double *const any = c.x.data(), *const choices = c.y.data(), *const own = c.own.data();
  const std::int32_t* const groups = c.groups.data();
  c.fill(c.values(), c.out, [=] __device__(std::int64_t at) {
    return code_of(choices[at], purity, own[groups[at / d] * std::int64_t(d) + at % d], any[at], low, codes);
  });
}

template <class T>
struct OnDevice {
  void (*make)(Chunk<T>&);
  std::vector<double> (*of_groups)(const Recipe&);  // null: no groups
};

template <class T>
const std::map<std::string, OnDevice<T>> on_device = {{"balls", {balls<T>, group_centroids}},
                                                      {"gaussians", {gaussians<T>, group_centroids}},
                                                      {"uniform", {uniform<T>, nullptr}},
                                                      {"integers", {integers<T>, own_codes}}};

/// Touches every page from all threads, as the generators of the CPU do: the first to touch a page decides its memory node.
template <class T>
void touch(std::span<T> values) {
  constexpr std::int64_t step = 4096 / sizeof(T);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < std::ssize(values); at += step) values[std::size_t(at)] = 0;
}

}  // namespace

template <class T>
bool make_on_device(const Generator& generator, const Recipe& r, std::int64_t begin, std::span<T> points) try {
  const auto found = on_device<T>.find(generator.name);
  if (found == on_device<T>.end() || points.empty() || !device::available()) return false;
  const auto& [make, of_groups] = found->second;
  const std::int64_t end = begin + std::ssize(points) / r.d, run = of_groups ? Groups(r).run() : 1;
  const std::int64_t step = std::max<std::int64_t>(1, chunk_values / r.d / run) * run;  // whole runs: none is shuffled twice
  Chunk<T> chunk(r, std::min(step, end - begin), of_groups ? of_groups(r) : std::vector<double>());
  std::vector<std::int32_t> groups;
  for (chunk.first = begin; chunk.first < end; chunk.first += chunk.rows) {
    chunk.rows = std::min(end, (chunk.first / step + 1) * step) - chunk.first;
    if (of_groups) {
      groups.resize(std::size_t(chunk.rows));
      groups_from(r, chunk.first, groups);
      cuda::upload(chunk.groups, std::span<const std::int32_t>(groups), chunk.stream);
    }
    make(chunk);
    const auto part = points.subspan(std::size_t((chunk.first - begin) * r.d), std::size_t(chunk.values()));
    touch(part);
    cuda::download(part.data(), chunk.out.data(), part.size_bytes(), chunk.stream);
  }
  return true;
} catch (const device::Error&) {  // out of memory, or another process holds the device
  return false;
}

template bool make_on_device(const Generator&, const Recipe&, std::int64_t, std::span<float>);
template bool make_on_device(const Generator&, const Recipe&, std::int64_t, std::span<double>);

}  // namespace km
