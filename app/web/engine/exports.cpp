// What JavaScript calls: text in, text out, and places of bytes in memory.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include <emscripten.h>

#include "app/web/engine/engine.h"

// To the worker, which passes it to the page (worker.js).
EM_JS(void, show_progress, (double share), {
  if (Module["showProgress"]) Module["showProgress"](share);
});

namespace {

std::unique_ptr<perturb::WebEngine> engine;
std::string answer;

}  // namespace

extern "C" {

// 0: as many threads as there are. An empty text, or why there is no engine.
EMSCRIPTEN_KEEPALIVE const char* perturb_begin(int threads) {
  answer.clear();
  try {
    engine = std::make_unique<perturb::WebEngine>(threads);
    engine->on_progress([](double share) { show_progress(share); });
  } catch (const std::exception& error) {
    answer = error.what();
  }
  return answer.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* perturb_call(const char* request) {
  answer = engine->call(request);
  return answer.c_str();
}

// Null where nothing could be painted: then perturb_error says why.
EMSCRIPTEN_KEEPALIVE const std::uint32_t* perturb_paint(int width, int height) {
  const auto picture = engine->paint(width, height);
  return picture.empty() ? nullptr : picture.data();
}

EMSCRIPTEN_KEEPALIVE const char* perturb_error() { return engine->error().c_str(); }

// Room for so many bytes that "load" is to read; null where there is none.
EMSCRIPTEN_KEEPALIVE std::byte* perturb_take_bytes(std::size_t count) {
  try {
    engine->bytes().assign(count, std::byte{0});
    return engine->bytes().data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// What "save" has written.
EMSCRIPTEN_KEEPALIVE const std::byte* perturb_bytes() { return engine->bytes().data(); }
}
