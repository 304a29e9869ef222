// Binary messages from the server to a browser: a header of 16 bytes and a payload.
//
//   byte 0       MessageKind
//   byte 1       1: can be shown without earlier messages, apart from the start of the video
//   bytes 2-3    position in the message where the H.264 sample of a fragment begins, or the content of "avcC" of a
//                start, or the file of an image
//   bytes 4-7    number of the frame; of a start: length of the content of "avcC"
//   bytes 8-15   step of the run, as float64; 0 in a start
//
// Numbers are little endian. The payload can be appended to a SourceBuffer as it is; the position serves WebCodecs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/serve/video/fragmented_mp4.h"

namespace perturb {

enum class MessageKind : std::uint8_t { fragment = 1, start = 2, jpeg = 3, png = 4 };
constexpr std::size_t message_header_bytes = 16;

// The start of the video. To be sent before its fragments, and again if the track changes.
std::vector<std::byte> message_of_start(const Mp4Track& track);
// `step`: of the run, when the frame was painted.
std::vector<std::byte> message_of_fragment(const Mp4Frame& frame, double step);
// An image file. `kind`: jpeg or png.
std::vector<std::byte> message_of_picture(MessageKind kind, std::span<const std::byte> file, std::uint32_t number,
                                          double step);

}  // namespace perturb
