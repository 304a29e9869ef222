// Fuzzes scripts of the simulation that the first byte selects.
#include "app/io/preset/scripts.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  if (size == 0) return 0;
  const std::string simulation = catalog()[data[0] % catalog().size()]->id;
  const std::string text(fuzz::text_of(data + 1, size - 1));
  fuzz::try_parse([&] { parse_script(text, "none/script.toml", simulation); });
  return 0;
}
