// The one door through which memory for fields is taken, on either backend, so that it can be
// counted and refused in tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perturb {

class Backend;

// Takes `bytes` of memory that kernels of `backend` may touch, aligned to 256 bytes and set to zero. Throws
// Error with what was asked and what is left when there is not enough, and Stopped under InterruptibleScope. `label`
// names the field in that sentence. With `from` it holds what that does, memory of `backend` of the same size, instead
// of zeros: pages that nobody has touched yet are slow to write, and need not be written twice.
void* allocate_memory(Backend& backend, std::size_t bytes, const char* label, const void* from = nullptr);
void release_memory(Backend& backend, void* pointer, std::size_t bytes) noexcept;

// For tests: the `countdown`-th call of allocate_memory from now fails as if memory had run out (0:
// the next one; -1: none).
void fail_memory_after(std::int64_t countdown);

}  // namespace perturb
