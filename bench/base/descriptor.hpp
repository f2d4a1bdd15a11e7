// An open file, pipe or socket, which is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace km {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int id) : id_(id) {}  // as open() returns it; -1: none
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  int id() const { return id_; }
  void close() {
    if (id_ >= 0) ::close(id_);
    id_ = -1;
  }

 private:
  int id_ = -1;
};

}  // namespace km
