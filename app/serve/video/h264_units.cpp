#include "app/serve/video/h264_units.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "app/serve/video/byte_writer.h"

namespace perturb {

std::vector<H264Unit> split_units(std::span<const std::byte> stream) {
  // Three bytes: a start code of four is one of them after a zero, which belongs to no unit.
  static constexpr std::array start_code{std::byte{0}, std::byte{0}, std::byte{1}};
  const auto next_code = [&](auto from) {
    return std::search(from, stream.end(), start_code.begin(), start_code.end());
  };
  std::vector<H264Unit> units;
  auto code = next_code(stream.begin());
  while (code != stream.end()) {
    const auto begin = code + start_code.size();
    code = next_code(begin);
    // A unit never ends with a zero.
    auto end = code;
    while (end != begin && *(end - 1) == std::byte{0}) --end;
    if (end != begin) units.emplace_back(begin, end);
  }
  return units;
}

std::vector<std::byte> make_sample(std::span<const H264Unit> units) {
  std::vector<std::byte> sample;
  ByteWriter out(sample);
  for (const H264Unit unit : units) {
    if (type_of(unit) != H264UnitType::slice && type_of(unit) != H264UnitType::key_slice) continue;
    out.u32(static_cast<std::uint32_t>(unit.size()));
    out.raw(unit);
  }
  return sample;
}

std::vector<std::byte> make_avcc(std::span<const H264Unit> units) {
  const auto find = [&](H264UnitType type) {
    const auto found = std::find_if(units.begin(), units.end(), [&](H264Unit unit) { return type_of(unit) == type; });
    return found == units.end() ? H264Unit() : *found;
  };
  const H264Unit sequence = find(H264UnitType::sequence_parameters), picture = find(H264UnitType::picture_parameters);
  if (sequence.size() < 4 || picture.empty()) return {};

  std::vector<std::byte> record;
  ByteWriter out(record);
  out.u8(1);                        // version of the record
  out.raw(sequence.subspan(1, 3));  // profile, its constraints, level
  out.u8(0xfc | 3);                 // lengths of 4 bytes
  out.u8(0xe0 | 1);                 // number of sequence parameter sets
  out.u16(static_cast<std::uint16_t>(sequence.size()));
  out.raw(sequence);
  out.u8(1);  // number of picture parameter sets
  out.u16(static_cast<std::uint16_t>(picture.size()));
  out.raw(picture);
  // For the profiles from High upwards; here always 4:2:0 with 8 bits.
  if (const int profile = std::to_integer<int>(sequence[1]); profile != 66 && profile != 77 && profile != 88) {
    out.u8(0xfc | 1);  // 4:2:0
    out.u8(0xf8);      // bits of luma - 8
    out.u8(0xf8);      // bits of chroma - 8
    out.u8(0);         // extensions of the sequence parameters
  }
  return record;
}

}  // namespace perturb
