// Fuzzes presets. Their images are searched in the folder "none", which does not exist.
#include "app/io/preset/presets.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  const std::string text(fuzz::text_of(data, size));
  fuzz::try_parse([&] { parse_scene(text, "none/wave.toml", "", "none/wave.toml"); });
  fuzz::try_parse([&] { order_of_preset(text, "none/wave.toml"); });
  return 0;
}
