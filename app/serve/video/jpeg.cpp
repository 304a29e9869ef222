#include "app/serve/video/jpeg.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// In percent. 80 shows no blocks in smooth colours; from 91 on stb writes 4:4:4, half as large again.
constexpr int jpeg_quality = 80;

void append_jpeg_bytes(void* context, void* data, int size) {
  const auto bytes = std::span(static_cast<const std::byte*>(data), static_cast<std::size_t>(size));
  auto& all = *static_cast<std::vector<std::byte>*>(context);
  all.insert(all.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::byte> encode_jpeg(std::span<const std::uint32_t> rgba, int width, int height) {
  PERTURB_ASSERT(rgba.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::vector<std::byte> bytes;
  bytes.reserve(rgba.size() / 8);  // mostly enough
  // Bytes in the order red, green, blue, alpha: as in memory on the processors that Perturb is for.
  // The file has 16 bits for each.
  const bool fits = width > 0 && height > 0 && width <= 0xffff && height <= 0xffff;
  if (!fits || !stbi_write_jpg_to_func(append_jpeg_bytes, &bytes, width, height, 4, rgba.data(), jpeg_quality))
    throw Error("Cannot encode an image of {} x {} pixels as JPEG. Choose another size.", width, height);
  return bytes;
}

}  // namespace perturb
