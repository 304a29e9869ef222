#include "cuda/core/backend/shared_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/main_memory.h"

namespace perturb {

namespace {

constexpr std::size_t page = 4096;

std::atomic<const SharedMemory*> made_memory{nullptr};
thread_local int shared_allocations = 0;

std::size_t whole_pages(std::size_t bytes) { return std::max<std::size_t>(1, (bytes + page - 1) / page) * page; }

}  // namespace

SharedMemory::SharedMemory() {
  file_ = memfd_create("perturb-fields", MFD_CLOEXEC);
  // Of limited addresses (ulimit -v) others need some too.
  size_ = whole_pages(main_memory().free / 2);
  void* memory = MAP_FAILED;
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(size_)) == 0)
    memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) {
    const int why = errno;
    if (file_ >= 0) close(file_);
    throw Error("Cannot share memory with another process ({}). Close other programs and try again.",
                std::strerror(why));
  }
  begin_ = static_cast<char*>(memory);
}

SharedMemory& SharedMemory::of_process() {
  // Never destroyed: a field may be released later than any static variable.
  static SharedMemory& made = []() -> SharedMemory& {
    auto* const memory = new SharedMemory;
    made_memory = memory;
    return *memory;
  }();
  return made;
}

bool SharedMemory::has(const void* block) noexcept {
  const SharedMemory* const memory = made_memory.load();
  return memory && block >= memory->begin_ && block < static_cast<const void*>(memory->begin_ + memory->size_);
}

void* SharedMemory::allocate(std::size_t bytes) noexcept {
  const std::size_t whole = whole_pages(bytes);
  const std::lock_guard lock(mutex_);
  std::size_t place = 0;
  for (const auto& [begin, taken] : blocks_) {
    if (begin - place >= whole) break;
    place = begin + taken;
  }
  // A file that has no memory left would end the process at the first access.
  if (size_ - place < whole || fallocate(file_, 0, static_cast<off_t>(place), static_cast<off_t>(whole)) != 0)
    return nullptr;
  try {
    blocks_.emplace(place, whole);
  } catch (...) {
    return nullptr;
  }
  return begin_ + place;
}

void SharedMemory::release(void* block) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(place(block));
  if (found == blocks_.end()) return;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(found->first),
            static_cast<off_t>(found->second));
  blocks_.erase(found);
}

SharedAllocations::SharedAllocations() {
  SharedMemory::of_process();
  ++shared_allocations;
}
SharedAllocations::~SharedAllocations() { --shared_allocations; }
bool SharedAllocations::are_on() { return shared_allocations > 0; }

}  // namespace perturb
