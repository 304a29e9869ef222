// The paths of the pixel buffer and the screen quad: the image on the screen is bit-identical to the one that kernels
// write.
#include <glad/gl.h>
// glad before anything else that may include OpenGL.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/render/display/pixel_buffer.h"
#include "app/render/display/screen_quad.h"
#include "app/render/gl/context.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {
namespace {

// Neighbours differ in every channel, rows and columns cannot be exchanged, and each frame differs from the previous
// one.
PERTURB_HD std::uint32_t golden_pixel(int i, int j, int frame) {
  return rgba(static_cast<std::uint32_t>(i * 7 + j * 3 + frame * 11) & 255u,
              static_cast<std::uint32_t>(i * 5 + j * 13) & 255u,
              static_cast<std::uint32_t>(i ^ (j * 29 + frame)) & 255u);
}

struct PaintGolden {
  Pixels pixels;
  int frame;
  PERTURB_HD void operator()(int i, int j) const { pixels(i, j) = golden_pixel(i, j, frame); }
};

Picture golden_picture(int width, int height, int frame) {
  Picture picture{width, height, {}};
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) picture.pixels.push_back(golden_pixel(i, j, frame));
  return picture;
}

void expect_same(const Picture& got, const Picture& golden) {
  ASSERT_EQ(got.width, golden.width);
  ASSERT_EQ(got.height, golden.height);
  for (int j = 0; j < got.height; ++j)
    for (int i = 0; i < got.width; ++i) {
      const auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(got.width) + static_cast<std::size_t>(i);
      ASSERT_EQ(got.pixels[at], golden.pixels[at]) << "at column " << i << ", row " << j;
    }
}

struct PathCase {
  PixelPath path;
  int width, height;
};
std::string path_case_name(const testing::TestParamInfo<PathCase>& info) {
  std::string name = name_of(info.param.path);
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name + "_" + std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
}

class EachPixelPath : public testing::TestWithParam<PathCase> {
 protected:
  void SetUp() override {
    const PathCase way = GetParam();
    if (way.path == PixelPath::host_mapped) {
      backend_ = Backend::make_cpu(2);
    } else {
      const CudaStatus status = cuda_status();
      if (!status.usable) GTEST_SKIP() << "no CUDA: " << status.reason.english();
      backend_ = Backend::make_cuda();
    }
    context_ = make_offscreen_context(way.width, way.height);
    buffer_ = PixelBuffer::make(*backend_, way.width, way.height, way.path == PixelPath::interop, &note_);
    if (way.path == PixelPath::interop && buffer_->path() == PixelPath::staged)
      GTEST_SKIP() << "no interop: " << note_.english();
    quad_ = std::make_unique<ScreenQuad>();
  }
  void TearDown() override {
    quad_.reset();
    buffer_.reset();
  }

  void paint(int frame) {
    const Pixels pixels = buffer_->map();
    ASSERT_EQ(pixels.width, GetParam().width);
    ASSERT_EQ(pixels.height, GetParam().height);
    parallel_for(*backend_, "test.golden", Range2D{pixels.width, pixels.height}, PaintGolden{pixels, frame});
    buffer_->unmap();
  }
  Picture shown(bool finish) {
    context_->begin_frame();
    quad_->draw(buffer_->texture(finish));
    Picture picture = context_->read_back();
    context_->end_frame();
    return picture;
  }
  Picture golden(int frame) const { return golden_picture(GetParam().width, GetParam().height, frame); }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<GlContext> context_;
  std::unique_ptr<PixelBuffer> buffer_;
  std::unique_ptr<ScreenQuad> quad_;
  Message note_;
};

TEST_P(EachPixelPath, ReportsItsPath) {
  EXPECT_EQ(buffer_->path(), GetParam().path);
  EXPECT_EQ(note_, "");
}

TEST_P(EachPixelPath, IsBlackBeforeFirstFrame) {
  for (std::uint32_t pixel : shown(false).pixels) ASSERT_EQ(pixel, rgba(0, 0, 0));
}

TEST_P(EachPixelPath, ShowsTheGoldenFramePixelForPixel) {
  for (int frame = 1; frame <= 7; ++frame) {
    paint(frame);
    expect_same(shown(true), golden(frame));
  }
}

TEST_P(EachPixelPath, KeepsFrameWhenNothingIsPainted) {
  paint(1);
  expect_same(shown(true), golden(1));
  expect_same(shown(true), golden(1));
  expect_same(shown(false), golden(1));
}

TEST_P(EachPixelPath, ShowsWholeFramesInOrderWithoutWaiting) {
  const int staged = GetParam().path == PixelPath::staged ? 1 : 0;
  int last = 1;
  for (int frame = 1; frame <= 40; ++frame) {
    paint(frame);
    const Picture picture = shown(false);
    // Determines the frame: at most two old, not older than the previous one, and complete.
    int found = 0;
    for (int candidate = std::max(last, frame - 2 * staged); candidate <= frame; ++candidate)
      if (picture.pixels == golden(candidate).pixels) found = candidate;
    ASSERT_GE(found, last) << "frame " << frame << " shows a picture that is none of the last";
    last = found;
  }
  expect_same(shown(true), golden(40));
}

TEST_P(EachPixelPath, AcceptsFramesThatAreNeverShown) {
  for (int frame = 1; frame <= 20; ++frame) paint(frame);
  expect_same(shown(true), golden(20));
}

TEST_P(EachPixelPath, IgnoresForeignUnpackState) {
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 3);
  glPixelStorei(GL_UNPACK_SKIP_PIXELS, 2);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
  paint(3);
  expect_same(shown(true), golden(3));
}

TEST_P(EachPixelPath, CanBeRecreatedInAnotherSize) {
  paint(1);
  const int width = GetParam().width + 3, height = GetParam().height + 5;
  buffer_ = PixelBuffer::make(*backend_, width, height, GetParam().path == PixelPath::interop, &note_);
  ASSERT_EQ(buffer_->path(), GetParam().path) << note_.english();
  const Pixels pixels = buffer_->map();
  EXPECT_EQ(pixels.width, width);
  EXPECT_EQ(pixels.height, height);
  buffer_->unmap();
}

TEST_P(EachPixelPath, ReleasesItsMemory) {
  const bool staged = GetParam().path == PixelPath::staged;
  EXPECT_EQ(backend_->memory_in_use() > 0, staged) << "what CUDA owns is counted, what OpenGL owns is not";
  paint(1);
  buffer_.reset();
  EXPECT_EQ(backend_->memory_in_use(), 0u);
}

TEST_P(EachPixelPath, CanBeDestroyedWhileMapped) {
  buffer_->map();
  buffer_.reset();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_P(EachPixelPath, RejectsSizesBeyondOpenGlLimit) {
  EXPECT_THROW(PixelBuffer::make(*backend_, 0, 4, true), InputError);
  EXPECT_THROW(PixelBuffer::make(*backend_, 4, -1, false), InputError);
  EXPECT_THROW(PixelBuffer::make(*backend_, 1 << 24, 4, true), InputError);
}

// An odd width, so that rows are padded; one pixel; and a common size.
INSTANTIATE_TEST_SUITE_P(Path, EachPixelPath,
                         testing::Values(PathCase{PixelPath::host_mapped, 61, 37},
                                         PathCase{PixelPath::host_mapped, 1, 1},
                                         PathCase{PixelPath::host_mapped, 640, 360},
                                         PathCase{PixelPath::staged, 61, 37}, PathCase{PixelPath::staged, 1, 1},
                                         PathCase{PixelPath::staged, 640, 360}, PathCase{PixelPath::interop, 61, 37},
                                         PathCase{PixelPath::interop, 1, 1}, PathCase{PixelPath::interop, 640, 360}),
                         path_case_name);

TEST(StagedPixelBuffer, ThrowsWhenMemoryRunsOut) {
  const CudaStatus status = cuda_status();
  if (!status.usable) GTEST_SKIP() << "no CUDA: " << status.reason.english();
  const auto backend = Backend::make_cuda();
  const auto context = make_offscreen_context(16, 16);
  fail_memory_after(0);
  EXPECT_THROW(PixelBuffer::make(*backend, 16, 16, false), Error);
  fail_memory_after(-1);
  EXPECT_EQ(backend->memory_in_use(), 0u);
}

// Whatever OpenGL renders with here, the image of a CUDA backend arrives. If it is staged although interop was
// requested, one message gives the reason, and later kernel launches do not report the failed registration.
TEST(CudaPixelBuffer, FallsBackWithOneMessage) {
  const CudaStatus status = cuda_status();
  if (!status.usable) GTEST_SKIP() << "no CUDA: " << status.reason.english();
  const auto backend = Backend::make_cuda();
  const auto context = make_offscreen_context(32, 32);
  Message note = "left over";
  const auto buffer = PixelBuffer::make(*backend, 32, 32, true, &note);
  EXPECT_EQ(note.empty(), buffer->path() == PixelPath::interop);
  if (!note.empty()) {
    RecordProperty("note", note.english());
    EXPECT_NE(note.english().find("because"), std::string::npos) << note.english();
    EXPECT_EQ(note.english().back(), '.') << note.english();
    EXPECT_EQ(note.english().find('\n'), std::string::npos) << note.english();
  }
  const Pixels pixels = buffer->map();
  EXPECT_NO_THROW(parallel_for(*backend, "test.golden", Range2D{32, 32}, PaintGolden{pixels, 1}));
  buffer->unmap();
  EXPECT_NO_THROW(backend->synchronize());
}

// The quad alone, with a texture made in the test.
class Quad : public testing::Test {
 protected:
  GLuint texture_of(const Picture& picture) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    // Linear filtering, which must not affect the quad.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, picture.width, picture.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 picture.pixels.data());
    return name;
  }
};

TEST_F(Quad, IsPixelForPixelWhenSizesAgree) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {333, 77}, {1920, 1080}, {4096, 3}}) {
    const auto context = make_offscreen_context(width, height);
    ScreenQuad quad;
    const Picture golden = golden_picture(width, height, 0);
    const GLuint texture = texture_of(golden);
    context->begin_frame();
    quad.draw(texture);
    expect_same(context->read_back(), golden);
    glDeleteTextures(1, &texture);
  }
}

TEST_F(Quad, FillsOnlyTheViewport) {
  const auto context = make_offscreen_context(40, 30);
  ScreenQuad quad;
  const Picture golden = golden_picture(20, 10, 0);
  const GLuint texture = texture_of(golden);
  context->begin_frame();
  glClearColor(1, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glViewport(13, 7, 20, 10);
  glEnable(GL_BLEND);  // as interface code drawn earlier may leave it
  quad.draw(texture);
  const Picture got = context->read_back();
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 40; ++i) {
      const bool inside = i >= 13 && i < 33 && j >= 7 && j < 17;
      ASSERT_EQ(got.pixels[static_cast<std::size_t>(j * 40 + i)],
                inside ? golden.pixels[static_cast<std::size_t>((j - 7) * 20 + i - 13)] : rgba(255, 0, 255))
          << i << ", " << j;
    }
  glDeleteTextures(1, &texture);
}

TEST_F(Quad, TakesTheNearestTexelWhenSizesDiffer) {
  const auto context = make_offscreen_context(30, 20);
  ScreenQuad quad;
  const Picture small = golden_picture(10, 5, 0);
  const GLuint texture = texture_of(small);
  context->begin_frame();
  quad.draw(texture);
  const Picture got = context->read_back();
  for (int j = 0; j < 20; ++j)
    for (int i = 0; i < 30; ++i)
      ASSERT_EQ(got.pixels[static_cast<std::size_t>(j * 30 + i)],
                small.pixels[static_cast<std::size_t>(j / 4 * 10 + i / 3)])
          << i << ", " << j;
  glDeleteTextures(1, &texture);
}

TEST_F(Quad, IgnoresAlphaOfTexture) {
  const auto context = make_offscreen_context(2, 2);
  ScreenQuad quad;
  const GLuint texture = texture_of({1, 1, {rgba(10, 20, 30, 0)}});
  context->begin_frame();
  quad.draw(texture);
  for (std::uint32_t pixel : context->read_back().pixels) EXPECT_EQ(pixel, rgba(10, 20, 30, 255));
  glDeleteTextures(1, &texture);
}

}  // namespace
}  // namespace perturb
