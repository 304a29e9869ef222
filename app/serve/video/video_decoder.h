// Decodes what VideoEncoder makes, as a browser does, for measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace perturb {

// Brightness of a decoded frame. The top row first; rows are `stride` bytes apart.
struct DecodedLuma {
  int width = 0, height = 0;
  const std::uint8_t* data = nullptr;
  std::size_t stride = 0;
};

// libavcodec, without delay and on the caller's thread.
class VideoDecoder {
 public:
  // `avcc`: VideoEncoder::avcc(). Throws Error if VideoEncoder::why_not() is not empty or the library fails.
  explicit VideoDecoder(std::span<const std::byte> avcc);
  ~VideoDecoder();
  VideoDecoder(const VideoDecoder&) = delete;
  VideoDecoder& operator=(const VideoDecoder&) = delete;

  // The frame of this sample (VideoPacket::sample), valid until the next call. The first sample, and each after a gap,
  // must be a key frame. Throws Error if the library fails.
  DecodedLuma decode(std::span<const std::byte> sample);

 private:
  struct Codec;
  std::unique_ptr<Codec> codec_;
};

}  // namespace perturb
