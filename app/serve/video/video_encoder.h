// Encodes frames as H.264 for browsers, without delay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// One encoded frame.
struct VideoPacket {
  // Units of H.264 ("AVCC"): each follows its length in bytes, 32 bits, big endian. Without parameter sets, which are
  // only in avcc().
  std::vector<std::byte> sample;
  bool is_key = false;  // can be decoded without earlier packets
};

// Width or height of the largest video that fits in so many pixels: 4:2:0 has one colour for 2 x 2 pixels.
constexpr int even_size(int pixels) { return pixels - pixels % 2; }

// libavcodec with x264, tuned for latency: encode() returns the packet of the frame that it gets. Colours are 4:2:0 in
// the limited range of BT.709, and the stream says so. The first frame is a key frame, and at least one in each second
// of frames. Uses one thread, the caller's. Objects may be used on different threads, each on one at a time.
class VideoEncoder {
 public:
  // In any time of t seconds, packets have at most t * max_bits_per_second + max_burst_bits. Where a frame needs more,
  // its quality is lower. A burst is what a connection has to queue, so its size is a latency: here 1/4 s.
  static constexpr int max_bits_per_second = 4'000'000;
  static constexpr int max_burst_bits = max_bits_per_second / 4;
  // Limits of width and height. The least is a macroblock; the largest, what decoders commonly accept.
  static constexpr int min_side = 16, max_side = 4096;

  // The reason, with a remedy, why this program cannot encode video: it was built without libavcodec, the library is
  // missing, or it has no x264. Empty: it can. Thread-safe.
  static Message why_not();

  // Sizes in pixels. `frames_per_second` sets the distance of key frames and the cap of the bit rate. Throws InputError
  // for a size that is odd or out of range, and Error if why_not() is not empty or the library fails.
  VideoEncoder(int width, int height, int frames_per_second);
  ~VideoEncoder();
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }
  int frames_per_second() const { return frames_per_second_; }
  // The content of the box "avcC" (AVCDecoderConfigurationRecord): the parameter sets, the same for all packets.
  const std::vector<std::byte>& avcc() const { return avcc_; }

  // `rgba`: width * height pixels as rgba() packs them, the top row first. Alpha is ignored. Throws Error if the
  // library fails; the encoder must then be discarded.
  VideoPacket encode(std::span<const std::uint32_t> rgba, bool force_key = false);

 private:
  struct Codec;

  int width_, height_, frames_per_second_;
  std::vector<std::byte> avcc_;
  std::unique_ptr<Codec> codec_;
};

}  // namespace perturb
