// Video that the encoder makes, as a decoder sees it: libavcodec's, and ffmpeg's programs.
#include "app/serve/video/video_encoder.h"

#include <array>
#include <cstring>
#include <span>
#include <sstream>

#include <gtest/gtest.h>

#include "app/io/files/process.h"
#include "app/serve/video/fragmented_mp4.h"
#include "app/serve/video/h264_units.h"
#include "app/serve/video/video_decoder.h"
#include "cuda/core/paint/pixels.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/mem.h>
}

namespace perturb {
namespace {

constexpr int width = 128, height = 96, frames_per_second = 10;
using Pixels32 = std::vector<std::uint32_t>;

struct DecodedFrame {
  std::vector<int> y, cb, cr;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorSpace space = AVCOL_SPC_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  AVChromaLocation chroma_location = AVCHROMA_LOC_UNSPECIFIED;

  bool operator==(const DecodedFrame&) const = default;
};

// A decoder that starts from nothing but the configuration, as a browser does.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> avcc) {
    const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_H264);
    context_ = avcodec_alloc_context3(codec);
    context_->extradata = static_cast<std::uint8_t*>(av_mallocz(avcc.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    context_->extradata_size = static_cast<int>(avcc.size());
    std::memcpy(context_->extradata, avcc.data(), avcc.size());
    context_->thread_count = 1;
    EXPECT_EQ(avcodec_open2(context_, codec, nullptr), 0);
  }
  ~Decoder() {
    av_packet_free(&packet_);
    av_frame_free(&frame_);
    avcodec_free_context(&context_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // The frame of this very sample; no value: the decoder returns none yet.
  std::optional<DecodedFrame> decode(std::span<const std::byte> sample) {
    EXPECT_EQ(av_new_packet(packet_, static_cast<int>(sample.size())), 0);
    std::memcpy(packet_->data, sample.data(), sample.size());
    const int sent = avcodec_send_packet(context_, packet_);
    av_packet_unref(packet_);
    if (sent < 0 || avcodec_receive_frame(context_, frame_) < 0) return {};
    EXPECT_EQ(frame_->format, AV_PIX_FMT_YUV420P);
    DecodedFrame decoded{plane(0, frame_->width, frame_->height),
                         plane(1, frame_->width / 2, frame_->height / 2),
                         plane(2, frame_->width / 2, frame_->height / 2),
                         frame_->color_range,
                         frame_->colorspace,
                         frame_->color_primaries,
                         frame_->color_trc,
                         frame_->chroma_location};
    av_frame_unref(frame_);
    return decoded;
  }

 private:
  std::vector<int> plane(int number, int columns, int rows) const {
    std::vector<int> values;
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) values.push_back(frame_->data[number][j * frame_->linesize[number] + i]);
    return values;
  }

  AVCodecContext* context_ = nullptr;
  AVFrame* frame_ = av_frame_alloc();
  AVPacket* packet_ = av_packet_alloc();
};

Pixels32 plain(std::uint32_t color) { return Pixels32(width * height, color); }

// Waves in two colours that move with the number of the frame; different in each quarter.
Pixels32 waves(int number) {
  Pixels32 pixels;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const double wave = std::sin(0.12 * i + 0.3 * number) * std::cos(0.05 * j);
      pixels.push_back(
          pack_color({static_cast<float>(140 + 80 * wave), static_cast<float>(60 + j), static_cast<float>(200 - i)}));
    }
  return pixels;
}

// The same noise at each call.
class Noise {
 public:
  Pixels32 next(int columns, int rows) {
    Pixels32 pixels;
    for (int k = 0; k < columns * rows; ++k) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      pixels.push_back(static_cast<std::uint32_t>(state_ >> 32));
    }
    return pixels;
  }

 private:
  std::uint64_t state_ = 1;
};

double mean_of(const std::vector<int>& values) {
  double sum = 0;
  for (const int value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Over all channels, in dB. Each chroma value holds for 2 x 2 pixels.
double peak_signal_to_noise(const DecodedFrame& frame, const Pixels32& pixels) {
  double squares = 0;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const std::size_t at = static_cast<std::size_t>(j * width + i);
      const std::size_t chroma_at = static_cast<std::size_t>(j / 2 * (width / 2) + i / 2);
      const double luma = (frame.y[at] - 16) / 219. * 255.;
      const double blue_less = (frame.cb[chroma_at] - 128) / 224. * 255.,
                   red_less = (frame.cr[chroma_at] - 128) / 224. * 255.;
      const double r = luma + 1.5748 * red_less, b = luma + 1.8556 * blue_less;
      const double g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152;
      const Color color = color_of(pixels[at]);
      squares += (r - color.r) * (r - color.r) + (g - color.g) * (g - color.g) + (b - color.b) * (b - color.b);
    }
  return 10 * std::log10(255. * 255. / (squares / (3 * width * height)));
}

class VideoEncoderTest : public ScratchFolder {
 protected:
  void SetUp() override {
    if (const Message reason = VideoEncoder::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    ScratchFolder::SetUp();
  }
};

TEST_F(VideoEncoderTest, ReturnsThePacketOfTheSameFrame) {
  VideoEncoder encoder(width, height, frames_per_second);
  Decoder decoder(encoder.avcc());
  for (int n = 0; n < 25; ++n) {
    // Frames differ in brightness, in no order that a delay could repeat.
    const auto level = static_cast<std::uint32_t>(20 + n * 89 % 220);
    const VideoPacket packet = encoder.encode(plain(rgba(level, level, level)));
    const std::optional<DecodedFrame> frame = decoder.decode(packet.sample);
    ASSERT_TRUE(frame);
    EXPECT_NEAR(mean_of(frame->y), 16 + 219 * level / 255., 1.5);
  }
}

TEST_F(VideoEncoderTest, OwnDecoderReturnsTheSameBrightness) {
  VideoEncoder encoder(width, height, frames_per_second);
  Decoder decoder(encoder.avcc());
  VideoDecoder own(encoder.avcc());
  for (int n = 0; n < 5; ++n) {
    const VideoPacket packet = encoder.encode(waves(n));
    const std::optional<DecodedFrame> expected = decoder.decode(packet.sample);
    ASSERT_TRUE(expected);
    const DecodedLuma frame = own.decode(packet.sample);
    ASSERT_EQ(frame.width, width);
    ASSERT_EQ(frame.height, height);
    std::vector<int> luma;
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i)
        luma.push_back(frame.data[static_cast<std::size_t>(j) * frame.stride + static_cast<std::size_t>(i)]);
    EXPECT_EQ(luma, expected->y) << n;
  }
  const std::vector<std::byte> rubbish(100, std::byte{3});
  EXPECT_THROW(own.decode(rubbish), Error);
}

TEST_F(VideoEncoderTest, SampleIsOneSliceWithoutParameterSets) {
  VideoEncoder encoder(width, height, frames_per_second);
  for (int n = 0; n < 12; ++n) {
    const VideoPacket packet = encoder.encode(waves(n));
    ASSERT_GT(packet.sample.size(), 4u);
    std::size_t size = 0;
    for (int k = 0; k < 4; ++k)
      size = size << 8 | std::to_integer<std::size_t>(packet.sample[static_cast<std::size_t>(k)]);
    EXPECT_EQ(size + 4, packet.sample.size());
    EXPECT_EQ(type_of(std::span(packet.sample).subspan(4)),
              packet.is_key ? H264UnitType::key_slice : H264UnitType::slice);
  }
}

TEST_F(VideoEncoderTest, MakesKeyFramesEachSecondAndOnRequestOnly) {
  VideoEncoder encoder(width, height, frames_per_second);
  int last = 0;
  for (int n = 0; n < 45; ++n) {
    const bool asked = n == 7 || n == 8 || n == 29;
    // Every third frame is another scene.
    const VideoPacket packet = encoder.encode(n % 3 == 0 ? plain(rgba(250, 200, 10)) : waves(n), asked);
    EXPECT_EQ(packet.is_key, n == 0 || asked || n - last == frames_per_second) << n;
    if (packet.is_key) last = n;
  }
}

TEST_F(VideoEncoderTest, KeepsThePicture) {
  VideoEncoder encoder(width, height, frames_per_second);
  Decoder decoder(encoder.avcc());
  for (int n = 0; n < 12; ++n) {
    const Pixels32 pixels = waves(n);
    const std::optional<DecodedFrame> frame = decoder.decode(encoder.encode(pixels).sample);
    ASSERT_TRUE(frame);
    EXPECT_GT(peak_signal_to_noise(*frame, pixels), 40);
    // Upside down it would be another picture.
    EXPECT_LT(peak_signal_to_noise(*frame, Pixels32(pixels.rbegin(), pixels.rend())), 20);
  }
}

TEST_F(VideoEncoderTest, SaysWhichColorsItHas) {
  struct Expected {
    std::uint32_t color;
    int y, cb, cr;
  };
  // BT.709, limited range.
  constexpr std::array colors{Expected{rgba(255, 255, 255), 235, 128, 128}, Expected{rgba(0, 0, 0), 16, 128, 128},
                              Expected{rgba(128, 128, 128), 126, 128, 128}, Expected{rgba(255, 0, 0), 63, 102, 240},
                              Expected{rgba(0, 255, 0), 173, 42, 26},       Expected{rgba(0, 0, 255), 32, 240, 118}};
  VideoEncoder encoder(width, height, frames_per_second);
  Decoder decoder(encoder.avcc());
  for (const Expected& expected : colors) {
    const std::optional<DecodedFrame> frame = decoder.decode(encoder.encode(plain(expected.color), true).sample);
    ASSERT_TRUE(frame);
    EXPECT_NEAR(mean_of(frame->y), expected.y, 1);
    EXPECT_NEAR(mean_of(frame->cb), expected.cb, 1);
    EXPECT_NEAR(mean_of(frame->cr), expected.cr, 1);
    EXPECT_EQ(frame->range, AVCOL_RANGE_MPEG);
    EXPECT_EQ(frame->space, AVCOL_SPC_BT709);
    EXPECT_EQ(frame->primaries, AVCOL_PRI_BT709);
    EXPECT_EQ(frame->transfer, AVCOL_TRC_BT709);
    EXPECT_EQ(frame->chroma_location, AVCHROMA_LOC_CENTER);
  }
}

TEST_F(VideoEncoderTest, CanBeJoinedAtEachKeyFrame) {
  VideoEncoder encoder(width, height, frames_per_second);
  std::vector<VideoPacket> packets;
  std::vector<DecodedFrame> frames;
  Decoder from_start(encoder.avcc());
  for (int n = 0; n < 25; ++n) {
    packets.push_back(encoder.encode(waves(n), n == 13));
    const std::optional<DecodedFrame> frame = from_start.decode(packets.back().sample);
    ASSERT_TRUE(frame);
    frames.push_back(*frame);
  }
  int joined = 0;
  for (std::size_t first = 1; first < packets.size(); ++first) {
    if (!packets[first].is_key) continue;
    ++joined;
    Decoder decoder(encoder.avcc());
    for (std::size_t n = first; n < packets.size(); ++n) EXPECT_EQ(decoder.decode(packets[n].sample), frames[n]) << n;
  }
  EXPECT_EQ(joined, 3);
}

TEST_F(VideoEncoderTest, KeepsTheBitRateOfNoiseUnderItsCap) {
  constexpr int columns = 320, rows = 240, rate = 30, seconds = 3;
  VideoEncoder encoder(columns, rows, rate);
  Noise noise;
  std::vector<double> bits;
  for (int n = 0; n < seconds * rate; ++n)
    bits.push_back(8. * static_cast<double>(encoder.encode(noise.next(columns, rows)).sample.size()));
  double most = 0, all = 0;
  for (std::size_t first = 0; first < bits.size(); ++first) {
    double sum = 0;
    for (std::size_t n = first; n < bits.size(); ++n) {
      sum += bits[n];
      // A window of time begins and ends with a frame.
      const double allowed = static_cast<double>(n - first) / rate * VideoEncoder::max_bits_per_second;
      most = std::max(most, sum - allowed);
    }
    if (first == 0) all = sum;
  }
  EXPECT_LE(most, VideoEncoder::max_burst_bits);
  // Without a cap, noise has several times as many bits.
  EXPECT_GT(all, 0.5 * seconds * VideoEncoder::max_bits_per_second);
}

TEST_F(VideoEncoderTest, RefusesSizesThatAreOddOrOutOfRange) {
  const auto refusal = [](int columns, int rows) {
    return error_thrown_by([&] { VideoEncoder(columns, rows, frames_per_second); });
  };
  EXPECT_NE(refusal(129, 96).find("129 x 96"), std::string::npos);
  EXPECT_NE(refusal(128, 97), "");
  EXPECT_NE(refusal(14, 96), "");
  EXPECT_NE(refusal(128, 4098), "");
  EXPECT_NE(refusal(0, 0), "");
  EXPECT_NE(refusal(-128, 96), "");
  EXPECT_EQ(refusal(even_size(129), even_size(97)), "");
  EXPECT_EQ(refusal(16, 16), "");
}

TEST_F(VideoEncoderTest, FragmentsAreAFileThatFfmpegReads) {
  if (find_program("ffmpeg").empty() || find_program("ffprobe").empty()) GTEST_SKIP() << "ffmpeg is not installed";
  constexpr int frames = 25, joined_at = 10;
  VideoEncoder encoder(width, height, frames_per_second);
  std::vector<std::byte> start;
  append_start_segment(start, {width, height, frames_per_second, encoder.avcc()});
  std::vector<std::byte> whole = start, joined = start;
  for (int n = 0; n < frames; ++n) {
    const VideoPacket packet = encoder.encode(waves(n));
    const Mp4Frame frame{packet.sample, packet.is_key, static_cast<std::uint32_t>(n)};
    append_fragment(whole, frame);
    if (n >= joined_at) append_fragment(joined, frame);
  }
  const auto expect_frames = [&](const std::string& name, const std::vector<std::byte>& bytes, int first) {
    write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    std::string expected;
    for (int n = first; n < frames; ++n)
      expected += "packet," + std::to_string(n * 1000) + ",1000," + (n % frames_per_second == 0 ? "K" : "") + "\n";
    expected += "stream,h264,128,96,tv,bt709,10/1," + std::to_string(frames - first) + "\n";
    std::string shown =
        shell(
            "ffprobe -v error -count_frames -show_entries packet=pts,duration,flags:"
            "stream=codec_name,width,height,color_range,color_space,r_frame_rate,nb_read_frames -of csv " +
            name)
            .out;
    std::erase(shown, '_');  // for each flag that is not set; newer versions have more flags
    EXPECT_EQ(shown, expected);
    // Neither an error nor a warning.
    const Outcome decoded = shell("ffmpeg -v warning -xerror -i " + name + " -fps_mode passthrough -f null -");
    EXPECT_EQ(decoded.code, 0);
    EXPECT_EQ(decoded.err, "");
  };
  expect_frames("whole.mp4", whole, 0);
  expect_frames("joined.mp4", joined, joined_at);
}

}  // namespace
}  // namespace perturb
