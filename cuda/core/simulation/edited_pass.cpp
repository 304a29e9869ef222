#include "cuda/core/simulation/edited_pass.h"

#include <cstdint>

#include "cuda/core/simulation/edited_state.h"

namespace perturb {

namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

}  // namespace

void EditedPass::read(long long& place, const void* data, std::size_t bytes) {
  if (bytes > 0) parts_.push_back({&place, data, nullptr, bytes});
}
void EditedPass::write(long long& place, void* data, std::size_t bytes) {
  if (bytes > 0) parts_.push_back({&place, nullptr, data, bytes});
}
void EditedPass::scratch(long long& place, std::size_t bytes) {
  if (bytes > 0) parts_.push_back({&place, nullptr, nullptr, bytes});
}

void EditedPass::run(EditedHeader& header, std::size_t bytes) {
  const auto is_seen = [&](const Part& part) {
    const void* const data = part.from ? part.from : part.to;
    return data && kernel_.sees(data);
  };
  std::size_t size = padded(bytes);
  for (const Part& part : parts_)
    if (!is_seen(part)) {
      *part.place = static_cast<long long>(size);
      size += padded(part.bytes);
    }
  char* const memory = kernel_.memory(size);
  for (const Part& part : parts_) {
    if (is_seen(part))
      *part.place = static_cast<const char*>(part.from ? part.from : part.to) - memory;
    else if (part.from)
      backend_.copy_within(memory + *part.place, part.from, part.bytes);
  }
  header.bad_cell = 0;
  backend_.copy_from_host(memory, &header, bytes);
  kernel_.run(header.width, header.height, header.levels);
  backend_.copy_to_host(&header.bad_cell, memory + offsetof(EditedHeader, bad_cell), sizeof header.bad_cell);
  if (header.bad_cell != 0)
    throw EditedValueError("The edited kernel gave a value that is not a finite number, in cell ({}, {}).",
                           (header.bad_cell - 1) % header.width, (header.bad_cell - 1) / header.width);
  for (const Part& part : parts_)
    if (part.to && !is_seen(part)) backend_.copy_within(part.to, memory + *part.place, part.bytes);
}

SavedField edited_kernel_field() { return {"edited_kernel", {ElementType::uint8}, {up_to(max_edited_text)}}; }

void save_edited_kernel(State& state, const std::string& text) {
  if (text.empty()) return;
  state.put<std::uint8_t>("edited_kernel", {text.size()}, "", std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string load_edited_kernel(const State& state) {
  if (!state.has("edited_kernel")) return {};
  const std::vector<std::uint8_t> text =
      state.get<std::uint8_t>("edited_kernel", {state.datasets.at("edited_kernel").count()});
  return {text.begin(), text.end()};
}

}  // namespace perturb
