// libavcodec, loaded when it is first used.
#pragma once

#include <string>

#include "cuda/core/backend/message.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
}

namespace perturb {

// The functions of libavcodec and libavutil that are used here. They are not linked, because the library brings a
// hundred others: every start of the program, also as a child process, would take 30 ms more. It is never unloaded.
struct CodecLibrary {
  // Loads the library at the first call. Thread-safe.
  static const CodecLibrary& get();

  Message why_not;  // the reason why it cannot encode, with a remedy; empty: it can
  const AVCodec* x264 = nullptr;

  decltype(&::avcodec_find_encoder_by_name) avcodec_find_encoder_by_name = nullptr;
  decltype(&::avcodec_find_decoder) avcodec_find_decoder = nullptr;
  decltype(&::avcodec_alloc_context3) avcodec_alloc_context3 = nullptr;
  decltype(&::avcodec_free_context) avcodec_free_context = nullptr;
  decltype(&::avcodec_open2) avcodec_open2 = nullptr;
  decltype(&::avcodec_send_frame) avcodec_send_frame = nullptr;
  decltype(&::avcodec_receive_packet) avcodec_receive_packet = nullptr;
  decltype(&::avcodec_send_packet) avcodec_send_packet = nullptr;
  decltype(&::avcodec_receive_frame) avcodec_receive_frame = nullptr;
  decltype(&::av_packet_alloc) av_packet_alloc = nullptr;
  decltype(&::av_packet_free) av_packet_free = nullptr;
  decltype(&::av_new_packet) av_new_packet = nullptr;
  decltype(&::av_packet_unref) av_packet_unref = nullptr;
  decltype(&::av_frame_alloc) av_frame_alloc = nullptr;
  decltype(&::av_frame_free) av_frame_free = nullptr;
  decltype(&::av_frame_get_buffer) av_frame_get_buffer = nullptr;
  decltype(&::av_frame_make_writable) av_frame_make_writable = nullptr;
  decltype(&::av_mallocz) av_mallocz = nullptr;
  decltype(&::av_opt_set) av_opt_set = nullptr;
  decltype(&::av_strerror) av_strerror = nullptr;
  decltype(&::av_log_set_callback) av_log_set_callback = nullptr;

  // The library's description of the error number, with the last error that it has logged on this thread since
  // clear_log().
  Message reason_of(int error) const;
  [[noreturn]] void fail(int error) const;  // throws Error with it: cannot encode
  static void clear_log();

 private:
  CodecLibrary();
};

// Objects of the library, for an encoder or a decoder.
struct CodecObjects {
  explicit CodecObjects(const CodecLibrary& loaded) : library(loaded) {}
  ~CodecObjects() {
    library.av_packet_free(&packet);
    library.av_frame_free(&frame);
    library.avcodec_free_context(&context);
  }
  CodecObjects(const CodecObjects&) = delete;
  CodecObjects& operator=(const CodecObjects&) = delete;

  const CodecLibrary& library;
  AVCodecContext* context = nullptr;
  AVFrame* frame = nullptr;
  AVPacket* packet = nullptr;
};

}  // namespace perturb
