#include "app/cli/headless.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <optional>

#include "app/cli/run_checks.h"
#include "app/cli/terminal.h"
#include "app/i18n/language.h"
#include "app/io/files/csv.h"
#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/image/recorder.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/state_file.h"
#include "app/run/interrupts.h"
#include "app/run/run_text.h"
#include "app/window/curves_image.h"
#include "app/window/offscreen_view.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/timeline.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/text_format.h"

namespace perturb {

namespace {

// Steps between checks for non-finite numbers. A check waits for the device, so it is not done after every step.
constexpr std::int64_t steps_between_looks = 256;
// A check takes as long as several steps (nine for discs), so checks are less frequent after the first steps.
constexpr std::int64_t frequent_looks_until = 1024, steps_between_later_looks = 1024;

// Number of steps per call. Steps queued on CUDA must finish before anything else can be done, so the number is limited
// by time. It starts at 1 and follows the measured time of a step. It is always a power of two, because kernels that
// take several steps at once are efficient with these.
class Chunk {
 public:
  std::int64_t steps() const { return steps_; }
  void took(std::int64_t steps, double seconds) {
    constexpr double wanted = 0.1;
    const double each = seconds / static_cast<double>(steps);
    if (each * static_cast<double>(steps_) > 2 * wanted)
      steps_ = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max(1.0, wanted / each))));
    else if (steps == steps_ && seconds < wanted / 2 && steps_ < steps_between_looks)
      steps_ *= 2;
  }

 private:
  std::int64_t steps_ = 1;
};

// When to check for non-finite numbers, counted from the run's start.
struct Looks {
  std::int64_t start;
  std::int64_t every(std::int64_t step) const {
    return step - start < frequent_looks_until ? steps_between_looks : steps_between_later_looks;
  }
  std::int64_t after(std::int64_t step) const { return start + ((step - start) / every(step) + 1) * every(step); }
  bool due(std::int64_t step) const { return (step - start) % every(step) == 0; }
};

// Something that is due every `every` steps, counted from the run's start.
struct StepInterval {
  std::int64_t start, every;
  std::int64_t after(std::int64_t step) const { return start + ((step - start) / every + 1) * every; }
  bool due(std::int64_t step) const { return (step - start) % every == 0; }
};

// `says_size`: one number was given for both sides.
std::string ending_message(const Experiment& experiment, const Backend& backend, std::int64_t steps, double seconds,
                           bool says_size) {
  const Setup& setup = experiment.setup();
  std::string text = scene_name_of(setup);
  if (says_size) text += ", " + std::to_string(setup.width) + "x" + std::to_string(setup.height) + " cells";
  text += ": " + std::to_string(steps) + (steps == 1 ? " step" : " steps") + " to time " +
          format_number(experiment.simulation().time()) + " in " + with_prefix(seconds, "s") + " on " + backend.word();
  if (!backend.is_cuda())
    text += ", " + std::to_string(backend.threads()) + (backend.threads() == 1 ? " thread" : " threads");
  return text + ".";
}

// Rows of a table of curves: "scale,1,length,0.1,cm,scale" says that 1 length is 0.1 cm.
std::string scales_as_csv(const DisplayUnits& units) {
  std::string rows;
  for (const UnitScale& unit : units)
    if (is_scale_of_unit(unit))
      rows +=
          "scale,1," + csv_field(unit.of) + "," + shortest_text(*unit.scale) + "," + csv_field(unit.name) + ",scale\n";
  return rows;
}

}  // namespace

int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options) {
  Interrupts interrupts;
  experiment.stop_at_failed_kernel();
  Simulation& simulation = experiment.simulation();
  Backend& backend = experiment.backend();
  // Active until the end of the function: after a stop request no long computation starts, and outputs that need one
  // are omitted.
  const StopScope scope(backend, interrupts.request());
  Timeline::name_this_thread("run");
  const Timeline::LoopScope recorded_loops(backend);
  const ViewSettings& view = experiment.scene().view;
  const std::int64_t steps_per_frame = options.steps_per_frame.value_or(
      experiment.scene().steps_per_frame > 0 ? experiment.scene().steps_per_frame : headless_steps_per_frame);
  const std::int64_t start = simulation.steps();
  const std::int64_t total = options.steps    ? *options.steps
                             : options.frames ? *options.frames * steps_per_frame
                                              : headless_steps;
  const std::int64_t end = start + total;

  // Everything that may fail is opened now, not after the last step.
  std::unique_ptr<OffscreenView> offscreen;
  const bool wants_pictures = !options.screenshot.empty() || !options.record.empty() || !options.curves.empty();
  if (wants_pictures) {
    try {
      require_pictures(options.window_size, &interrupts.request());
      offscreen = std::make_unique<OffscreenView>(experiment, app_options, options.window_size.width,
                                                  options.window_size.height, options.with_ui);
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      // The other requested outputs are possible without images.
      if (options.save.empty() && options.csv.empty() && !options.print && !options.perf && !options.describe) throw;
      print_line(std::cerr, std::string(error.what()) + " The run continues without images.");
    }
  }
  std::optional<CsvFile> csv;
  if (!options.csv.empty()) {
    const auto* table = dynamic_cast<const HasColumns*>(&simulation);
    csv.emplace(options.csv, table ? table->columns() : std::vector<Column>(), scale_text(experiment.scene().units));
  }
  std::unique_ptr<Recorder> recorder;
  if (!options.record.empty() && offscreen) {
    // A window shows 60 frames per second; GIF counts in hundredths of a second.
    const double rate = options.record.ends_with(".gif") ? 50 : 60;
    Message note;
    recorder = Recorder::make(options.record, options.window_size.width, options.window_size.height, rate, &note,
                              &interrupts.request());
    if (!note.empty()) print_line(std::cerr, note.english());
  }

  const StepInterval rows{start, options.csv_every}, frames{start, steps_per_frame};
  const Looks looks{start};
  const bool shows_frames = offscreen && options.show == "frames";  // their times are part of the image
  // An output that fails (a full disk, a stuck ffmpeg) ends the run; the other outputs are still written.
  std::string failed_output;
  const auto write_out = [&](const auto& write) {
    std::string failure;
    try {
      write();
    } catch (const Error& error) {
      failure = error.what();
    } catch (const std::bad_alloc&) {
      failure = "Not enough memory for all outputs. Choose smaller images or close other programs.";
    }
    // An output that failed in the run fails again when it is finished.
    if (failed_output.find(failure) == std::string::npos) failed_output += (failed_output.empty() ? "" : " ") + failure;
  };
  GaugeLines gauge_lines;
  const auto look = [&](bool wanted_row) {
    const Timeline::Scope timed(TimeUse::numbers, "read numbers");
    // Some gauges depend on these measurements.
    const Diagnostics diagnostics = simulation.diagnostics(view, true);
    for (const std::string& line : gauge_lines.new_lines(simulation.gauges(), experiment.info().parameters))
      print_line(std::cerr, line);
    if (const Message note = experiment.take_warning(); !note.empty()) print_line(std::cerr, note.english());
    experiment.check_diagnostics(diagnostics);
    if (wanted_row && csv && experiment.stop_reason().empty()) write_out([&] { csv->add(diagnostics); });
  };
  const TextFormat* text = experiment.info().text;
  PrintResult printed = PrintResult::all;
  const auto print = [&](bool last) {
    if (printed != PrintResult::all || !failed_output.empty()) return;
    const std::string words = text->write(simulation.save(), last);
    write_out([&] { printed = print_text(words, interrupts.request()); });
  };

  const auto begin = std::chrono::steady_clock::now();
  const auto seconds_since = [](std::chrono::steady_clock::time_point time) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - time).count();
  };
  const auto should_continue = [&] {
    return experiment.stop_reason().empty() && failed_output.empty() && !interrupts.stop_requested();
  };
  bool stopped_early = false;
  std::int64_t pictures = 0;
  std::exception_ptr failure;  // ends the run; its outputs are still written
  try {
    experiment.advance(0);  // events of the first step
    look(true);
    if (offscreen) offscreen->read();
    if (options.print || options.perf) print(false);
    Chunk chunk;
    for (std::int64_t now = start; now < end && should_continue();) {
      std::int64_t next = std::min({end, looks.after(now), now + chunk.steps()});
      if (options.print) next = now + 1;
      const std::int64_t to_reading = offscreen ? offscreen->next_reading(now) : end;
      next = std::min(next, to_reading);
      if (csv) next = std::min(next, rows.after(now));
      if (recorder || shows_frames) next = std::min(next, frames.after(now));
      const auto before = std::chrono::steady_clock::now();
      {
        const Timeline::Scope timed(TimeUse::steps, "steps");
        experiment.advance(next - now);
        backend.synchronize();
      }
      chunk.took(next - now, seconds_since(before));
      now = next;
      if (options.print && now < end) print(false);
      if (offscreen && now == to_reading) offscreen->read();
      const bool row = csv && (rows.due(now) || now == end);
      if (row || looks.due(now) || now == end) look(row);
      if (shows_frames && frames.due(now)) offscreen->frame();
      if (!recorder || !frames.due(now) || !experiment.stop_reason().empty()) continue;
      const Timeline::Scope timed(TimeUse::painting, "image");
      write_out([&] { recorder->add(offscreen->frame()), ++pictures; });
    }
  } catch (const Stopped&) {
    stopped_early = true;  // the state is that of the last complete step
  } catch (const InputError&) {
    failure = std::current_exception();  // the simulation rejected an event of the script
  }
  backend.synchronize();
  const std::int64_t now = simulation.steps();
  const double seconds = seconds_since(begin);
  const bool interrupted =
      (now < end || stopped_early) && experiment.stop_reason().empty() && failed_output.empty() && !failure;
  if (interrupted)
    std::cerr << (printed == PrintResult::reader_closed ? "The output was closed: stopped at step "
                  : interrupts.out_of_processor_time()
                      ? "The processor time limit (ulimit -t) is reached: stopped at step "
                      : "Interrupted at step ")
              << now << " of " << end << ".\n";

  // Rows and images up to here are valid, whatever happened later. If standard output carries the result, messages go
  // to the error stream.
  std::ostream& messages = options.print || options.perf || options.json ? std::cerr : std::cout;
  const auto wrote = [&](const std::string& path) { print_line(messages, "Wrote " + path); };
  // Writes the output unless it needs numbers from a long computation that was stopped.
  const auto unless_stopped = [&](const auto& write) {
    try {
      write();
      return true;
    } catch (const Stopped&) {
      return false;
    }
  };
  if (interrupted) unless_stopped([&] { look(false); });
  if (options.print || options.perf) print(true);
  if (options.perf)
    std::cerr << with_prefix(seconds / static_cast<double>(std::max<std::int64_t>(1, now - start)), "s")
              << " per step\n";
  if (csv && csv->is_empty())  // ended before the first row: keep an older file
    print_line(std::cerr, "\"" + options.csv + "\" has no rows: nothing was measured.");
  else if (csv)
    write_out([&] { wrote(csv->finish()); });
  if (recorder && pictures == 0 && experiment.stop_reason().empty())  // a run that ended before the first frame was due
    unless_stopped([&] { write_out([&] { recorder->add(offscreen->frame()); }); });
  if (recorder) write_out([&] { recorder->finish(), wrote(recorder->destination()); });
  if (!experiment.stop_reason().empty()) {
    const Message unsaved = options.save.empty() ? Message() : Message("Nothing was saved to \"{}\".", options.save);
    throw NonFiniteError(experiment.stop_reason() + unsaved);
  }
  // Before images: a graphics driver that runs out of memory may end the program.
  if (!options.save.empty())
    write_out([&] {
      if (!experiment.scene().lanes.empty())
        print_line(std::cerr, "A saved state holds the first lane of a race only.");
      require_memory_to_save(experiment);
      save_state(experiment.saved_state(), options.save), wrote(options.save);
    });
  if (!options.screenshot.empty() && offscreen) {
    const bool drawn = unless_stopped(
        [&] { write_out([&] { save_png(offscreen->frame(), options.screenshot), wrote(options.screenshot); }); });
    if (!drawn) {
      stopped_early = true;
      print_line(std::cerr, "\"" + options.screenshot + "\" was not written: no step was computed.");
    }
  }
  if (!options.curves.empty() && offscreen)
    write_out([&] {
      const DisplayUnits& units = experiment.scene().units;
      if (options.curves.ends_with(".csv"))  // a table for scripts: in the simulation's units, as --csv
        save_text(curves_as_csv(offscreen->curves({})) + scales_as_csv(units), options.curves);
      else
        save_png(curves_image(offscreen->curves(units)), options.curves);
      wrote(options.curves);
    });
  if (options.describe) unless_stopped([&] { print_line(messages, tr(describe(experiment, view))); });

  print_line(messages, ending_message(experiment, backend, simulation.steps() - start, seconds,
                                      options.size && options.size_is_one_number));
  if (const Message choice = simulation.choice(); !choice.empty()) messages << choice.english() << '\n';
  std::cout.flush();  // while a closed pipe raises no signal
  const bool interrupted_later = wants_pictures && !interrupted && interrupts.stop_requested();
  if (interrupted_later) std::cerr << "Interrupted: what an image shows may be measured in part.\n";
  if (failure) std::rethrow_exception(failure);
  if (!failed_output.empty()) throw Error(failed_output);
  return interrupted || interrupted_later || stopped_early || printed != PrintResult::all ||
                 (wants_pictures && !offscreen)
             ? 1
             : 0;
}

}  // namespace perturb
