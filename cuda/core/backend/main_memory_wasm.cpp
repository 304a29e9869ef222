// The memory of a WebAssembly module: up to the linker's limit; the system extends it as needed.
#include <cstdint>
#include <cstdlib>

#include <emscripten/heap.h>
#include <malloc.h>
#include <unistd.h>

#include "cuda/core/backend/main_memory.h"

namespace perturb {

bool memory_of_process_is_limited() { return false; }

MainMemory main_memory(const std::string&) {
  const std::size_t total = emscripten_get_heap_max();
  const std::size_t taken = reinterpret_cast<std::uintptr_t>(sbrk(0));
  return {total - taken + mallinfo().fordblks, total};
}

void* allocate_main_memory(std::size_t bytes) { return std::aligned_alloc(256, bytes == 0 ? 256 : bytes); }

}  // namespace perturb
