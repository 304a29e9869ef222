#include "app/cli/headless.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/files/csv.h"
#include "app/files/image.h"
#include "app/files/output.h"
#include "app/files/recorder.h"
#include "app/files/state_file.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

// Steps between two looks for numbers that are no longer finite; a look waits for the device, so not every step has one.
constexpr std::int64_t steps_between_looks = 256;

std::atomic<bool> interrupted{false};

// While this lives, the first Ctrl-C asks for an orderly end; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

// Something that is due every `every` steps, counted from the run's start.
struct Cadence {
  std::int64_t start, every;
  std::int64_t after(std::int64_t step) const { return start + ((step - start) / every + 1) * every; }
  bool due(std::int64_t step) const { return (step - start) % every == 0; }
};

std::string ending_message(const Experiment& experiment, const Backend& backend, std::int64_t steps, double seconds) {
  const Setup& setup = experiment.setup();
  std::string text = setup.simulation + (setup.preset.empty() ? "" : "/" + setup.preset) + ": " +
                     std::to_string(steps) + (steps == 1 ? " step" : " steps") + " to time " +
                     number_in_words(experiment.simulation().time()) + " in " + with_prefix(seconds, "s") + " on " +
                     backend.word();
  if (!backend.is_cuda())
    text += ", " + std::to_string(backend.threads()) + (backend.threads() == 1 ? " thread" : " threads");
  return text + ".";
}

}  // namespace

int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options) {
  const InterruptGuard guard;
  Simulation& simulation = experiment.simulation();
  Backend& backend = experiment.backend();
  const ViewSettings& view = experiment.setup().view;
  const std::int64_t steps_per_frame = options.steps_per_frame.value_or(
      experiment.setup().steps_per_frame > 0 ? experiment.setup().steps_per_frame : headless_steps_per_frame);
  const std::int64_t start = simulation.steps();
  const std::int64_t total = options.steps    ? *options.steps
                             : options.frames ? *options.frames * steps_per_frame
                                              : headless_steps;
  const std::int64_t end = start + total;

  // Everything that may be refused is opened now, not after the last step.
  std::unique_ptr<OffscreenView> offscreen;
  if (!options.screenshot.empty() || !options.record.empty())
    offscreen = std::make_unique<OffscreenView>(experiment, app_options, options.window_size.width,
                                                options.window_size.height, options.with_ui);
  std::optional<CsvFile> csv;
  if (!options.csv.empty()) csv.emplace(options.csv);
  std::unique_ptr<Recorder> recorder;
  if (!options.record.empty()) {
    // A window shows 60 frames a second; a GIF counts hundredths of a second.
    const double rate = options.record.ends_with(".gif") ? 50 : 60;
    std::string note;
    recorder = Recorder::make(options.record, options.window_size.width, options.window_size.height, rate, &note);
    if (!note.empty()) say(std::cerr, note);
  }

  const Cadence rows{start, options.csv_every}, frames{start, steps_per_frame}, looks{start, steps_between_looks};
  const auto look = [&](bool wanted_row) {
    if (const std::string note = simulation.take_note(); !note.empty()) say(std::cerr, note);
    const Diagnostics diagnostics = simulation.diagnostics(view, true);
    experiment.inspect(diagnostics);
    if (wanted_row && csv && experiment.trouble().empty()) csv->add(diagnostics);
  };

  const TextFormat& text = experiment.info().text;
  const auto begin = std::chrono::steady_clock::now();
  experiment.advance(0);  // events of the very beginning
  look(true);
  if (options.print) std::cout << text.write(simulation.save(), false);
  std::int64_t now = start;
  while (now < end && experiment.trouble().empty() && !interrupted) {
    std::int64_t next = std::min(end, looks.after(now));
    if (options.print) next = now + 1;
    if (csv) next = std::min(next, rows.after(now));
    if (recorder) next = std::min(next, frames.after(now));
    experiment.advance(next - now);
    now = next;
    if (options.print && now < end) std::cout << text.write(simulation.save(), false);
    const bool row = csv && (rows.due(now) || now == end);
    if (row || looks.due(now) || now == end) look(row);
    if (recorder && frames.due(now) && experiment.trouble().empty()) recorder->add(offscreen->frame());
  }
  backend.synchronize();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (interrupted && experiment.trouble().empty()) look(false);

  // Rows and pictures up to here are good, whatever came after.
  // Where the text is the output, the rest goes to the error stream.
  std::ostream& messages = options.print || options.perf ? std::cerr : std::cout;
  const auto wrote = [&](const std::string& path) { say(messages, "Wrote " + path); };
  if (options.print || options.perf) {
    std::cout << text.write(simulation.save(), true);
    if (options.perf)
      std::cerr << with_prefix(seconds / static_cast<double>(std::max<std::int64_t>(1, now - start)), "s")
                << " per step\n";
  }
  if (csv) csv->finish(), wrote(options.csv);
  if (recorder) recorder->finish(), wrote(recorder->destination());
  if (!experiment.trouble().empty()) {
    std::string sentence = experiment.trouble();
    if (!options.save.empty()) sentence += " Nothing was saved to \"" + options.save + "\".";
    throw NonFiniteError(sentence);
  }
  if (!options.screenshot.empty()) save_png(offscreen->frame(), options.screenshot), wrote(options.screenshot);
  if (!options.save.empty()) save_state(simulation.save(), options.save), wrote(options.save);

  say(messages, ending_message(experiment, backend, simulation.steps() - start, seconds));
  if (const std::string choice = simulation.choice(); !choice.empty()) messages << choice << '\n';
  if (now < end) {
    std::cerr << "Interrupted at step " << now << " of " << end << ".\n";
    return 1;
  }
  return 0;
}

}  // namespace perturb
