// Fuzzes saved states: unchanged if the first byte is odd, otherwise with a correct checksum, so that the header is
// parsed and small states are loaded into their simulation.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "app/io/preset/presets.h"
#include "app/io/state/checksum.h"
#include "app/io/state/portable_state.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/harden/fuzz/fuzz.h"

namespace {

using namespace perturb;

std::string under_fitting_checksum(std::string_view body) {
  std::size_t header = 0;
  // The header ends with its JSON; without JSON all of the input is header.
  int depth = 0;
  bool in_text = false;
  for (header = 0; header < body.size(); ++header) {
    const char c = body[header];
    if (in_text && c == '\\') ++header;
    if (c == '"') in_text = !in_text;
    if (!in_text && c == '{') ++depth;
    if (!in_text && c == '}' && --depth == 0) {
      ++header;
      break;
    }
  }
  header = std::min(header, body.size());
  XxHash64 checksum;
  checksum.add(std::as_bytes(std::span(body)));
  char line[120];
  std::snprintf(line, sizeof line, "perturb-portable xxh64=%016llx header=%zu bytes=%zu\n",
                static_cast<unsigned long long>(checksum.value()), header, body.size() - header);
  return line + std::string(body);
}

void load(const State& state) {
  static const auto backend = Backend::make_cpu(1);
  const Scene scene = scene_of(state);
  constexpr std::size_t max_memory = std::size_t{64} << 20;
  Setup bare = scene.setup;
  bare.actions.clear();
  const SimulationInfo& info = find_simulation(bare.simulation);
  if (bare.width > 64 || bare.height > 64 || info.memory_needed(*backend, bare) > max_memory) return;
  const Experiment experiment(*backend, scene, state);
  experiment.simulation().save();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(fuzz::text_of(data + 1, size - 1));
  if (data[0] % 2 == 0) text = under_fitting_checksum(text);
  try {
    const State state = read_portable_state(std::as_bytes(std::span(text)));
    // Of version 1 after the line above: what was read is written and read as bands.
    const std::vector<std::byte> bytes = portable_bytes_of(state);
    if (portable_bytes_of(read_portable_state(bytes)) != bytes) std::abort();
    load(state);
  } catch (const Error& error) {
    fuzz::require_plain(error.what());
  }
  return 0;
}
