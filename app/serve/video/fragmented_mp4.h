// Fragmented MP4 (ISO/IEC 14496-12 and -15) of one H.264 track, for Media Source Extensions: a start segment, then one
// fragment per frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace perturb {

// Sizes in pixels. `avcc`: VideoEncoder::avcc().
struct Mp4Track {
  int width = 0, height = 0, frames_per_second = 0;
  std::span<const std::byte> avcc;
};

// The unit of times in the file: a thousandth of the interval between frames.
constexpr std::uint32_t mp4_ticks_per_frame = 1000;

struct Mp4Frame {
  std::span<const std::byte> sample;  // VideoPacket::sample
  bool is_key = false;
  std::uint32_t number = 0;  // rises with each frame of a track
  // In ticks; without a value, that of frame `number` on a regular grid. After a gap of more than two frames a browser
  // drops frames until the next key frame. So a track that pauses must not count the frames that it leaves out, or must
  // continue with a key frame.
  std::optional<std::uint64_t> time = {};
  std::uint32_t duration = mp4_ticks_per_frame;  // in ticks
};

// Bytes within a file or message.
struct ByteRange {
  std::size_t begin = 0, size = 0;
};

// Appends the start segment to `bytes`; returns the range of the content of its box "avcC".
ByteRange append_start_segment(std::vector<std::byte>& bytes, const Mp4Track& track);
// Appends the fragment with this frame; returns the range of the sample. A player accepts fragments from any key frame
// on.
ByteRange append_fragment(std::vector<std::byte>& bytes, const Mp4Frame& frame);

}  // namespace perturb
