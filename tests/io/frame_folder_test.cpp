// A video as PNGs that are encoded in the background: all of them, in order, and every error is reported.
#include "app/io/image/frame_folder.h"

#include <functional>

#include <gtest/gtest.h>

#include "app/io/image/image.h"
#include "app/io/image/png_codec.h"
#include "cuda/core/backend/check.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Frames : public ScratchFolder {
 protected:
  static Picture picture(int number) {
    Picture p{40, 30, std::vector<std::uint32_t>(40 * 30)};
    for (std::size_t k = 0; k < p.pixels.size(); ++k) {
      const auto shade = static_cast<std::uint32_t>(number * 5 + static_cast<int>(k % 7)) % 256;
      p.pixels[k] = 0xff000000u | shade << 16 | shade << 8 | shade;
    }
    return p;
  }
  void expect_frame(int number) const {
    char name[32];
    std::snprintf(name, sizeof name, "film/%06d.png", number);
    const auto image = load_grey_image(path(name));
    const Picture expected = picture(number);
    ASSERT_EQ(image->width, expected.width);
    ASSERT_EQ(image->height, expected.height);
    for (std::size_t k = 0; k < expected.pixels.size(); ++k)
      ASSERT_NEAR(image->values[k] * 255, expected.pixels[k] & 255, 0.01) << number << ' ' << k;
  }
  static std::string sentence_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const InputError&) {
      return "wrong kind";
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Frames, AllAreThereInTheirOrder) {
  constexpr int count = 50;
  for (const int threads : {1, 3}) {
    FrameFolder film(path("film/"), threads);
    for (int n = 0; n < count; ++n) film.add(picture(n));
    film.finish();
    for (int n = 0; n < count; ++n) expect_frame(n);
    EXPECT_EQ(std::distance(fs::directory_iterator(path("film")), {}), count);
    fs::remove_all(path("film"));
  }
}

TEST_F(Frames, WritesAddedFramesWithoutFinish) {
  {
    FrameFolder film(path("film/"), 2);
    for (int n = 0; n < 6; ++n) film.add(picture(n));
  }
  for (int n = 0; n < 6; ++n) expect_frame(n);
}

TEST_F(Frames, ReportsFailureAndKeepsEarlierFrames) {
  // A file operation in the middle fails as on a full disk.
  FrameFolder film(path("film/"), 2);
  for (int n = 0; n < 4; ++n) film.add(picture(n));
  fail_output_after(40);
  const std::string sentence = sentence_of([&] {
    for (int n = 4; n < 100; ++n) film.add(picture(n));
    film.finish();
  });
  EXPECT_NE(sentence.find("Cannot record \""), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(".png\": "), std::string::npos) << sentence;
  const int failed = std::stoi(sentence.substr(sentence.find(".png") - 6, 6));
  EXPECT_GT(failed, 3);
  for (int n = 0; n < failed; ++n) expect_frame(n);
  for (const auto& entry : fs::directory_iterator(path("film")))
    EXPECT_EQ(entry.path().filename().string().find(".part"), std::string::npos);
}

TEST_F(Frames, ReportsRemovedFolder) {
  FrameFolder film(path("film/"), 2);
  film.add(picture(0));
  fs::remove_all(path("film"));
  const std::string sentence = sentence_of([&] {
    for (int n = 1; n < 50; ++n) {
      film.add(picture(n));
      fs::remove_all(path("film"));
    }
    film.finish();
  });
  EXPECT_NE(sentence.find("Cannot record"), std::string::npos) << sentence;
}

TEST_F(Frames, EncodesFrameWithoutLoss) {
  for (const PngEffort effort : {PngEffort::film, PngEffort::still}) {
    const std::vector<unsigned char> bytes = encode_png(picture(3), effort);
    fs::create_directories(path("film"));
    write("film/000003.png", {bytes.begin(), bytes.end()});
    expect_frame(3);
  }
  EXPECT_THROW(encode_png({0, 0, {}}, PngEffort::film), Error);
}

}  // namespace
}  // namespace perturb
