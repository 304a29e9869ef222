#include "cuda/core/backend/field.h"

#include <atomic>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/message.h"

namespace perturb {

namespace {
std::atomic<std::int64_t> countdown_to_failure{-1};
}

void fail_memory_after(std::int64_t countdown) { countdown_to_failure = countdown; }

void* allocate_memory(Backend& backend, std::size_t bytes, const char* label, const void* from) {
  const bool rejected = countdown_to_failure.load() >= 0 && countdown_to_failure.fetch_sub(1) == 0;
  const std::size_t whole = (bytes + 255) / 256 * 256;
  void* pointer = rejected ? nullptr : backend.allocate(whole);
  if (!pointer)
    throw Error("Not enough memory for the {}: it needs {}, and {} of {} are free on {}. Choose a smaller size.", label,
                format_bytes(bytes), format_bytes(backend.free_memory()), format_bytes(backend.total_memory()),
                backend.device_name());
  try {
    if (from)
      backend.copy_within(pointer, from, whole);
    else
      backend.fill_zero(pointer, whole);
  } catch (...) {
    backend.release(pointer);
    throw;
  }
  backend.memory_in_use_ += bytes;
  return pointer;
}

void release_memory(Backend& backend, void* pointer, std::size_t bytes) noexcept {
  backend.memory_in_use_ -= bytes;
  backend.release(pointer);
}

}  // namespace perturb
