// The units of an H.264 stream (NAL units), and how MP4 stores them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace perturb {

using H264Unit = std::span<const std::byte>;

// Types of units (table 7-1 of the standard, ITU-T H.264).
enum class H264UnitType { slice = 1, key_slice = 5, information = 6, sequence_parameters = 7, picture_parameters = 8 };
// `unit` must not be empty.
inline H264UnitType type_of(H264Unit unit) { return static_cast<H264UnitType>(unit.front() & std::byte{31}); }

// The units of a byte stream, without their start codes (annex B of the standard). Views into `stream`.
std::vector<H264Unit> split_units(std::span<const std::byte> stream);

// The units that code an image, each after its length as MP4 has it (VideoPacket::sample). Parameter sets and
// supplemental information, such as the text by which x264 introduces itself, are left out.
std::vector<std::byte> make_sample(std::span<const H264Unit> units);

// AVCDecoderConfigurationRecord of ISO/IEC 14496-15, with lengths of 4 bytes. Empty: `units` lacks one of the parameter
// sets.
std::vector<std::byte> make_avcc(std::span<const H264Unit> units);

}  // namespace perturb
