// Replaces shared_memory.cpp where there is only one process: in the web page.
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/shared_memory.h"

namespace perturb {

SharedMemory::SharedMemory() { throw Error("internal: the web page has no other process"); }
SharedMemory& SharedMemory::of_process() {
  static SharedMemory made;
  return made;
}
bool SharedMemory::has(const void*) noexcept { return false; }
void* SharedMemory::allocate(std::size_t) noexcept { return nullptr; }
void SharedMemory::release(void*) noexcept {}

SharedAllocations::SharedAllocations() { SharedMemory::of_process(); }
SharedAllocations::~SharedAllocations() = default;
bool SharedAllocations::are_on() { return false; }

}  // namespace perturb
