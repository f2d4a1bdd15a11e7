#include "bench/data/values.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <system_error>

namespace km {
namespace {

const std::size_t page = std::size_t(::sysconf(_SC_PAGESIZE));

struct Region {
  char* begin = nullptr;  // of the mapping
  std::size_t pages = 0;  // readable pages; an inaccessible one follows
  char* values = nullptr;
  const char* name = nullptr;
};

/// A fixed table that a signal handler may read.
std::array<Region, 64> regions;
std::mutex regions_mutex;  // threads that load at once enter and leave in turns

Region* region_of(const void* values) {
  for (auto& region : regions)
    if (region.values == values) return &region;
  return nullptr;
}

std::size_t pages_for(std::size_t bytes) { return (bytes + page - 1) / page; }

/// Reserves address space for `pages` and the guard page.
char* reserve(std::size_t pages) {
  void* const at = ::mmap(nullptr, (pages + 1) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(at);
}

void* enter(const Region& region) {
  const std::lock_guard turn(regions_mutex);
  Region* const free = region_of(nullptr);
  if (!free) {
    ::munmap(region.begin, (region.pages + 1) * page);
    throw std::bad_alloc();
  }
  *free = region;
  return region.values;
}

void protect(void* values, int protection, const char* name) {
  if (Region* region = region_of(values)) {
    if (::mprotect(region->begin, region->pages * page, protection) != 0) throw std::system_error(errno, std::generic_category(), "mprotect");
    region->name = name;
  }
}

}  // namespace

void* map_values(std::size_t bytes) {
  if (bytes == 0) bytes = 1;
  const std::size_t pages = pages_for((bytes + 63) / 64 * 64);
  char* const begin = reserve(pages);
  if (::mprotect(begin, pages * page, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(begin, (pages + 1) * page);
    throw std::bad_alloc();
  }
  return enter({begin, pages, begin + pages * page - (bytes + 63) / 64 * 64, nullptr});
}

void* map_file_values(int file, std::size_t offset, std::size_t bytes, const char* what) {
  const std::size_t before = offset % page, pages = pages_for(before + bytes);
  char* const begin = reserve(pages);
  // The file is open read-only, so nobody can enable writing.
  if (::mmap(begin, pages * page, PROT_READ, MAP_SHARED | MAP_FIXED, file, off_t(offset - before)) == MAP_FAILED) {
    ::munmap(begin, (pages + 1) * page);
    throw std::bad_alloc();
  }
  return enter({begin, pages, begin + before, what});
}

void Unmap::operator()(void* values) const noexcept {
  const std::lock_guard turn(regions_mutex);
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
