#include "bench/data/values.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <new>

namespace km {
namespace {

constexpr std::size_t page = 4096;

struct Region {
  char* begin = nullptr;  // of the mapping
  std::size_t pages = 0;  // that may be read; one more follows that may not
  char* values = nullptr;
  const char* name = nullptr;
};

/// A fixed table, so that a signal handler may read it.
std::array<Region, 64> regions;

Region* region_of(const void* values) {
  for (auto& region : regions)
    if (region.values == values) return &region;
  return nullptr;
}

std::size_t pages_for(std::size_t bytes) { return (bytes + page - 1) / page; }

void protect(void* values, int protection, const char* name) {
  if (Region* region = region_of(values)) {
    region->name = name;
    ::mprotect(region->begin, region->pages * page, protection);
  }
}

}  // namespace

void* map_values(std::size_t bytes) {
  if (bytes == 0) bytes = 1;
  const std::size_t pages = pages_for((bytes + 63) / 64 * 64);
  void* at = ::mmap(nullptr, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(at);
  ::mprotect(begin + pages * page, page, PROT_NONE);
  char* const values = begin + pages * page - (bytes + 63) / 64 * 64;
  Region* free = region_of(nullptr);
  if (!free) {
    ::munmap(begin, (pages + 1) * page);
    throw std::bad_alloc();
  }
  *free = {begin, pages, values, nullptr};
  return values;
}

void Unmap::operator()(void* values) const noexcept {
  if (Region* region = region_of(values)) {
    ::munmap(region->begin, (region->pages + 1) * page);
    *region = {};
  }
}

void protect_values(void* values, const char* what) { protect(values, PROT_READ, what); }
void unprotect_values(void* values) { protect(values, PROT_READ | PROT_WRITE, nullptr); }

const char* values_at(const void* address, bool& past_the_end) {
  for (const auto& region : regions) {
    const char* at = static_cast<const char*>(address);
    if (!region.name || at < region.begin || at >= region.begin + (region.pages + 1) * page) continue;
    past_the_end = at >= region.begin + region.pages * page;
    return region.name;
  }
  return nullptr;
}

}  // namespace km
