// Memory of the host that another process can map too.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace perturb {

// Blocks of one file without a name. Any thread.
class SharedMemory {
 public:
  // Made at the first call, and kept. Throws Error.
  static SharedMemory& of_process();
  // Whether a block is in it; false if it has not been made.
  static bool has(const void* block) noexcept;

  // The descriptor of the file, and its size. Another process maps the whole file.
  int file() const { return file_; }
  std::size_t size() const { return size_; }
  // Distance of a block from the begin of the file.
  std::size_t place(const void* block) const {
    return static_cast<std::size_t>(static_cast<const char*>(block) - begin_);
  }

  // Null: not enough memory.
  void* allocate(std::size_t bytes) noexcept;
  void release(void* block) noexcept;

 private:
  // Reserves addresses for as much as could be allocated; memory itself is taken by allocate().
  SharedMemory();

  int file_ = -1;
  char* begin_ = nullptr;
  std::size_t size_ = 0;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> blocks_;  // bytes of each, by its place
};

// During its lifetime, this thread allocates fields of the CPU in the shared memory.
class SharedAllocations {
 public:
  SharedAllocations();
  ~SharedAllocations();
  SharedAllocations(const SharedAllocations&) = delete;
  SharedAllocations& operator=(const SharedAllocations&) = delete;

  static bool are_on();
};

}  // namespace perturb
