// Images as JPEG, for browsers that cannot show the video.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perturb {

// `rgba`: width * height pixels as rgba() packs them, the top row first; any size of 1 to 65535. Alpha is ignored.
// Colours are 4:2:0, as in the video. Throws Error if the image cannot be encoded.
std::vector<std::byte> encode_jpeg(std::span<const std::uint32_t> rgba, int width, int height);

}  // namespace perturb
