// Fuzzes the check of a font file.
#include "app/ui/widgets/font_file.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perturb::is_whole_font(perturb::fuzz::text_of(data, size));
  return 0;
}
