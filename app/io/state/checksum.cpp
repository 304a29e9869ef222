#include "app/io/state/checksum.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cuda/core/backend/check.h"

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

namespace {

constexpr std::string_view checksum_header_name = "perturb-seal ";

std::string checksum_header_line(std::uint64_t checksum, std::uint64_t bytes) {
  char line[80];
  std::snprintf(line, sizeof line, "xxh64=%016llx bytes=%llu\n", static_cast<unsigned long long>(checksum),
                static_cast<unsigned long long>(bytes));
  return std::string(checksum_header_name) + line;
}

std::size_t read_some(int file, std::span<std::byte> into, std::uint64_t from) {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t n = pread(file, into.data() + got, into.size() - got, static_cast<off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError("it is unreadable ({}). Check the disk, or use another copy", std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

// Checksum of everything after the header block.
std::uint64_t checksum_of(int file, std::uint64_t bytes) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  XxHash64 checksum;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t got = read_some(file, std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - done)),
                                      checksum_header_bytes + done);
    if (got == 0) break;
    checksum.add(std::span(piece).first(got));
    done += got;
  }
  return checksum.value();
}

}  // namespace

void write_checksum_header(std::span<std::byte> file) {
  const auto rest = file.subspan(checksum_header_bytes);
  XxHash64 checksum;
  checksum.add(rest);
  const std::string line = checksum_header_line(checksum.value(), rest.size());
  std::fill_n(file.begin(), checksum_header_bytes, std::byte{0});
  std::memcpy(file.data(), line.data(), line.size());
}

void verify_checksum_header(int file, std::uint64_t size) {
  std::byte block[checksum_header_bytes] = {};
  read_some(file, block, 0);
  // The block ends with a zero, so a line ends within it whatever it contains.
  block[checksum_header_bytes - 1] = std::byte{0};
  const std::string line = reinterpret_cast<const char*>(block);
  if (!line.starts_with(checksum_header_name)) return;

  const std::uint64_t rest = size > checksum_header_bytes ? size - checksum_header_bytes : 0;
  std::uint64_t promised = 0;
  const std::size_t at = line.rfind("bytes=");
  if (at != std::string::npos) std::from_chars(line.data() + at + 6, line.data() + line.size(), promised);
  if (rest < promised)
    throw InputError("it is truncated: {} bytes are missing at the end. Use another copy", promised - rest);
  if (rest == promised && line == checksum_header_line(checksum_of(file, rest), rest)) return;
  throw InputError(
      "its checksum is wrong: it is damaged, or another program changed it. Use another copy. If the change was "
      "intended, overwrite the first byte of the file to skip the checksum");
}

}  // namespace perturb
