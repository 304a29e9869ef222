#include "app/io/state/xxhash64.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace perturb {

namespace {

static_assert(std::endian::native == std::endian::little, "words of the input are taken as they lie");

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87u, prime_2 = 0xC2B2AE3D27D4EB4Fu, prime_3 = 0x165667B19E3779F9u,
                        prime_4 = 0x85EBCA77C2B2AE63u, prime_5 = 0x27D4EB2F165667C5u;

template <class Word>
std::uint64_t word_at(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint64_t mix(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * prime_2, 31) * prime_1; }

}  // namespace

void XxHash64::take_stripe(const std::byte* stripe) {
  for (int k = 0; k < 4; ++k) lanes_[k] = mix(lanes_[k], word_at<std::uint64_t>(stripe + 8 * k));
}

void XxHash64::add(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (rest_size_ > 0) {
    const std::size_t taken = std::min(stripe_bytes - rest_size_, bytes.size());
    if (taken > 0) std::memcpy(rest_ + rest_size_, bytes.data(), taken);
    rest_size_ += taken, bytes = bytes.subspan(taken);
    if (rest_size_ < stripe_bytes) return;
    take_stripe(rest_);
    rest_size_ = 0;
  }
  for (; bytes.size() >= stripe_bytes; bytes = bytes.subspan(stripe_bytes)) take_stripe(bytes.data());
  if (!bytes.empty()) std::memcpy(rest_, bytes.data(), bytes.size());
  rest_size_ = bytes.size();
}

std::uint64_t XxHash64::value() const {
  std::uint64_t hash = prime_5;
  if (total_ >= stripe_bytes) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = (hash ^ mix(0, lane)) * prime_1 + prime_4;
  }
  hash += total_;
  std::size_t at = 0;
  for (; at + 8 <= rest_size_; at += 8)
    hash = std::rotl(hash ^ mix(0, word_at<std::uint64_t>(rest_ + at)), 27) * prime_1 + prime_4;
  for (; at + 4 <= rest_size_; at += 4)
    hash = std::rotl(hash ^ (word_at<std::uint32_t>(rest_ + at) * prime_1), 23) * prime_2 + prime_3;
  for (; at < rest_size_; ++at) hash = std::rotl(hash ^ (word_at<std::uint8_t>(rest_ + at) * prime_5), 11) * prime_1;
  hash = (hash ^ (hash >> 33)) * prime_2;
  hash = (hash ^ (hash >> 29)) * prime_3;
  return hash ^ (hash >> 32);
}

}  // namespace perturb
