// Writing PNG, and reading grey images.
#include "app/io/image/image.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

class Image : public ScratchFolder {
 protected:
  // The error message of load_grey_image for a file.
  static std::string error_of(const std::string& name) {
    return error_thrown_by([&] { load_grey_image(name); });
  }
};

// The bytes given by a text of hexadecimal digits.
std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t n = 0; n + 1 < digits.size(); n += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(n, 2), nullptr, 16));
  return bytes;
}

// Small PNGs made by other programs. 1 x 2 pixels, the upper white and the lower black:
const std::string white_over_black = from_hex(
    "89504e470d0a1a0a0000000d4948445200000001000000020800000000bceae9fb0000000c4944415478da63f8cfc0000003010100f7034143"
    "0000000049"
    "454e44ae426082");
// 2 x 1 pixels of 16 bits, 258 and 65535:
const std::string sixteen_bits = from_hex(
    "89504e470d0a1a0a0000000d494844520000000200000001100000000081d9fc150000000d4944415478da636064faff1f00030c0202c45fbf"
    "a700000000"
    "49454e44ae426082");
// 2 x 1 black pixels, the left one transparent:
const std::string half_transparent = from_hex(
    "89504e470d0a1a0a0000000d49484452000000020000000108040000005e2bb7010000000d4944415478da63606060f80f000104010080bbd1"
    "5b00000000"
    "49454e44ae426082");
// 5 x 3 pixels of 8 bits, interlaced:
const std::string interlaced = from_hex(
    "89504e470d0a1a0a0000000d4948445200000005000000030800000001095aaab20000001e49444154789c636060706050605870e00183"
    "8001c3860b0c0109050d130039e6069126f1a4030000000049454e44ae426082");
// The same with a palette of 16 colours, 4 bits per pixel:
const std::string paletted = from_hex(
    "89504e470d0a1a0a0000000d4948445200000005000000030403000000a918d8cb00000030504c54450000001010102020203030304040"
    "40505050606060707070808080909090a0a0a0b0b0b0c0c0c0d0d0d0e0e0e0f0f0f0f71129860000001449444154789c636054766008ab"
    "98c0b0faec0300102a041bf59cc7490000000049454e44ae426082");
// 2 x 2 pixels of 24 bits, as a BMP:
const std::string bitmap = from_hex(
    "424d460000000000000036000000280000000200000002000000010018000000000010000000130b0000130b000000000000000000000a"
    "141e28323c00000a141e28323c0000");

Picture grey_ramp(int width, int height) {
  Picture picture{width, height, {}};
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const auto grey = static_cast<std::uint32_t>(i + 16 * j) & 255u;
      picture.pixels.push_back(rgba(grey, grey, grey, 0));  // the alpha must have no effect
    }
  return picture;
}

TEST_F(Image, SavedAndLoadedIsTheSameRowByRow) {
  const Picture picture = grey_ramp(13, 9);
  save_png(picture, path("ramp.png"));
  const auto image = load_grey_image(path("ramp.png"));
  ASSERT_EQ(image->width, 13);
  ASSERT_EQ(image->height, 9);
  for (std::size_t n = 0; n < picture.pixels.size(); ++n)
    EXPECT_FLOAT_EQ(image->values[n], static_cast<float>(picture.pixels[n] & 255u) / 255.f) << "pixel " << n;
}

TEST_F(Image, SavedRowZeroIsTheLowest) {
  save_png({1, 2, {rgba(0, 0, 0), rgba(255, 255, 255)}}, path("two.png"));
  write("elsewhere.png", white_over_black);
  for (const char* name : {"two.png", "elsewhere.png"}) {
    const auto image = load_grey_image(path(name));
    EXPECT_EQ(image->values[0], 0.f) << name;
    EXPECT_EQ(image->values[1], 1.f) << name;
  }
}

TEST_F(Image, SavedIsAPngOfThreeChannels) {
  save_png({2, 1, {rgba(1, 2, 3, 0), rgba(4, 5, 6, 128)}}, path("rgb.png"));
  const std::string bytes = read(path("rgb.png"));
  ASSERT_GT(bytes.size(), 26u);
  EXPECT_EQ(bytes.substr(1, 3), "PNG");
  EXPECT_EQ(bytes[24], 8) << "bits a channel";
  EXPECT_EQ(bytes[25], 2) << "RGB, without alpha";
}

TEST_F(Image, SixteenBitsAreKept) {
  const auto image = load_grey_image(write("deep.png", sixteen_bits));
  ASSERT_EQ(image->values.size(), 2u);
  EXPECT_FLOAT_EQ(image->values[0], 258.f / 65535.f);
  EXPECT_EQ(image->values[1], 1.f);
}

TEST_F(Image, TransparentIsWhite) {
  const auto image = load_grey_image(write("clear.png", half_transparent));
  ASSERT_EQ(image->values.size(), 2u);
  EXPECT_EQ(image->values[0], 1.f);
  EXPECT_EQ(image->values[1], 0.f);
}

TEST_F(Image, ColoursBecomeTheirBrightness) {
  save_png({4, 1, {rgba(255, 0, 0), rgba(0, 255, 0), rgba(0, 0, 255), rgba(255, 255, 255)}}, path("colours.png"));
  const auto values = load_grey_image(path("colours.png"))->values;
  // Luminance weights 0.30, 0.59, 0.11.
  EXPECT_NEAR(values[0], 0.30, 0.01);
  EXPECT_NEAR(values[1], 0.59, 0.01);
  EXPECT_NEAR(values[2], 0.11, 0.01);
  EXPECT_EQ(values[3], 1.f);
}

TEST_F(Image, RejectsOtherFilesWithMessage) {
  EXPECT_NE(error_of(path("missing.png")).find("No such file"), std::string::npos);
  EXPECT_NE(error_of(path(".")).find("folder"), std::string::npos);
  EXPECT_NE(error_of(write("empty.png", "")).find("Cannot read the image"), std::string::npos);
  EXPECT_NE(error_of(write("text.png", "This is a text, and no picture at all.")).find("Cannot read the image"),
            std::string::npos);
  save_png(grey_ramp(50, 50), path("whole.png"));
  const std::string whole = read(path("whole.png"));
  for (std::size_t length : {std::size_t{10}, std::size_t{40}, whole.size() / 2})
    EXPECT_NE(error_of(write("cut.png", whole.substr(0, length))).find("Cannot read the image"), std::string::npos)
        << length << " bytes";
  // A header that declares 2^20 pixels across.
  std::string wide = whole;
  wide[17] = 0x10;
  EXPECT_NE(error_of(write("wide.png", wide)).find("16384"), std::string::npos);
}

// Every byte of a PNG is covered by a checksum or has only one meaning: any wrong or missing byte must be reported.
TEST_F(Image, ADamagedPngIsRejectedWhereverItIsDamaged) {
  save_png(grey_ramp(23, 17), path("whole.png"));
  for (const std::string& whole : {read(path("whole.png")), sixteen_bits, half_transparent}) {
    ASSERT_EQ(error_of(write("damaged.png", whole)), "");
    for (std::size_t k = 0; k < whole.size(); k += reach<std::size_t>(1, 9)) {
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
      EXPECT_NE(error_of(write("damaged.png", damaged)).find("Cannot read the image"), std::string::npos)
          << "byte " << k;
      EXPECT_NE(error_of(write("damaged.png", whole.substr(0, k))).find("Cannot read the image"), std::string::npos)
          << k << " bytes";
    }
  }
}

TEST_F(Image, InterlacedAndPalettedPngsAreRead) {
  // 5 x 3 pixels of grey, k * 16 from the top left, interlaced; and the same as indices of 4 bits into a palette of
  // greys.
  for (const char* name : {"interlaced", "paletted"}) {
    const auto image = load_grey_image(write(std::string(name) + ".png", name[0] == 'i' ? interlaced : paletted));
    ASSERT_EQ(image->width, 5) << name;
    ASSERT_EQ(image->height, 3) << name;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 5; ++i)
        EXPECT_FLOAT_EQ(image->values[static_cast<std::size_t>((2 - j) * 5 + i)],
                        static_cast<float>(16 * (5 * j + i)) / 255.f)
            << name << ' ' << i << ' ' << j;
  }
}

TEST_F(Image, ACutBitmapIsRejected) {
  ASSERT_EQ(error_of(write("whole.bmp", bitmap)), "");
  for (std::size_t length = 2; length < bitmap.size(); ++length)
    EXPECT_NE(error_of(write("cut.bmp", bitmap.substr(0, length))), "") << length;
}

// 16384 x 16384 pixels of 16 bits and four channels, interlaced, in a few bytes.
TEST_F(Image, RejectsPicturesThatAreTooLargeForTheirBytesBeforeDecoding) {
  const std::string bomb = from_hex(
      "89504e470d0a1a0a0000000d49484452000040000000400010060000018e5ffc510000000d49444154789c63606060f80f000104010080bb"
      "d1"
      "5b0000000049454e44ae426082");
  std::string wide_bitmap = bitmap;
  wide_bitmap[18] = wide_bitmap[22] = 0;
  wide_bitmap[19] = wide_bitmap[23] = 0x40;
  std::string wide_jpeg = read(PERTURB_SOURCE_DIR "/tests/data/field/turned-by-tag.jpg");
  const std::size_t frame = wide_jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  wide_jpeg[frame + 5] = wide_jpeg[frame + 7] = 0x3f;
  struct rusage before {
  }, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_NE(error_of(write("bomb.png", bomb)).find("truncated"), std::string::npos);
  EXPECT_NE(error_of(write("bomb.bmp", wide_bitmap)).find("truncated"), std::string::npos);
  EXPECT_NE(error_of(write("bomb.jpg", wide_jpeg)).find("truncated"), std::string::npos);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100000) << "KiB";
}

// The decoder has space for 256 codes of a Huffman table and writes as many as the file declares.
TEST_F(Image, RejectsAJpegWithMoreCodesThanATableHolds) {
  const std::string jpeg = read(PERTURB_SOURCE_DIR "/tests/data/field/turned-by-tag.jpg");
  const auto with_table = [&](char codes) {
    const int length = 2 + 17 + 2 * static_cast<unsigned char>(codes);
    std::string table = "\xff\xc4";
    table += static_cast<char>(length >> 8);
    table += static_cast<char>(length & 0xff);
    table += '\x03';  // an unused table
    table += std::string(14, '\0') + std::string(2, codes) + std::string(static_cast<std::size_t>(length - 19), '\0');
    return jpeg.substr(0, 2) + table + jpeg.substr(2);
  };
  EXPECT_EQ(error_of(write("full.jpg", with_table('\x80'))), "");
  EXPECT_NE(error_of(write("overfull.jpg", with_table('\xff'))).find("it is damaged"), std::string::npos);
  std::string short_segment = with_table('\x80');
  --short_segment[5];
  EXPECT_NE(error_of(write("short.jpg", short_segment)), "");
}

TEST_F(Image, RejectsAJpegWithFillBytesBeforeItsFirstMarker) {
  const std::string jpeg = read(PERTURB_SOURCE_DIR "/tests/data/field/turned-by-tag.jpg");
  EXPECT_NE(error_of(write("filled.jpg", '\xff' + jpeg)).find("unknown format"), std::string::npos);
}

// The image is stored with 100 x 200 pixels.
TEST_F(Image, AppliesOrientationOfCamera) {
  const std::string turned = read(PERTURB_SOURCE_DIR "/tests/data/field/turned-by-tag.jpg");
  const std::size_t tag = turned.find(std::string("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06", 10));
  ASSERT_NE(tag, std::string::npos);
  const auto with_tag = [&](char orientation) {
    std::string bytes = turned;
    bytes[tag + 9] = orientation;
    return decode_grey_image(bytes, "tagged.jpg");
  };
  const GreyImage stored = with_tag(1);
  ASSERT_EQ(stored.width, 100);
  ASSERT_EQ(stored.height, 200);
  // Position at which the stored pixel (x, y) is displayed, from the top left.
  const auto expect_at = [&](char orientation, const auto& place) {
    const GreyImage image = with_tag(orientation);
    EXPECT_EQ(image.width, orientation >= 5 ? 200 : 100);
    for (const auto& [x, y] : {std::pair{0, 0}, {99, 0}, {0, 199}, {20, 150}, {70, 60}}) {
      const auto [i, j] = place(x, y);
      EXPECT_EQ(image.values[static_cast<std::size_t>((image.height - 1 - j) * image.width + i)],
                stored.values[static_cast<std::size_t>((199 - y) * 100 + x)])
          << int{orientation} << ": " << x << ' ' << y;
    }
  };
  expect_at(2, [](int x, int y) { return std::pair{99 - x, y}; });
  expect_at(3, [](int x, int y) { return std::pair{99 - x, 199 - y}; });
  expect_at(4, [](int x, int y) { return std::pair{x, 199 - y}; });
  expect_at(5, [](int x, int y) { return std::pair{y, x}; });
  expect_at(6, [](int x, int y) { return std::pair{199 - y, x}; });  // a quarter turn to the right
  expect_at(7, [](int x, int y) { return std::pair{199 - y, 99 - x}; });
  expect_at(8, [](int x, int y) { return std::pair{y, 99 - x}; });
  EXPECT_EQ(with_tag(9).width, 100) << "no such orientation";
}

TEST_F(Image, ReadsAJpegWithOtherDataBehindItsEnd) {
  const std::string bytes = read(PERTURB_SOURCE_DIR "/tests/data/field/bytes-after-end.jpg");
  const GreyImage image = decode_grey_image(bytes, "phone.jpg");
  EXPECT_EQ(image.width, 200);
  const std::size_t end = bytes.find("\xff\xd9");
  EXPECT_EQ(decode_grey_image(bytes.substr(0, end + 2), "phone.jpg").values, image.values);
  // Without its end marker it is incomplete, whatever follows.
  for (std::size_t cut = 2; cut <= end; cut += 7)
    EXPECT_NE(error_of(write("cut.jpg", bytes.substr(0, cut))).find("Cannot read the image"), std::string::npos) << cut;
}

TEST_F(Image, AFailedSaveLeavesTheOldFile) {
  save_png(grey_ramp(4, 4), path("kept.png"));
  const std::string before = read(path("kept.png"));
  fail_output_after(0);
  EXPECT_THROW(save_png(grey_ramp(9, 9), path("kept.png")), Error);
  fail_output_after(-1);
  EXPECT_EQ(read(path("kept.png")), before);
  EXPECT_EQ(files(), 1u) << "no temporary file is left";
}

TEST_F(Image, CannotBeSavedWhereNothingCan) {
  EXPECT_THROW(save_png(grey_ramp(2, 2), path("no/such/folder/x.png")), Error);
  EXPECT_THROW(save_png({}, path("nothing.png")), Error);
}

// Both images have more pixels than the grids, and thin lines.
TEST(WallImages, GiveWavesAndFlowTheSameClosedWalls) {
  const std::unique_ptr<Backend> backend = Backend::make_cpu(1);
  const auto walls_in = [&](const char* simulation, const char* name, int size) {
    perturb::Setup setup;
    setup.simulation = simulation;
    setup.width = setup.height = size;
    const std::string file = std::string(PERTURB_SOURCE_DIR "/tests/data/field/") + name;
    setup.actions.push_back({"wall-image", {}, file, load_grey_image(file)});
    const std::unique_ptr<Simulation> run = find_simulation(simulation).create(*backend, setup);
    const auto side = static_cast<std::size_t>(size);
    return run->save().get<std::uint8_t>("wall", {side, side});
  };
  const std::vector<std::uint8_t> slope = walls_in("wave", "wall-slope.png", 400);
  EXPECT_EQ(slope, walls_in("lbm", "wall-slope.png", 400));
  for (std::size_t i = 0; i < 400; ++i) {
    int cells = 0;
    for (std::size_t j = 0; j < 400; ++j) cells += slope[400 * j + i];
    EXPECT_GE(cells, 1) << "column " << i << " is open";
  }
  const std::vector<std::uint8_t> plan = walls_in("wave", "wall-plan.png", 250);
  EXPECT_EQ(plan, walls_in("lbm", "wall-plan.png", 250));
  // The outer walls, those in the middle, and the diagonal, in a row between them.
  int crossings = 0;
  for (std::size_t i = 1; i < 250; ++i) crossings += plan[250 * 75 + i] != 0 && plan[250 * 75 + i - 1] == 0 ? 1 : 0;
  EXPECT_EQ(crossings, 4);
}

}  // namespace
}  // namespace perturb
