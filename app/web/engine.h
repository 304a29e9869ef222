// A run behind JSON: what a page in a browser asks of it, and what it answers. Knows no simulation, no page and no
// browser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/lessons/lesson_run.h"
#include "app/run/automatic_range.h"
#include "app/run/experiment.h"
#include "app/run/runner.h"
#include "cuda/core/backend.h"
#include "cuda/core/colormap.h"

namespace perturb {

class WebEngine {
 public:
  using Json = nlohmann::ordered_json;

  // On the CPU's threads; 0: as many as there are.
  explicit WebEngine(int threads);

  // {"call": "open", "with": {...}} as text, and what that call answers. A call that fails answers
  // {"error": sentence, "kind": "input" or "error"} and leaves the run as it was.
  std::string call(const std::string& request);

  // The picture, RGBA with the top row first, as a canvas takes it; empty where none could be painted: then
  // trouble() says why. It lives until the next call of this.
  std::span<const std::uint32_t> paint(int width, int height);
  const std::string& trouble() const { return trouble_; }

  // Bytes on their way in ("load" reads them) and out ("save" writes them).
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  friend struct WebCalls;

  Experiment& experiment();  // throws InputError where no scene is open
  const RunFacts& facts();
  const RunFacts& facts_anew();
  Answer ask(Order order);
  void begin(Start start, const std::string& kernel);
  // The view with nothing left open.
  ViewSettings resolved_view();
  const Quantity& shown_quantity();
  void follow_range(const Diagnostics& diagnostics);
  Camera::Point place_of(double x, double y, int width, int height);

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ColorTable> colors_;
  AutomaticRange range_;
  std::optional<LessonRun> lesson_;
  std::vector<std::uint32_t> picture_;
  std::vector<std::byte> bytes_;
  std::string trouble_, note_;
  double seconds_per_step_ = 0;
  // Of the gesture that goes on: places of its press and its last event.
  Camera::Point pressed_{0, 0}, last_{0, 0};
};

}  // namespace perturb
