// The functions that JavaScript calls. They exchange text and addresses of bytes in memory.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include <emscripten.h>

#include "app/web/engine/engine.h"

// Reports to the worker, which passes it on to the page (worker.js).
EM_JS(void, show_progress, (double share), {
  if (Module["showProgress"]) Module["showProgress"](share);
});

namespace {

std::unique_ptr<perturb::WebEngine> engine;
std::string answer;

}  // namespace

extern "C" {

// `threads`: 0: one for each processor. Returns an empty text, or WebEngine::answer_of(the error) if the engine could
// not start.
EMSCRIPTEN_KEEPALIVE const char* perturb_begin(int threads) {
  answer.clear();
  try {
    engine = std::make_unique<perturb::WebEngine>(threads);
    engine->on_progress([](double share) { show_progress(share); });
  } catch (const std::exception& error) {
    answer = perturb::WebEngine::answer_of(error);
  }
  return answer.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* perturb_call(const char* request) {
  answer = engine->call(request);
  return answer.c_str();
}

// Null if painting failed; perturb_error then returns WebEngine::answer_of(the error).
EMSCRIPTEN_KEEPALIVE const std::uint32_t* perturb_paint(int width, int height) {
  const auto picture = engine->paint(width, height);
  return picture.empty() ? nullptr : picture.data();
}

EMSCRIPTEN_KEEPALIVE const char* perturb_error() { return engine->error().c_str(); }

// Allocates `count` bytes that "load" is to read; null if there is not enough memory.
EMSCRIPTEN_KEEPALIVE std::byte* perturb_take_bytes(std::size_t count) {
  try {
    engine->bytes().assign(count, std::byte{0});
    return engine->bytes().data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// The output of "save".
EMSCRIPTEN_KEEPALIVE const std::byte* perturb_bytes() { return engine->bytes().data(); }
}
