// How the process that reads a state file tells what it found: numbers as they lie in memory, texts with their length.
// It may have been led astray by a damaged file, so whatever arrives is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb {

// Which of them a message begins with: all but the state itself, or why there is none.
enum class WireKind : std::uint8_t { state, rejected, damaged };

// A message is a std::uint64_t, its length, and that many bytes. A state's message is followed by the bytes of its
// datasets in the order of their names.
inline constexpr std::size_t max_wire_bytes = std::size_t{1} << 22;

class WirePacker {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& text) { number<std::uint64_t>(text.size()), bytes_ += text; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws InputError where the bytes end too early.
class WireUnpacker {
 public:
  explicit WireUnpacker(std::span<const char> bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text();

 private:
  std::span<const char> take(std::size_t count);

  std::span<const char> bytes_;
};

// All of a state but its datasets' bytes.
void pack_header(const State& state, WirePacker& packer);
// Throws InputError when the message makes no sense. The shapes are as announced: nothing is known of their size yet.
State unpack_header(WireUnpacker& unpacker);

// Bytes of a dataset of this type and shape. Throws InputError when no machine could hold them.
std::size_t bytes_of(const std::string& name, ElementType type, const std::vector<std::size_t>& shape);

}  // namespace perturb
