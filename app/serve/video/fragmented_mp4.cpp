#include "app/serve/video/fragmented_mp4.h"

#include <string_view>

#include "app/serve/video/byte_writer.h"

namespace perturb {

namespace {

// A box, from its construction to the end of the scope. `flags` makes it a full box.
class Mp4Box {
 public:
  Mp4Box(ByteWriter& out, std::string_view type) : out_(out), begin_(out.position()) {
    out_.zeros(4);
    out_.text(type);
  }
  Mp4Box(ByteWriter& out, std::string_view type, std::uint8_t version, std::uint32_t flags) : Mp4Box(out, type) {
    out_.u32(static_cast<std::uint32_t>(version) << 24 | flags);
  }
  ~Mp4Box() { out_.u32_at(begin_, static_cast<std::uint32_t>(out_.position() - begin_)); }
  Mp4Box(const Mp4Box&) = delete;
  Mp4Box& operator=(const Mp4Box&) = delete;

 private:
  ByteWriter& out_;
  std::size_t begin_;
};

constexpr std::uint32_t track_id = 1;
// Flags of samples: whether another one is needed to decode it, and whether it is no key frame.
constexpr std::uint32_t key_sample = 0x02000000, other_sample = 0x01010000;

std::uint32_t timescale_of(const Mp4Track& track) {
  return static_cast<std::uint32_t>(track.frames_per_second) * mp4_ticks_per_frame;
}

void write_matrix(ByteWriter& out) {
  for (const std::uint32_t entry : {0x10000u, 0u, 0u, 0u, 0x10000u, 0u, 0u, 0u, 0x40000000u}) out.u32(entry);
}

void write_movie_header(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box box(out, "mvhd", 0, 0);
  out.zeros(8);  // times of creation and change
  out.u32(timescale_of(track));
  out.u32(0);        // duration: that of the fragments
  out.u32(0x10000);  // speed 1
  out.u16(0x100);    // volume 1
  out.zeros(10);
  write_matrix(out);
  out.zeros(24);
  out.u32(track_id + 1);  // next free id
}

void write_track_header(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box box(out, "tkhd", 0, 3);  // enabled, part of the presentation
  out.zeros(8);
  out.u32(track_id);
  out.zeros(4 + 4 + 8);  // reserved, duration, reserved
  out.zeros(2 + 2 + 2 + 2);
  write_matrix(out);
  out.u32(static_cast<std::uint32_t>(track.width) << 16);
  out.u32(static_cast<std::uint32_t>(track.height) << 16);
}

void write_media_header(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box box(out, "mdhd", 0, 0);
  out.zeros(8);
  out.u32(timescale_of(track));
  out.u32(0);
  out.u16(0x55c4);  // "und": no language
  out.u16(0);
}

void write_handler(ByteWriter& out) {
  const Mp4Box box(out, "hdlr", 0, 0);
  out.u32(0);
  out.text("vide");
  out.zeros(12);
  out.zeros(1);  // an empty name
}

void write_data_information(ByteWriter& out) {
  const Mp4Box dinf(out, "dinf");
  const Mp4Box dref(out, "dref", 0, 0);
  out.u32(1);
  const Mp4Box url(out, "url ", 0, 1);  // in this file
}

ByteRange write_sample_description(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box stsd(out, "stsd", 0, 0);
  out.u32(1);
  const Mp4Box avc1(out, "avc1");
  out.zeros(6);
  out.u16(1);  // the data reference above
  out.zeros(16);
  out.u16(static_cast<std::uint16_t>(track.width));
  out.u16(static_cast<std::uint16_t>(track.height));
  out.u32(72u << 16);  // pixels per inch
  out.u32(72u << 16);
  out.u32(0);
  out.u16(1);     // frames per sample
  out.zeros(32);  // an empty name of the compressor
  out.u16(24);    // bits per pixel
  out.u16(0xffff);
  ByteRange content;
  {
    const Mp4Box avcc(out, "avcC");
    content = {out.position(), track.avcc.size()};
    out.raw(track.avcc);
  }
  const Mp4Box colr(out, "colr");
  out.text("nclx");
  for (int k = 0; k < 3; ++k) out.u16(1);  // primaries, transfer and matrix of BT.709
  out.u8(0);                               // limited range
  return content;
}

ByteRange write_sample_table(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box stbl(out, "stbl");
  const ByteRange content = write_sample_description(out, track);
  // No samples here.
  for (const std::string_view type : {"stts", "stsc", "stco"}) {
    const Mp4Box table(out, type, 0, 0);
    out.u32(0);
  }
  const Mp4Box stsz(out, "stsz", 0, 0);
  out.zeros(8);
  return content;
}

ByteRange write_track(ByteWriter& out, const Mp4Track& track) {
  const Mp4Box trak(out, "trak");
  write_track_header(out, track);
  const Mp4Box mdia(out, "mdia");
  write_media_header(out, track);
  write_handler(out);
  const Mp4Box minf(out, "minf");
  {
    const Mp4Box vmhd(out, "vmhd", 0, 1);
    out.zeros(8);
  }
  write_data_information(out);
  return write_sample_table(out, track);
}

}  // namespace

ByteRange append_start_segment(std::vector<std::byte>& bytes, const Mp4Track& track) {
  ByteWriter out(bytes);
  {
    const Mp4Box ftyp(out, "ftyp");
    out.text("iso6");
    out.u32(0);
    for (const std::string_view brand : {"iso6", "avc1", "mp41"}) out.text(brand);
  }
  const Mp4Box moov(out, "moov");
  write_movie_header(out, track);
  const ByteRange content = write_track(out, track);
  const Mp4Box mvex(out, "mvex");
  const Mp4Box trex(out, "trex", 0, 0);
  out.u32(track_id);
  out.u32(1);  // the sample description above
  out.u32(mp4_ticks_per_frame);
  out.u32(0);  // size
  out.u32(other_sample);
  return content;
}

ByteRange append_fragment(std::vector<std::byte>& bytes, const Mp4Frame& frame) {
  // One allocation for all: the boxes before the sample have about 100 bytes.
  bytes.reserve(bytes.size() + frame.sample.size() + 128);
  ByteWriter out(bytes);
  const std::size_t begin = out.position();
  std::size_t data_offset_position = 0;
  {
    const Mp4Box moof(out, "moof");
    {
      const Mp4Box mfhd(out, "mfhd", 0, 0);
      out.u32(frame.number + 1);
    }
    const Mp4Box traf(out, "traf");
    {
      // Offsets count from the beginning of "moof"; then the sample's duration, size and flags.
      const Mp4Box tfhd(out, "tfhd", 0, 0x020000 | 0x08 | 0x10 | 0x20);
      out.u32(track_id);
      out.u32(frame.duration);
      out.u32(static_cast<std::uint32_t>(frame.sample.size()));
      out.u32(frame.is_key ? key_sample : other_sample);
    }
    {
      const Mp4Box tfdt(out, "tfdt", 1, 0);
      out.u64(frame.time.value_or(static_cast<std::uint64_t>(frame.number) * mp4_ticks_per_frame));
    }
    const Mp4Box trun(out, "trun", 0, 0x01);  // with the data's offset
    out.u32(1);
    data_offset_position = out.position();
    out.zeros(4);
  }
  const Mp4Box mdat(out, "mdat");
  out.u32_at(data_offset_position, static_cast<std::uint32_t>(out.position() - begin));
  const ByteRange sample{out.position(), frame.sample.size()};
  out.raw(frame.sample);
  return sample;
}

}  // namespace perturb
