#include "app/serve/video/video_encoder.h"

#include "app/serve/video/codec_library.h"
#include "app/serve/video/h264_units.h"
#include "app/serve/video/rgb_to_yuv.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

std::span<const std::byte> bytes_of(const std::uint8_t* data, int size) {
  return std::as_bytes(std::span(data, static_cast<std::size_t>(size)));
}

}  // namespace

struct VideoEncoder::Codec : CodecObjects {
  using CodecObjects::CodecObjects;

  // The result of a call; throws Error if it is negative.
  void require(int result) const {
    if (result < 0) library.fail(result);
  }
  template <typename Pointer>
  Pointer require_memory(Pointer pointer) const {
    if (!pointer) library.fail(AVERROR(ENOMEM));
    return pointer;
  }
  void set(const char* option, const char* value) const {
    require(library.av_opt_set(context->priv_data, option, value, 0));
  }
  std::int64_t frames = 0;
};

Message VideoEncoder::why_not() { return CodecLibrary::get().why_not; }

VideoEncoder::VideoEncoder(int width, int height, int frames_per_second)
    : width_(width), height_(height), frames_per_second_(frames_per_second) {
  PERTURB_ASSERT(frames_per_second > 0);
  const auto fits = [](int side) { return side % 2 == 0 && side >= min_side && side <= max_side; };
  if (!fits(width) || !fits(height))
    throw InputError(
        "Cannot encode video of {} x {} pixels: width and height must be even and from {} to {}. Choose another size.",
        width, height, min_side, max_side);
  const CodecLibrary& library = CodecLibrary::get();
  if (!library.why_not.empty()) throw Error(library.why_not);
  CodecLibrary::clear_log();
  codec_ = std::make_unique<Codec>(library);
  Codec& codec = *codec_;
  codec.context = codec.require_memory(library.avcodec_alloc_context3(library.x264));

  AVCodecContext& context = *codec.context;
  context.width = width;
  context.height = height;
  context.time_base = {1, frames_per_second};
  context.framerate = {frames_per_second, 1};
  context.pix_fmt = AV_PIX_FMT_YUV420P;
  context.color_range = AVCOL_RANGE_MPEG;
  context.color_primaries = AVCOL_PRI_BT709;
  context.color_trc = AVCOL_TRC_BT709;
  context.colorspace = AVCOL_SPC_BT709;
  context.chroma_sample_location = AVCHROMA_LOC_CENTER;
  context.thread_count = 1;
  context.gop_size = frames_per_second;
  context.max_b_frames = 0;
  context.rc_max_rate = max_bits_per_second;
  context.rc_buffer_size = max_burst_bits;
  // Parameter sets once, in `extradata`, instead of before each key frame.
  context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  codec.set("preset", "superfast");
  codec.set("tune", "zerolatency");
  codec.set("crf", "21");
  codec.set("sc_threshold", "0");  // no key frames at changes of scene: they are large
  codec.set("forced-idr", "1");
  codec.require(library.avcodec_open2(codec.context, library.x264, nullptr));
  avcc_ = make_avcc(split_units(bytes_of(context.extradata, context.extradata_size)));
  if (avcc_.empty()) library.fail(AVERROR_INVALIDDATA);

  codec.packet = codec.require_memory(library.av_packet_alloc());
  codec.frame = codec.require_memory(library.av_frame_alloc());
  codec.frame->format = context.pix_fmt;
  codec.frame->width = width;
  codec.frame->height = height;
  codec.frame->color_range = context.color_range;
  codec.frame->color_primaries = context.color_primaries;
  codec.frame->color_trc = context.color_trc;
  codec.frame->colorspace = context.colorspace;
  codec.frame->chroma_location = context.chroma_sample_location;
  codec.require(library.av_frame_get_buffer(codec.frame, 0));
}

VideoEncoder::~VideoEncoder() = default;

VideoPacket VideoEncoder::encode(std::span<const std::uint32_t> rgba, bool force_key) {
  PERTURB_ASSERT(rgba.size() == static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  Codec& codec = *codec_;
  const CodecLibrary& library = codec.library;
  CodecLibrary::clear_log();
  codec.require(library.av_frame_make_writable(codec.frame));
  AVFrame& frame = *codec.frame;
  const auto stride = [&](int plane) { return static_cast<std::size_t>(frame.linesize[plane]); };
  convert_to_yuv(rgba, width_, height_, {frame.data[0], frame.data[1], frame.data[2], stride(0), stride(1), stride(2)});
  frame.pts = codec.frames++;
  frame.pict_type = force_key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  codec.require(library.avcodec_send_frame(codec.context, codec.frame));
  // Without delay: "try again", after another frame, is a failure.
  codec.require(library.avcodec_receive_packet(codec.context, codec.packet));
  const AVPacket& packet = *codec.packet;
  return {make_sample(split_units(bytes_of(packet.data, packet.size))), (packet.flags & AV_PKT_FLAG_KEY) != 0};
}

}  // namespace perturb
