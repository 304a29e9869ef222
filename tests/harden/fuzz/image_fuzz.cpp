// Fuzzes images for walls and maps: PNG, JPEG and BMP.
#include "app/io/image/image.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  fuzz::try_parse([&] { decode_grey_image(fuzz::text_of(data, size), "image.png"); });
  return 0;
}
