#include "app/io/state/state_wire.h"

#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

std::string WireUnpacker::text() {
  const auto size = number<std::uint64_t>();
  const std::span<const char> characters = take(size);
  return {characters.begin(), characters.end()};
}

std::span<const char> WireUnpacker::take(std::size_t count) {
  if (count > bytes_.size()) throw InputError("it is damaged: its content is invalid. Use another copy");
  const std::span<const char> taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

namespace {

constexpr int max_nested = 4;  // arguments within arguments

Message unpack_message(WireUnpacker& unpacker, int depth) {
  const bool is_value = unpacker.number<std::uint8_t>() != 0;
  std::string text = unpacker.text();
  std::vector<Message> arguments;
  // Each argument takes bytes of the message, so a false count fails when they end.
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    if (depth >= max_nested) throw InputError("it is damaged: its content is invalid. Use another copy");
    arguments.push_back(unpack_message(unpacker, depth + 1));
  }
  return is_value ? Message::value(std::move(text)) : Message::with_arguments(std::move(text), std::move(arguments));
}

}  // namespace

void pack_message(const Message& message, WirePacker& packer) {
  packer.number<std::uint8_t>(message.is_value() ? 1 : 0);
  packer.text(message.text());
  packer.number<std::uint64_t>(message.arguments().size());
  for (const Message& argument : message.arguments()) pack_message(argument, packer);
}

Message unpack_message(WireUnpacker& unpacker) { return unpack_message(unpacker, 0); }

void pack_header(const State& state, WirePacker& packer) {
  packer.text(state.simulation);
  packer.text(state.preset);
  packer.number(state.steps);
  packer.number(state.time);
  packer.number(state.seed);
  packer.number(state.width);
  packer.number(state.height);
  packer.text(state.kernel);
  packer.number<std::uint64_t>(state.parameters.size());
  for (const auto& [id, text] : state.parameters) {
    packer.text(id);
    packer.text(text);
  }
  packer.number<std::uint64_t>(state.datasets.size());
  for (const auto& [name, dataset] : state.datasets) {
    packer.text(name);
    packer.text(dataset.unit);
    packer.number(static_cast<std::uint8_t>(dataset.type));
    packer.number<std::uint64_t>(dataset.shape.size());
    for (const std::size_t extent : dataset.shape) packer.number<std::uint64_t>(extent);
  }
}

State unpack_header(WireUnpacker& unpacker) {
  State state;
  state.simulation = unpacker.text();
  state.preset = unpacker.text();
  state.steps = unpacker.number<std::int64_t>();
  state.time = unpacker.number<double>();
  state.seed = unpacker.number<std::uint32_t>();
  state.width = unpacker.number<int>();
  state.height = unpacker.number<int>();
  state.kernel = unpacker.text();
  // Each entry takes bytes of the message, whose size is limited, so a false count fails when they end.
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    const std::string id = unpacker.text();
    state.parameters[id] = unpacker.text();
  }
  for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
    Dataset& dataset = state.datasets[unpacker.text()];
    dataset.unit = unpacker.text();
    const auto type = unpacker.number<std::uint8_t>();
    if (type > static_cast<std::uint8_t>(ElementType::int64))
      throw InputError("it is damaged: a field has an unknown type. Use another copy");
    dataset.type = static_cast<ElementType>(type);
    dataset.shape.clear();
    for (auto rank = unpacker.number<std::uint64_t>(); rank > 0; --rank)
      dataset.shape.push_back(unpacker.number<std::uint64_t>());
  }
  return state;
}

std::size_t bytes_of(const std::string& name, ElementType type, const std::vector<std::size_t>& shape) {
  constexpr std::size_t most = std::size_t{1} << 55;  // a hundred of them can be added without overflow
  std::size_t bytes = size_of(type);
  for (const std::size_t extent : shape) {
    if (extent != 0 && bytes > most / extent) throw InputError("its field \"{}\" has an impossible shape", name);
    bytes *= extent;
  }
  return bytes;
}

}  // namespace perturb
