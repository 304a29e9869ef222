// The single entry point for field memory on either backend, so that tests can count allocations and make them fail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perturb {

class Backend;

// Allocates `bytes` of memory that kernels of `backend` can access, aligned to 256 bytes and set to zero. Throws Error
// with the requested and the free memory if there is not enough, and Stopped under InterruptibleScope. `label` names
// the field in the message. With `from`, memory of `backend` of the same size, the result is a copy of it instead of
// zeros: the first write to untouched pages is slow, so they should not be written twice.
void* allocate_memory(Backend& backend, std::size_t bytes, const char* label, const void* from = nullptr);
void release_memory(Backend& backend, void* pointer, std::size_t bytes) noexcept;

// For tests: the `countdown`-th call of allocate_memory from now fails as if memory had run out (0: the next one; -1:
// none).
void fail_memory_after(std::int64_t countdown);

}  // namespace perturb
