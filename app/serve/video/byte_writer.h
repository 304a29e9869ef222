// Writes numbers into a sequence of bytes, in either byte order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace perturb {

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::size_t position() const { return bytes_.size(); }
  template <std::unsigned_integral Number>
  void big_endian(Number number) {
    for (std::size_t k = sizeof number; k-- > 0;) bytes_.push_back(byte_of(number, k));
  }
  template <std::unsigned_integral Number>
  void little_endian(Number number) {
    for (std::size_t k = 0; k < sizeof number; ++k) bytes_.push_back(byte_of(number, k));
  }
  void u8(std::uint8_t number) { big_endian(number); }
  void u16(std::uint16_t number) { big_endian(number); }
  void u32(std::uint32_t number) { big_endian(number); }
  void u64(std::uint64_t number) { big_endian(number); }
  void text(std::string_view letters) { raw(std::as_bytes(std::span(letters))); }
  void raw(std::span<const std::byte> other) { bytes_.insert(bytes_.end(), other.begin(), other.end()); }
  void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
  // Overwrites earlier bytes.
  void u32_at(std::size_t position, std::uint32_t number) {
    for (std::size_t k = 0; k < sizeof number; ++k) bytes_[position + k] = byte_of(number, sizeof number - 1 - k);
  }

 private:
  template <std::unsigned_integral Number>
  static std::byte byte_of(Number number, std::size_t k) {
    return static_cast<std::byte>((number >> (8 * k)) & 255u);
  }

  std::vector<std::byte>& bytes_;
};

}  // namespace perturb
