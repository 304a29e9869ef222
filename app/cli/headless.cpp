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
#include "app/io/state/state_export.h"
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
constexpr std::int64_t steps_between_checks = 256;
// A check takes as long as several steps (nine for discs), so checks are less frequent after the first steps.
constexpr std::int64_t frequent_checks_until = 1024, steps_between_later_checks = 1024;

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
    else if (steps == steps_ && seconds < wanted / 2 && steps_ < steps_between_checks)
      steps_ *= 2;
  }

 private:
  std::int64_t steps_ = 1;
};

// When to check for non-finite numbers, counted from the run's start.
struct Checks {
  std::int64_t start;
  std::int64_t every(std::int64_t step) const {
    return step - start < frequent_checks_until ? steps_between_checks : steps_between_later_checks;
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

// When numbers become samples of a record; never without `every`.
struct SampleSteps {
  std::int64_t first, every;
  std::int64_t after(std::int64_t step, std::int64_t otherwise) const {
    if (every == 0) return otherwise;
    return step < first ? first : first + ((step - first) / every + 1) * every;
  }
  bool due(std::int64_t step) const { return every > 0 && step >= first && (step - first) % every == 0; }
};

SampleSteps samples_of(const RunRecord* record, std::int64_t start) {
  return record ? SampleSteps{start + record->settings().from, record->settings().every} : SampleSteps{0, 0};
}

// `says_size`: one number was given for both sides.
std::string ending_message(const Experiment& experiment, const Backend& backend, std::int64_t steps, double seconds,
                           bool says_size) {
  const Setup& setup = experiment.setup();
  std::string text = scene_name_of(setup);
  if (says_size) text += ", " + std::to_string(setup.width) + "x" + std::to_string(setup.height) + " cells";
  text += ": " + std::to_string(steps) + (steps == 1 ? " step" : " steps") + " to time " +
          format_number(experiment.simulation().time()) + " in " + with_prefix(seconds, "s") + " on " + backend.id();
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

double seconds_until_now(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t steps_per_frame_of(const Experiment& experiment, const RunOptions& options) {
  const int own = experiment.scene().steps_per_frame;
  return options.steps_per_frame.value_or(own > 0 ? own : headless_steps_per_frame);
}

std::int64_t steps_of(const RunOptions& options, std::int64_t steps_per_frame) {
  if (options.steps) return *options.steps;
  return options.frames ? *options.frames * steps_per_frame : headless_steps;
}

// The run with its outputs, in the order of the public functions.
class HeadlessRun {
 public:
  // Opens everything that may fail now, not after the last step.
  HeadlessRun(Experiment& experiment, const RunOptions& options, const AppOptions& app_options,
              const HeadlessContext& context, RunRecord* record);
  void take_steps();
  void end_record();
  // Throws NonFiniteError if the run has stopped at numbers that are not finite.
  void write_outputs();
  // Prints the summary. Throws what ended the run or made an output fail; otherwise returns the exit code.
  int finish();

 private:
  void open_images(const AppOptions& app_options);
  void open_table();
  void open_recorder();

  bool should_continue() const;
  void take_all_steps();
  // Takes the steps to the next one after which something is due, does that, and returns that step.
  std::int64_t take_some_steps(std::int64_t now);
  std::int64_t next_stop(std::int64_t now, std::int64_t next_reading) const;
  // Reads the numbers of the current state, for warnings, a check and a row of the table.
  void check(bool wants_row);
  void print(bool last);
  void record_frame();

  void report_interruption() const;
  void finish_table();
  void finish_recording();
  void save();
  void export_fields();
  void save_screenshot();
  void save_curves();
  void report_written(const std::string& path) const { print_line(messages_, "Wrote " + path); }
  // An output that fails (a full disk, a stuck ffmpeg) ends the run; the other outputs are still written.
  template <class Write>
  void write_out(const Write& write);
  // Writes the output unless it needs numbers from a long computation that was stopped. Returns whether it did.
  template <class Write>
  static bool unless_stopped(const Write& write);

  Experiment& experiment_;
  const RunOptions& options_;
  Simulation& simulation_;
  Backend& backend_;
  const ViewSettings& view_;
  Interrupts& interrupts_;
  // Active to the end: after a stop request no long computation starts, and outputs that need one are omitted.
  const StopScope scope_;
  const Timeline::LoopScope recorded_loops_;
  const std::int64_t steps_per_frame_, start_, end_;
  const StepInterval rows_, frames_;
  const Checks checks_;
  const SampleSteps samples_;
  const bool wants_images_, wants_text_;
  std::ostream &messages_, &warnings_;
  std::atomic<std::int64_t>* const steps_taken_;
  RunRecord* const record_;
  std::unique_ptr<OffscreenView> offscreen_;
  std::optional<CsvFile> csv_;
  std::unique_ptr<Recorder> recorder_;
  bool shows_frames_ = false;  // their times are part of the image
  Chunk chunk_;
  GaugeLines gauge_lines_;
  std::string failed_output_;   // messages
  std::exception_ptr failure_;  // ends the run; its outputs are still written
  PrintResult printed_ = PrintResult::all;
  std::int64_t recorded_frames_ = 0;
  double seconds_ = 0;  // for all steps
  bool stopped_early_ = false, interrupted_ = false;
};

HeadlessRun::HeadlessRun(Experiment& experiment, const RunOptions& options, const AppOptions& app_options,
                         const HeadlessContext& context, RunRecord* record)
    : experiment_(experiment),
      options_(options),
      simulation_(experiment.simulation()),
      backend_(experiment.backend()),
      view_(experiment.scene().view),
      interrupts_(context.interrupts),
      scope_(backend_, interrupts_.request()),
      recorded_loops_(backend_),
      steps_per_frame_(steps_per_frame_of(experiment, options)),
      start_(simulation_.steps()),
      end_(start_ + steps_of(options, steps_per_frame_)),
      rows_{start_, options.csv_every},
      frames_{start_, steps_per_frame_},
      checks_{start_},
      samples_(samples_of(record, start_)),
      wants_images_(!options.screenshot.empty() || !options.record.empty() || !options.curves.empty() ||
                    !options.report.empty()),
      wants_text_(options.print || options.perf),
      messages_(context.messages),
      warnings_(context.warnings),
      steps_taken_(context.steps_taken),
      record_(record) {
  experiment.stop_at_failed_kernel();
  if (wants_images_) open_images(app_options);
  if (!options.csv.empty()) open_table();
  if (!options.record.empty() && offscreen_) open_recorder();
  shows_frames_ = offscreen_ && options.show == "frames";
}

void HeadlessRun::open_images(const AppOptions& app_options) {
  const Size& size = options_.window_size;
  try {
    require_pictures(size, &interrupts_.request());
    offscreen_ = std::make_unique<OffscreenView>(experiment_, app_options, size.width, size.height, options_.with_ui);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    // The other requested outputs are possible without images.
    if (options_.save.empty() && options_.fields.empty() && options_.csv.empty() && !wants_text_ && !options_.describe)
      throw;
    print_line(std::cerr, std::string(error.what()) + " The run continues without images.");
  }
}

void HeadlessRun::open_table() {
  const auto* table = simulation_.find<HasColumns>();
  csv_.emplace(options_.csv, table ? table->columns() : std::vector<Column>(), scale_text(experiment_.scene().units));
}

void HeadlessRun::open_recorder() {
  // A window shows 60 frames per second; GIF counts in hundredths of a second.
  const double rate = options_.record.ends_with(".gif") ? 50 : 60;
  Message note;
  recorder_ = Recorder::make(options_.record, options_.window_size.width, options_.window_size.height, rate, &note,
                             &interrupts_.request());
  if (!note.empty()) print_line(std::cerr, note.english());
}

template <class Write>
void HeadlessRun::write_out(const Write& write) {
  std::string failure;
  try {
    write();
  } catch (const Error& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "Not enough memory for all outputs. Choose smaller images or close other programs.";
  }
  // An output that failed in the run fails again when it is finished.
  if (failed_output_.find(failure) == std::string::npos)
    failed_output_ += (failed_output_.empty() ? "" : " ") + failure;
}

template <class Write>
bool HeadlessRun::unless_stopped(const Write& write) {
  try {
    write();
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

// ---- the steps

void HeadlessRun::take_steps() {
  const auto begin = std::chrono::steady_clock::now();
  try {
    take_all_steps();
  } catch (const Stopped&) {
    stopped_early_ = true;  // the state is that of the last complete step
  } catch (const InputError&) {
    failure_ = std::current_exception();  // the simulation rejected an event of the script
  }
  backend_.synchronize();
  seconds_ = seconds_until_now(begin);
  interrupted_ = (simulation_.steps() < end_ || stopped_early_) && experiment_.stop_reason().empty() &&
                 failed_output_.empty() && !failure_;
}

void HeadlessRun::end_record() {
  if (record_) record_->end(experiment_, seconds_);
}

bool HeadlessRun::should_continue() const {
  return experiment_.stop_reason().empty() && failed_output_.empty() && !interrupts_.stop_requested();
}

void HeadlessRun::take_all_steps() {
  experiment_.advance(0);  // events of the first step
  check(true);
  if (offscreen_) offscreen_->read();
  if (wants_text_) print(false);
  for (std::int64_t now = start_; now < end_ && should_continue();) now = take_some_steps(now);
}

std::int64_t HeadlessRun::next_stop(std::int64_t now, std::int64_t next_reading) const {
  std::int64_t next = options_.print ? now + 1 : std::min({end_, checks_.after(now), now + chunk_.steps()});
  next = std::min({next, next_reading, samples_.after(now, end_)});
  if (csv_) next = std::min(next, rows_.after(now));
  if (recorder_ || shows_frames_) next = std::min(next, frames_.after(now));
  return next;
}

std::int64_t HeadlessRun::take_some_steps(std::int64_t now) {
  const std::int64_t next_reading = offscreen_ ? offscreen_->next_reading(now) : end_;
  const std::int64_t next = next_stop(now, next_reading);
  const auto before = std::chrono::steady_clock::now();
  {
    const Timeline::Scope timed(TimeUse::steps, "steps");
    experiment_.advance(next - now);
    backend_.synchronize();
  }
  chunk_.took(next - now, seconds_until_now(before));
  if (steps_taken_) *steps_taken_ = next - start_;
  if (options_.print && next < end_) print(false);
  if (offscreen_ && next == next_reading) offscreen_->read();
  const bool wants_row = csv_ && (rows_.due(next) || next == end_);
  if (wants_row || samples_.due(next) || checks_.due(next) || next == end_) check(wants_row);
  if (shows_frames_ && frames_.due(next)) offscreen_->frame();
  if (recorder_ && frames_.due(next) && experiment_.stop_reason().empty()) record_frame();
  return next;
}

void HeadlessRun::check(bool wants_row) {
  const Timeline::Scope timed(TimeUse::numbers, "read numbers");
  // Some gauges depend on these measurements.
  const Diagnostics diagnostics = simulation_.diagnostics(view_, true);
  for (const std::string& line : gauge_lines_.new_lines(simulation_.gauges(), experiment_.info().parameters))
    print_line(warnings_, line);
  if (const Message note = experiment_.take_warning(); !note.empty()) {
    print_line(warnings_, note.english());
    if (record_) record_->add_warning(note.english());
  }
  if (record_) record_->add(simulation_, diagnostics, samples_.due(simulation_.steps()));
  experiment_.check_diagnostics(diagnostics);
  if (wants_row && csv_ && experiment_.stop_reason().empty()) write_out([&] { csv_->add(diagnostics); });
}

void HeadlessRun::print(bool last) {
  if (printed_ != PrintResult::all || !failed_output_.empty()) return;
  const std::string text = experiment_.info().text->write(simulation_.save(), last);
  write_out([&] { printed_ = print_text(text, interrupts_.request()); });
}

void HeadlessRun::record_frame() {
  const Timeline::Scope timed(TimeUse::painting, "image");
  write_out([&] {
    recorder_->add(offscreen_->frame());
    ++recorded_frames_;
  });
}

// ---- the outputs

// Rows and images up to here are valid, whatever happened later.
void HeadlessRun::write_outputs() {
  if (interrupted_) {
    report_interruption();
    unless_stopped([&] { check(false); });
  }
  if (wants_text_) print(true);
  if (options_.perf) {
    const std::int64_t steps = std::max<std::int64_t>(1, simulation_.steps() - start_);
    std::cerr << with_prefix(seconds_ / static_cast<double>(steps), "s") << " per step\n";
  }
  if (csv_) finish_table();
  if (recorder_) finish_recording();
  if (!experiment_.stop_reason().empty()) {
    const Message unsaved = options_.save.empty() ? Message() : Message("Nothing was saved to \"{}\".", options_.save);
    throw NonFiniteError(experiment_.stop_reason() + unsaved);
  }
  // Before images: a graphics driver that runs out of memory may end the program.
  if (!options_.save.empty()) write_out([&] { save(); });
  if (!options_.fields.empty()) write_out([&] { export_fields(); });
  if (!options_.screenshot.empty() && offscreen_) save_screenshot();
  if (!options_.curves.empty() && offscreen_) write_out([&] { save_curves(); });
  if (!options_.report.empty() && offscreen_)
    write_out([&] {
      offscreen_->write_report(options_.report);
      report_written(options_.report);
    });
  if (options_.describe) unless_stopped([&] { print_line(messages_, tr(describe(experiment_, view_))); });
}

void HeadlessRun::report_interruption() const {
  warnings_ << (printed_ == PrintResult::reader_closed ? "The output was closed: stopped at step "
                : interrupts_.out_of_processor_time()
                    ? "The processor time limit (ulimit -t) is reached: stopped at step "
                    : "Interrupted at step ")
            << simulation_.steps() << " of " << end_ << ".\n";
}

void HeadlessRun::finish_table() {
  if (csv_->is_empty())  // ended before the first row: keep an older file
    print_line(std::cerr, "\"" + options_.csv + "\" has no rows: nothing was measured.");
  else
    write_out([&] { report_written(csv_->finish()); });
}

void HeadlessRun::finish_recording() {
  // A run may end before the first frame is due.
  if (recorded_frames_ == 0 && experiment_.stop_reason().empty())
    unless_stopped([&] { write_out([&] { recorder_->add(offscreen_->frame()); }); });
  write_out([&] {
    recorder_->finish();
    report_written(recorder_->destination());
  });
}

void HeadlessRun::save() {
  if (!experiment_.scene().lanes.empty()) print_line(std::cerr, "A saved state holds the first lane of a race only.");
  require_memory_to_save(experiment_);
  save_state(experiment_.saved_state(), options_.save);
  report_written(options_.save);
}

void HeadlessRun::export_fields() {
  require_memory_to_save(experiment_);
  export_state(experiment_.saved_state(), options_.fields);
  report_written(options_.fields);
}

void HeadlessRun::save_screenshot() {
  const auto write = [&] {
    save_png(offscreen_->frame(), options_.screenshot);
    report_written(options_.screenshot);
  };
  if (unless_stopped([&] { write_out(write); })) return;
  stopped_early_ = true;
  print_line(std::cerr, "\"" + options_.screenshot + "\" was not written: no step was computed.");
}

void HeadlessRun::save_curves() {
  const DisplayUnits& units = experiment_.scene().units;
  if (options_.curves.ends_with(".csv"))  // a table for scripts: in the simulation's units, as --csv
    save_text(curves_as_csv(offscreen_->curves({})) + scales_as_csv(units), options_.curves);
  else
    save_png(curves_image(offscreen_->curves(units)), options_.curves);
  report_written(options_.curves);
}

int HeadlessRun::finish() {
  print_line(messages_, ending_message(experiment_, backend_, simulation_.steps() - start_, seconds_,
                                       options_.size && options_.size_is_one_number));
  if (const Message choice = simulation_.choice(); !choice.empty()) messages_ << choice.english() << '\n';
  std::cout.flush();  // while a closed pipe raises no signal
  const bool interrupted_later = wants_images_ && !interrupted_ && interrupts_.stop_requested();
  if (interrupted_later) std::cerr << "Interrupted: what an image shows may be measured in part.\n";
  if (failure_) std::rethrow_exception(failure_);
  if (!failed_output_.empty()) throw Error(failed_output_);
  const bool is_complete = !interrupted_ && !interrupted_later && !stopped_early_ && printed_ == PrintResult::all &&
                           (!wants_images_ || offscreen_);
  return is_complete ? 0 : 1;
}

}  // namespace

int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options, RunRecord* record) {
  Interrupts interrupts;
  // If standard output carries the result, messages go to the error stream.
  std::ostream& messages = options.print || options.perf || options.json ? std::cerr : std::cout;
  return run_headless(experiment, options, app_options, {interrupts, messages, std::cerr}, record);
}

int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options,
                 const HeadlessContext& context, RunRecord* record) {
  Timeline::name_this_thread("run");
  HeadlessRun run(experiment, options, app_options, context, record);
  run.take_steps();
  run.end_record();
  run.write_outputs();
  return run.finish();
}

}  // namespace perturb
