// What browsers get, apart from the encoder: colours, units of H.264, boxes of MP4, messages, JPEG.
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "app/io/image/image.h"
#include "app/io/image/jpeg_info.h"
#include "app/serve/video/fragmented_mp4.h"
#include "app/serve/video/h264_units.h"
#include "app/serve/video/jpeg.h"
#include "app/serve/video/rgb_to_yuv.h"
#include "app/serve/video/video_encoder.h"
#include "app/serve/video/video_message.h"
#include "cuda/core/paint/pixels.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of_list(std::initializer_list<int> list) {
  Bytes bytes;
  for (const int value : list) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::uint64_t big_endian_at(std::span<const std::byte> bytes, std::size_t position, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < size; ++k) number = number << 8 | std::to_integer<std::uint64_t>(bytes[position + k]);
  return number;
}
std::uint64_t little_endian_at(std::span<const std::byte> bytes, std::size_t position, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t k = size; k-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[position + k]);
  return number;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Contents of the boxes one after the other. A size that does not fit is a failure.
struct FoundBox {
  std::string_view type;
  std::span<const std::byte> content;
  std::size_t begin;  // of the box
};
std::vector<FoundBox> boxes_in(std::span<const std::byte> bytes) {
  std::vector<FoundBox> boxes;
  std::size_t at = 0;
  while (at + 8 <= bytes.size()) {
    const std::size_t size = big_endian_at(bytes, at, 4);
    if (size < 8 || at + size > bytes.size()) break;
    boxes.push_back({text_of(bytes.subspan(at + 4, 4)), bytes.subspan(at + 8, size - 8), at});
    at += size;
  }
  EXPECT_EQ(at, bytes.size());
  return boxes;
}
// The content of the box at a path such as "moof/traf/tfdt".
std::span<const std::byte> box_at(std::span<const std::byte> bytes, std::string_view path) {
  while (!path.empty()) {
    const std::string_view type = path.substr(0, 4);
    path.remove_prefix(std::min<std::size_t>(5, path.size()));
    const std::vector<FoundBox> boxes = boxes_in(bytes);
    const auto found = std::find_if(boxes.begin(), boxes.end(), [&](const FoundBox& box) { return box.type == type; });
    if (found == boxes.end()) {
      ADD_FAILURE() << "no box " << type;
      return {};
    }
    bytes = found->content;
  }
  return bytes;
}

std::vector<int> values_of(std::span<const std::byte> bytes) {
  std::vector<int> values;
  for (const std::byte value : bytes) values.push_back(std::to_integer<int>(value));
  return values;
}

const Bytes some_avcc = bytes_of_list({1, 0x64, 0, 0x1f, 0xff, 0xe1, 0, 4, 0x67, 0x64, 0, 0x1f, 1, 0, 2, 0x68, 0xee});
const Bytes some_sample = bytes_of_list({0, 0, 0, 3, 0x65, 7, 8});
const Mp4Track some_track{960, 640, 30, some_avcc};

TEST(EvenSize, IsTheLargestEvenNumberWithin) {
  for (int pixels = 2; pixels < 40; ++pixels) {
    EXPECT_EQ(even_size(pixels) % 2, 0);
    EXPECT_TRUE(even_size(pixels) == pixels || even_size(pixels) == pixels - 1);
  }
}

TEST(RgbToYuv, FollowsBt709WithinOneLevel) {
  constexpr int width = 24, height = 24;
  std::vector<std::uint8_t> y(width * height), cb(width * height / 4), cr(width * height / 4);
  for (std::uint32_t blue = 0; blue < 256; blue += 15) {
    // Blocks of 2 x 2 pixels with one colour each.
    std::vector<std::uint32_t> pixels(width * height);
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i)
        pixels[static_cast<std::size_t>(j * width + i)] =
            rgba(static_cast<std::uint32_t>(i / 2 * 255 / 11), static_cast<std::uint32_t>(j / 2 * 255 / 11), blue, 7);
    convert_to_yuv(pixels, width, height, {y.data(), cb.data(), cr.data(), width, width / 2, width / 2});
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i) {
        const Color color = color_of(pixels[static_cast<std::size_t>(j * width + i)]);
        const double r = color.r / 255., g = color.g / 255., b = color.b / 255.;
        const double luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        const std::size_t at = static_cast<std::size_t>(j * width + i);
        const std::size_t chroma_at = static_cast<std::size_t>(j / 2 * (width / 2) + i / 2);
        EXPECT_NEAR(y[at], 16 + 219 * luma, 0.51);
        EXPECT_NEAR(cb[chroma_at], 128 + 224 * (b - luma) / 1.8556, 0.51);
        EXPECT_NEAR(cr[chroma_at], 128 + 224 * (r - luma) / 1.5748, 0.51);
      }
  }
}

TEST(RgbToYuv, HasTheMeanColorOfFourPixels) {
  // The mean of these four is grey 127.5, so chroma is neutral although no pixel is grey.
  const std::vector<std::uint32_t> pixels{rgba(255, 0, 0), rgba(0, 255, 255), rgba(0, 0, 255), rgba(255, 255, 0)};
  std::uint8_t y[4], cb[1], cr[1];
  convert_to_yuv(pixels, 2, 2, {y, cb, cr, 2, 1, 1});
  EXPECT_EQ(cb[0], 128);
  EXPECT_EQ(cr[0], 128);
  EXPECT_EQ(y[0], 63);
}

TEST(RgbToYuv, LeavesMemoryBetweenRowsAlone) {
  const std::vector<std::uint32_t> pixels(4 * 4, rgba(255, 255, 255));
  std::vector<std::uint8_t> y(4 * 7, 1), cb(2 * 5, 1), cr(2 * 6, 1);
  convert_to_yuv(pixels, 4, 4, {y.data(), cb.data(), cr.data(), 7, 5, 6});
  for (std::size_t k = 0; k < y.size(); ++k) EXPECT_EQ(y[k], k % 7 < 4 ? 235 : 1);
  for (std::size_t k = 0; k < cb.size(); ++k) EXPECT_EQ(cb[k], k % 5 < 2 ? 128 : 1);
  for (std::size_t k = 0; k < cr.size(); ++k) EXPECT_EQ(cr[k], k % 6 < 2 ? 128 : 1);
}

TEST(H264Units, AreSplitAtStartCodesOfBothLengths) {
  const Bytes stream = bytes_of_list({0, 0, 0, 1, 0x67, 1, 0, 0, 3, 1, 0, 0, 1, 0x68, 2, 0, 0, 0, 0, 1, 0x65, 3, 4});
  const std::vector<H264Unit> units = split_units(stream);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(values_of(units[0]), (std::vector{0x67, 1, 0, 0, 3, 1}));
  EXPECT_EQ(values_of(units[1]), (std::vector{0x68, 2}));
  EXPECT_EQ(values_of(units[2]), (std::vector{0x65, 3, 4}));
}

TEST(H264Units, OfEmptyOrForeignBytesAreNone) {
  EXPECT_TRUE(split_units({}).empty());
  EXPECT_TRUE(split_units(bytes_of_list({0, 0})).empty());
  EXPECT_TRUE(split_units(bytes_of_list({0, 0, 1})).empty());
  EXPECT_TRUE(split_units(bytes_of_list({0, 0, 0, 1, 0, 0, 1})).empty());
  EXPECT_TRUE(split_units(bytes_of_list({9, 8, 7, 0, 0, 2, 1})).empty());
}

TEST(H264Units, OfASampleAreSlicesAfterTheirLengths) {
  const Bytes stream =
      bytes_of_list({0, 0, 1, 0x67, 1, 0, 0, 1, 0x06, 5, 5, 0, 0, 1, 0x68, 2, 0, 0, 1, 0x65, 3, 4, 0, 0, 1, 0x41, 9});
  EXPECT_EQ(values_of(make_sample(split_units(stream))), (std::vector{0, 0, 0, 3, 0x65, 3, 4, 0, 0, 0, 2, 0x41, 9}));
}

TEST(H264Units, MakeTheDecoderConfiguration) {
  const Bytes high = bytes_of_list({0, 0, 1, 0x67, 0x64, 0x05, 0x1f, 9, 0, 0, 1, 0x68, 7, 8});
  EXPECT_EQ(values_of(make_avcc(split_units(high))),
            (std::vector{1, 0x64, 5, 0x1f, 0xff, 0xe1, 0, 5,    0x67, 0x64, 5, 0x1f,
                         9, 1,    0, 3,    0x68, 7,    8, 0xfd, 0xf8, 0xf8, 0}));
  // The older profiles have no last four bytes.
  const Bytes baseline = bytes_of_list({0, 0, 1, 0x67, 0x42, 0xc0, 0x1f, 9, 0, 0, 1, 0x68, 7, 8});
  EXPECT_EQ(values_of(make_avcc(split_units(baseline))).size(), 19u);
  EXPECT_TRUE(make_avcc(split_units(bytes_of_list({0, 0, 1, 0x67, 0x64, 0, 0x1f}))).empty());
  EXPECT_TRUE(make_avcc({}).empty());
}

TEST(FragmentedMp4, StartHasOneTrackWithoutSamples) {
  Bytes start = bytes_of_list({1, 2, 3});  // what was there before stays
  const ByteRange avcc = append_start_segment(start, some_track);
  EXPECT_EQ(values_of(std::span(start).first(3)), (std::vector{1, 2, 3}));
  EXPECT_EQ(values_of(std::span(start).subspan(avcc.begin, avcc.size)), values_of(some_avcc));

  const std::span<const std::byte> file = std::span(start).subspan(3);
  EXPECT_EQ(boxes_in(file).size(), 2u);
  EXPECT_EQ(text_of(box_at(file, "ftyp").first(4)), "iso6");
  EXPECT_EQ(big_endian_at(box_at(file, "moov/trak/mdia/mdhd"), 12, 4), 30u * mp4_ticks_per_frame);
  EXPECT_EQ(text_of(box_at(file, "moov/trak/mdia/hdlr").subspan(8, 4)), "vide");
  EXPECT_EQ(big_endian_at(box_at(file, "moov/trak/mdia/minf/stbl/stts"), 4, 4), 0u);
  EXPECT_EQ(big_endian_at(box_at(file, "moov/trak/mdia/minf/stbl/stsz"), 8, 4), 0u);
  EXPECT_EQ(big_endian_at(box_at(file, "moov/mvex/trex"), 4, 4), big_endian_at(box_at(file, "moov/trak/tkhd"), 12, 4));

  const std::span<const std::byte> stsd = box_at(file, "moov/trak/mdia/minf/stbl/stsd");
  const std::span<const std::byte> avc1 = box_at(stsd.subspan(8), "avc1");
  EXPECT_EQ(big_endian_at(avc1, 24, 2), 960u);
  EXPECT_EQ(big_endian_at(avc1, 26, 2), 640u);
  EXPECT_EQ(values_of(box_at(avc1.subspan(78), "avcC")), values_of(some_avcc));
  EXPECT_EQ(values_of(box_at(avc1.subspan(78), "colr").subspan(4)), (std::vector{0, 1, 0, 1, 0, 1, 0}));
}

TEST(FragmentedMp4, FragmentPointsAtItsSample) {
  Bytes bytes = bytes_of_list({1, 2, 3});
  const ByteRange sample = append_fragment(bytes, {some_sample, true, 5});
  EXPECT_EQ(values_of(std::span(bytes).subspan(sample.begin, sample.size)), values_of(some_sample));

  const std::span<const std::byte> file = std::span(bytes).subspan(3);
  const std::vector<FoundBox> boxes = boxes_in(file);
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].type, "moof");
  EXPECT_EQ(boxes[1].type, "mdat");
  EXPECT_EQ(values_of(boxes[1].content), values_of(some_sample));
  const std::span<const std::byte> trun = box_at(file, "moof/traf/trun");
  EXPECT_EQ(big_endian_at(trun, 4, 4), 1u);
  EXPECT_EQ(big_endian_at(trun, 8, 4) + 3, sample.begin);  // from the beginning of "moof"
  const std::span<const std::byte> tfhd = box_at(file, "moof/traf/tfhd");
  EXPECT_EQ(big_endian_at(tfhd, 0, 4), 0x020038u);
  EXPECT_EQ(big_endian_at(tfhd, 8, 4), mp4_ticks_per_frame);
  EXPECT_EQ(big_endian_at(tfhd, 12, 4), some_sample.size());
}

TEST(FragmentedMp4, OnlyKeyFramesAreMarkedAsSuch) {
  constexpr std::uint64_t not_key = 0x10000;
  for (const bool is_key : {false, true}) {
    Bytes bytes;
    append_fragment(bytes, {some_sample, is_key, 5});
    EXPECT_EQ((big_endian_at(box_at(bytes, "moof/traf/tfhd"), 16, 4) & not_key) == 0, is_key);
  }
}

TEST(FragmentedMp4, TimesRiseByTheDuration) {
  std::uint64_t number = 0, end = 0;
  for (const std::uint32_t frame : {0u, 1u, 2u, 3u, 4u}) {
    Bytes bytes;
    append_fragment(bytes, {some_sample, frame == 0, frame});
    EXPECT_EQ(big_endian_at(box_at(bytes, "moof/traf/tfdt"), 4, 8), end);
    EXPECT_GT(big_endian_at(box_at(bytes, "moof/mfhd"), 4, 4), number);
    end += big_endian_at(box_at(bytes, "moof/traf/tfhd"), 8, 4);
    number = big_endian_at(box_at(bytes, "moof/mfhd"), 4, 4);
  }
  // After years, beyond 32 bits; and at a time of its own.
  for (const std::uint64_t time : {std::uint64_t{0xfffffff0u} * mp4_ticks_per_frame, std::uint64_t{12345}}) {
    Bytes bytes;
    Mp4Frame late{some_sample, false, 0xfffffff0u};
    if (time == 12345) {
      late.time = time;
      late.duration = 777;
    }
    append_fragment(bytes, late);
    EXPECT_EQ(big_endian_at(box_at(bytes, "moof/traf/tfdt"), 4, 8), time);
    EXPECT_EQ(big_endian_at(box_at(bytes, "moof/traf/tfhd"), 8, 4), late.duration);
  }
}

TEST(VideoMessage, StartPointsAtTheDecoderConfiguration) {
  const Bytes message = message_of_start(some_track);
  EXPECT_EQ(little_endian_at(message, 0, 1), 2u);
  const std::size_t position = little_endian_at(message, 2, 2), size = little_endian_at(message, 4, 4);
  ASSERT_LE(position + size, message.size());
  EXPECT_EQ(values_of(std::span(message).subspan(position, size)), values_of(some_avcc));
  Bytes payload;
  append_start_segment(payload, some_track);
  EXPECT_EQ(values_of(std::span(message).subspan(16)), values_of(payload));
}

TEST(VideoMessage, FragmentPointsAtItsSample) {
  const Mp4Frame frame{some_sample, true, 0x01020304};
  const Bytes message = message_of_fragment(frame, 1234567890123.5);
  EXPECT_EQ(little_endian_at(message, 0, 1), 1u);
  EXPECT_EQ(little_endian_at(message, 1, 1), 1u);
  EXPECT_EQ(values_of(std::span(message).subspan(little_endian_at(message, 2, 2))), values_of(some_sample));
  EXPECT_EQ(little_endian_at(message, 4, 4), 0x01020304u);
  EXPECT_EQ(std::bit_cast<double>(little_endian_at(message, 8, 8)), 1234567890123.5);
  Bytes payload;
  append_fragment(payload, frame);
  EXPECT_EQ(values_of(std::span(message).subspan(16)), values_of(payload));
  EXPECT_EQ(little_endian_at(message_of_fragment({some_sample, false, 7}, 0), 1, 1), 0u);
}

TEST(VideoMessage, PictureContainsTheFile) {
  for (const auto& [kind, number] : {std::pair{MessageKind::jpeg, 3u}, std::pair{MessageKind::png, 4u}}) {
    const Bytes message = message_of_picture(kind, some_sample, 99, 2.5);
    EXPECT_EQ(little_endian_at(message, 0, 1), number);
    EXPECT_EQ(little_endian_at(message, 1, 1), 1u);
    EXPECT_EQ(values_of(std::span(message).subspan(little_endian_at(message, 2, 2))), values_of(some_sample));
    EXPECT_EQ(little_endian_at(message, 4, 4), 99u);
    EXPECT_EQ(std::bit_cast<double>(little_endian_at(message, 8, 8)), 2.5);
  }
}

TEST(Jpeg, ShowsThePictureTopRowFirst) {
  // Odd sizes too. Brighter from left to right; the upper half is red and therefore darker.
  constexpr int width = 67, height = 45;
  std::vector<std::uint32_t> pixels;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const auto level = static_cast<std::uint32_t>(40 + 3 * i);
      pixels.push_back(j < height / 2 ? rgba(level, 0, 0) : rgba(level, level, level));
    }
  const Bytes file = encode_jpeg(pixels, width, height);
  const std::string_view bytes = text_of(file);
  ASSERT_TRUE(is_jpeg(bytes));
  EXPECT_LT(file.size(), pixels.size());
  const GreyImage image = decode_grey_image(bytes, "test");
  ASSERT_EQ(image.width, width);
  ASSERT_EQ(image.height, height);
  const auto grey = [&](int i, int row_from_bottom) {
    return image.values[static_cast<std::size_t>(row_from_bottom * width + i)];
  };
  for (int i = 0; i < width; ++i) {
    const float level = static_cast<float>(40 + 3 * i) / 255.f;
    EXPECT_NEAR(grey(i, 4), level, 0.04f);
    EXPECT_NEAR(grey(i, height - 5), 0.3f * level, 0.04f);  // as JPEG and GreyImage weigh red
  }
}

TEST(Jpeg, OfImpossibleSizeIsAnError) {
  EXPECT_NE(error_thrown_by<Error>([] { encode_jpeg({}, 0, 10); }), "");
  const std::vector<std::uint32_t> line(70000);
  EXPECT_NE(error_thrown_by<Error>([&] { encode_jpeg(line, 70000, 1); }), "");
}

}  // namespace
}  // namespace perturb
