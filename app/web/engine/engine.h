// A run behind JSON: what a page in a browser asks of it, and what it answers. Knows no simulation, no page and no
// browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/web/engine/web_run.h"
#include "cuda/core/paint/colormap.h"

namespace perturb {

class WebEngine {
 public:
  // On the CPU's threads; 0: as many as there are.
  explicit WebEngine(int threads) : run_(threads) {}

  // {"call": "open", "with": {...}} as text, and what that call answers. A call that fails answers
  // {"error": sentence, "kind": "input" or "error"} and leaves the run as it was.
  std::string call(const std::string& request);

  // The picture, RGBA with the top row first, as a canvas takes it; empty where none could be painted: then
  // error() says why. It lives until the next call of this.
  std::span<const std::uint32_t> paint(int width, int height);
  const std::string& error() const { return error_; }

  // `show`: called while a scene with many strokes opens, with the share that is done.
  void on_progress(std::function<void(double share)> show) { run_.show_progress = std::move(show); }

  // Bytes on their way in ("load" reads them) and out ("save" writes them).
  std::vector<std::byte>& bytes() { return run_.bytes; }

 private:
  WebRun run_;
  std::unique_ptr<ColorTable> colors_;
  std::vector<std::uint32_t> picture_;
  std::string error_;
};

}  // namespace perturb
