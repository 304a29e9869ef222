// Video in a build without libavcodec: there is none, and JPEG remains.
#include "app/serve/video/video_decoder.h"
#include "app/serve/video/video_encoder.h"
#include "cuda/core/backend/check.h"

namespace perturb {

struct VideoEncoder::Codec {};

Message VideoEncoder::why_not() {
  return "Cannot encode video: this program was built without libavcodec. Install libavcodec-dev and build it again.";
}

VideoEncoder::VideoEncoder(int width, int height, int frames_per_second)
    : width_(width), height_(height), frames_per_second_(frames_per_second) {
  throw Error(why_not());
}

VideoEncoder::~VideoEncoder() = default;

VideoPacket VideoEncoder::encode(std::span<const std::uint32_t>, bool) { throw Error(why_not()); }

struct VideoDecoder::Codec {};

VideoDecoder::VideoDecoder(std::span<const std::byte>) { throw Error(VideoEncoder::why_not()); }

VideoDecoder::~VideoDecoder() = default;

DecodedLuma VideoDecoder::decode(std::span<const std::byte>) { throw Error(VideoEncoder::why_not()); }

}  // namespace perturb
