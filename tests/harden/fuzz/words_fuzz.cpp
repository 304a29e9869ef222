// Fuzzes texts of the command line and of lessons: layers, numbers, formulas.
#include <optional>

#include "app/io/preset/toml_text.h"
#include "cuda/core/simulation/formula.h"
#include "cuda/core/simulation/parameters.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  const std::string text(fuzz::text_of(data, size));
  if (text.find('\0') != std::string::npos) return 0;  // rejected when files are read; a command line cannot contain it
  fuzz::try_parse([&] { parse_layer(text); });
  fuzz::try_parse([&] { real_value("x", "x", "", "", 0, -10, 10, "").parse(text); });
  fuzz::try_parse([&] {
    for (const std::string& name : names_in_formula(text))
      if (name.empty()) std::abort();
    value_of_formula(text, [](const std::string&) -> std::optional<double> { return 2.0; });
  });
  return 0;
}
