#include "app/serve/video/video_decoder.h"

#include <cstring>

#include "app/serve/video/codec_library.h"
#include "cuda/core/backend/check.h"

namespace perturb {

struct VideoDecoder::Codec : CodecObjects {
  using CodecObjects::CodecObjects;

  void require(bool is_done, int error = AVERROR(ENOMEM)) const {
    if (!is_done) throw Error("Cannot decode the video: {}.", library.reason_of(error));
  }
};

VideoDecoder::VideoDecoder(std::span<const std::byte> avcc) {
  const CodecLibrary& library = CodecLibrary::get();
  if (!library.why_not.empty()) throw Error(library.why_not);
  CodecLibrary::clear_log();
  codec_ = std::make_unique<Codec>(library);
  Codec& codec = *codec_;
  const AVCodec* h264 = library.avcodec_find_decoder(AV_CODEC_ID_H264);
  codec.require(h264 != nullptr, AVERROR_DECODER_NOT_FOUND);
  codec.context = library.avcodec_alloc_context3(h264);
  codec.frame = library.av_frame_alloc();
  codec.packet = library.av_packet_alloc();
  codec.require(codec.context && codec.frame && codec.packet);
  AVCodecContext& context = *codec.context;
  context.extradata = static_cast<std::uint8_t*>(library.av_mallocz(avcc.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  codec.require(context.extradata != nullptr);
  context.extradata_size = static_cast<int>(avcc.size());
  std::memcpy(context.extradata, avcc.data(), avcc.size());
  context.thread_count = 1;
  context.flags |= AV_CODEC_FLAG_LOW_DELAY;
  const int opened = library.avcodec_open2(codec.context, h264, nullptr);
  codec.require(opened >= 0, opened);
}

VideoDecoder::~VideoDecoder() = default;

DecodedLuma VideoDecoder::decode(std::span<const std::byte> sample) {
  Codec& codec = *codec_;
  CodecLibrary::clear_log();
  int result = codec.library.av_new_packet(codec.packet, static_cast<int>(sample.size()));
  codec.require(result >= 0, result);
  std::memcpy(codec.packet->data, sample.data(), sample.size());
  result = codec.library.avcodec_send_packet(codec.context, codec.packet);
  codec.library.av_packet_unref(codec.packet);
  codec.require(result >= 0, result);
  result = codec.library.avcodec_receive_frame(codec.context, codec.frame);
  codec.require(result >= 0, result);
  const AVFrame& frame = *codec.frame;
  return {frame.width, frame.height, frame.data[0], static_cast<std::size_t>(frame.linesize[0])};
}

}  // namespace perturb
