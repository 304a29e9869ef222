#include "app/serve/video/codec_library.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include <dlfcn.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// What the library has logged as an error on this thread. It encodes on the thread that calls it.
thread_local std::array<char, 256> logged_error{};

// Instead of the library's own function, which prints to the terminal.
void keep_logged_error(void*, int level, const char* format, va_list arguments) {
  if (level <= AV_LOG_ERROR) std::vsnprintf(logged_error.data(), logged_error.size(), format, arguments);
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '.')) text.remove_suffix(1);
  return text;
}

template <typename Function>
bool load_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

CodecLibrary::CodecLibrary() {
  // The version of the headers: with another one, the structures differ.
  void* library = dlopen("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  // Functions of libavutil, which libavcodec links, are found in the same way.
  const bool loaded = library &&  //
                      load_function(library, "avcodec_find_encoder_by_name", avcodec_find_encoder_by_name) &&
                      load_function(library, "avcodec_find_decoder", avcodec_find_decoder) &&
                      load_function(library, "avcodec_alloc_context3", avcodec_alloc_context3) &&
                      load_function(library, "avcodec_free_context", avcodec_free_context) &&
                      load_function(library, "avcodec_open2", avcodec_open2) &&
                      load_function(library, "avcodec_send_frame", avcodec_send_frame) &&
                      load_function(library, "avcodec_receive_packet", avcodec_receive_packet) &&
                      load_function(library, "avcodec_send_packet", avcodec_send_packet) &&
                      load_function(library, "avcodec_receive_frame", avcodec_receive_frame) &&
                      load_function(library, "av_packet_alloc", av_packet_alloc) &&
                      load_function(library, "av_packet_free", av_packet_free) &&
                      load_function(library, "av_new_packet", av_new_packet) &&
                      load_function(library, "av_packet_unref", av_packet_unref) &&
                      load_function(library, "av_frame_alloc", av_frame_alloc) &&
                      load_function(library, "av_frame_free", av_frame_free) &&
                      load_function(library, "av_frame_get_buffer", av_frame_get_buffer) &&
                      load_function(library, "av_frame_make_writable", av_frame_make_writable) &&
                      load_function(library, "av_mallocz", av_mallocz) &&
                      load_function(library, "av_opt_set", av_opt_set) &&
                      load_function(library, "av_strerror", av_strerror) &&
                      load_function(library, "av_log_set_callback", av_log_set_callback);
  if (!loaded) {
    const char* reason = dlerror();
    why_not = Message("Cannot encode video: the library libavcodec failed to load ({}).",
                      std::string(reason ? reason : "libavcodec")) +
              "Install ffmpeg with its libraries.";
    return;
  }
  av_log_set_callback(keep_logged_error);
  x264 = avcodec_find_encoder_by_name("libx264");
  if (!x264)
    why_not =
        "Cannot encode video: this system's libavcodec has no x264. Install a version of ffmpeg that was built with "
        "it.";
}

const CodecLibrary& CodecLibrary::get() {
  static const CodecLibrary library;
  return library;
}

void CodecLibrary::clear_log() { logged_error[0] = '\0'; }

Message CodecLibrary::reason_of(int error) const {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  const std::string_view detail = without_line_end(logged_error.data());
  return detail.empty() ? Message::value(text.data())
                        : Message("{} ({})", std::string(text.data()), std::string(detail));
}

void CodecLibrary::fail(int error) const {
  throw Error(Message("Cannot encode video: {}.", reason_of(error)) + "Choose a smaller size.");
}

}  // namespace perturb
