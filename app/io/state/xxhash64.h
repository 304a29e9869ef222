// XXH64, the checksum of saved states: detects accidental damage as well as 64 bits can, and is faster than a disk.
// `xxhsum -H64` computes the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perturb {

// Accepts the bytes in pieces of any size. The algorithm is Yann Collet's, https://github.com/Cyan4973/xxHash (seed 0).
class XxHash64 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  void take_stripe(const std::byte* stripe);

  static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu;
  static constexpr std::size_t stripe_bytes = 32;

  std::uint64_t lanes_[4] = {prime_1 + prime_2, prime_2, 0, std::uint64_t{0} - prime_1};
  std::byte rest_[stripe_bytes] = {};
  std::size_t rest_size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace perturb
