#include "app/serve/video/video_message.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "app/serve/video/byte_writer.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// `position`: of what a decoder needs, in the message.
std::vector<std::byte> with_message_header(MessageKind kind, bool is_key, std::size_t position, std::uint32_t number,
                                           double step, std::vector<std::byte> message) {
  PERTURB_ASSERT(position <= 0xffff);
  std::vector<std::byte> header;
  ByteWriter out(header);
  out.u8(static_cast<std::uint8_t>(kind));
  out.u8(is_key ? 1 : 0);
  out.little_endian(static_cast<std::uint16_t>(position));
  out.little_endian(number);
  out.little_endian(std::bit_cast<std::uint64_t>(step));
  std::copy(header.begin(), header.end(), message.begin());
  return message;
}

}  // namespace

std::vector<std::byte> message_of_start(const Mp4Track& track) {
  std::vector<std::byte> message(message_header_bytes);
  const ByteRange avcc = append_start_segment(message, track);
  return with_message_header(MessageKind::start, true, avcc.begin, static_cast<std::uint32_t>(avcc.size), 0,
                             std::move(message));
}

std::vector<std::byte> message_of_fragment(const Mp4Frame& frame, double step) {
  std::vector<std::byte> message(message_header_bytes);
  const ByteRange sample = append_fragment(message, frame);
  return with_message_header(MessageKind::fragment, frame.is_key, sample.begin, frame.number, step, std::move(message));
}

std::vector<std::byte> message_of_picture(MessageKind kind, std::span<const std::byte> file, std::uint32_t number,
                                          double step) {
  PERTURB_ASSERT(kind == MessageKind::jpeg || kind == MessageKind::png);
  std::vector<std::byte> message(message_header_bytes);
  message.reserve(message_header_bytes + file.size());
  message.insert(message.end(), file.begin(), file.end());
  return with_message_header(kind, true, message_header_bytes, number, step, std::move(message));
}

}  // namespace perturb
