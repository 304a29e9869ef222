// Messages from the process that reads a state file: numbers in memory format, texts with their length. A damaged file
// may have corrupted that process, so every message is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Content of a message: the state without its datasets' bytes, or the reason why it is unreadable.
enum class WireKind : std::uint8_t { state, rejected, damaged };

// A message is its length as std::uint64_t, and that many bytes. The message of a state is followed by the bytes of its
// datasets in the order of their names.
inline constexpr std::size_t max_wire_bytes = std::size_t{1} << 22;

class WirePacker {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& text) {
    number<std::uint64_t>(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws InputError if the bytes end too early.
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

// Packs a text for the user with its arguments.
void pack_message(const Message& message, WirePacker& packer);
// Throws InputError if the message is invalid, or if its arguments are nested deeply.
Message unpack_message(WireUnpacker& unpacker);

// Packs a state without its datasets' bytes.
void pack_header(const State& state, WirePacker& packer);
// Throws InputError if the message is invalid. The shapes are as announced; their sizes have not been checked.
State unpack_header(WireUnpacker& unpacker);

// Size of a dataset of this type and shape, in bytes. Throws InputError if it would not fit into any memory.
std::size_t bytes_of(const std::string& name, ElementType type, const std::vector<std::size_t>& shape);

}  // namespace perturb
