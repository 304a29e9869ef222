// The checksum of saved states: XXH64 detects accidental damage as well as 64 bits can, and is faster than a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#define XXH_INLINE_ALL
#define XXH_NO_XXH3  // its vector code includes headers that Emscripten lacks
#include <xxhash.h>

namespace perturb {

// Accepts the bytes in pieces of any size.
class XxHash64 {
 public:
  explicit XxHash64(std::uint64_t seed = 0) { XXH64_reset(&state_, seed); }
  void add(std::span<const std::byte> bytes) { XXH64_update(&state_, bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH64_digest(&state_); }

 private:
  XXH64_state_t state_;
};

}  // namespace perturb
