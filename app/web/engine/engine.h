// JSON interface to a run: requests of a page in a browser and their answers. It does not depend on a simulation, the
// page or a browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/web/engine/web_run.h"

namespace perturb {

// The page's own engine: a run with one client. Several clients of one run: SharedEngine.
class WebEngine {
 public:
  // Computes on CPU threads; 0: one for each processor.
  explicit WebEngine(int threads) : run_(threads) {}

  // Executes {"call": "open", "with": {...}} (as text) and returns the result. A call that fails leaves the run
  // unchanged and returns answer_of(its error).
  std::string call(const std::string& request);
  // {"error": the message in English, "message": the same for translation (json_of in request.h), "kind": "input" or
  // "error"}, as text.
  static std::string answer_of(const std::exception& error);

  // The image as RGBA with the top row first, as a canvas takes it. Empty if painting failed; error() then returns
  // answer_of(the error). Valid until the next call of this function.
  std::span<const std::uint32_t> paint(int width, int height);
  const std::string& error() const { return error_; }

  // `show`: called with the fraction done while a scene with many strokes opens.
  void on_progress(std::function<void(double share)> show) { run_.show_progress = std::move(show); }

  // Input bytes of "load" and output bytes of "save".
  std::vector<std::byte>& bytes() { return client_.bytes; }

 private:
  SharedRun run_;
  WebRun client_{run_, 0, Role::owner};
  std::string error_;
};

}  // namespace perturb
