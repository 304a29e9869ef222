// The lesson command: lists lessons, opens one in the window, or steps through one without a window.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/run_checks.h"
#include "app/cli/terminal.h"
#include "app/cli/window_start.h"
#include "app/edited/edited_kernel.h"
#include "app/i18n/language.h"
#include "app/io/files/csv.h"
#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/same_file.h"
#include "app/io/files/text_file.h"
#include "app/io/image/image.h"
#include "app/lessons/lesson_answers.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_session.h"
#include "app/lessons/result_sheet.h"
#include "app/lessons/teacher_sheet.h"
#include "app/render/gl/window.h"
#include "app/run/interrupts.h"
#include "app/run/kernel_measurement.h"
#include "app/run/run_status.h"
#include "app/window/offscreen_view.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Interrupts and numbers that are not finite are handled after this many steps.
constexpr std::int64_t lesson_steps_at_once = 64;

int list_lessons() {
  const LessonLibrary& library = all_lessons();
  const LessonProgress progress(lesson_progress_path());
  TextTable table({"lesson", "title", "content", "best"});
  for (const auto& lesson : library.lessons) {
    const LessonScore* score = progress.score_of(lesson->path());
    table.add({lesson->path(), lesson->title, lesson->summary,
               score && score->max_points > 0
                   ? std::to_string(score->best_points) + " of " + std::to_string(score->max_points)
                   : ""});
  }
  table.print(std::cout);
  for (const Message& problem : library.problems) print_line(std::cerr, problem.english());
  const std::string folder = user_lessons_folder();
  if (!folder.empty())
    print_line(std::cout, "Open one with \"perturb lesson NAME\". Your own lessons: " + folder + "/SIMULATION/*.toml");
  return 0;
}

std::string shown_value(double value, const DisplayUnit& unit) {
  return format_number(value * unit.factor) + (unit.text.empty() ? "" : " " + unit.text);
}

// Prints the measured number and theory; returns whether they agree.
bool print_result(const LessonQuestion& question, const FoundNumbers& found) {
  std::string line = "  " + std::string(question.measured.empty() ? "theory " : "measured ") +
                     shown_value(found.asked, question.shown);
  const bool agrees = agrees_with_theory(question, found);
  if (found.theory) {
    line += ", theory " + shown_value(*found.theory, question.shown);
    if (*found.theory != 0)
      line += ", error " + format_number(100 * std::abs(found.asked / *found.theory - 1), 2) + " % of " +
              format_number(100 * question.agreement, 3) + " %";
    line += agrees ? ": agrees" : ": DOES NOT AGREE";
  }
  if (found.right_choice >= 0)
    line += ", answer " + std::string(1, static_cast<char>('A' + found.right_choice)) + " (" +
            question.choices[static_cast<std::size_t>(found.right_choice)].text + ")";
  print_line(std::cout, line);
  return agrees;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// The tries of each question, in order; one or two. Empty lines and those that begin with # are skipped.
std::vector<std::vector<std::string>> read_answers(const std::string& path, const Lesson& lesson) {
  std::vector<std::vector<std::string>> all;
  std::istringstream text(read_text_file(path, "file of answers"));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t bar = line.find('|');
    std::vector<std::string> tries = {trimmed(line.substr(0, bar))};
    if (bar != std::string::npos) tries.push_back(trimmed(line.substr(bar + 1)));
    for (const std::string& one : tries)
      if (one.empty() || one.find('|') != std::string::npos)
        throw InputError("{}:{}: a line has one answer, or two with a | between them, such as 5 | 20.", path, number);
    all.push_back(std::move(tries));
  }
  const auto questions = static_cast<std::size_t>(std::count_if(
      lesson.steps.begin(), lesson.steps.end(), [](const LessonStep& s) { return s.question.has_value(); }));
  if (all.size() != questions)
    throw InputError("{} has {} answers, and {} has {} questions. Write a line for each question.", path, all.size(),
                     lesson.path(), questions);
  return all;
}

class HeadlessLesson {
 public:
  HeadlessLesson(std::shared_ptr<const Lesson> lesson, const LessonOptions& options)
      : lesson_(std::move(lesson)), options_(options), run_(lesson_) {
    app_.ui_scale = options.ui_scale;
    backends_ = make_backends(options.backend, options.threads, &app_.backend_note);
    if (!app_.backend_note.empty()) print_line(std::cerr, "Computing on the CPU: " + app_.backend_note.english());
    if (options.last_step) {
      if (*options.last_step > static_cast<std::int64_t>(lesson_->steps.size()))
        throw InputError("--step cannot be {}: {} has {} steps.", *options.last_step, lesson_->path(),
                         lesson_->steps.size());
      end_ = static_cast<std::size_t>(*options.last_step);
    }
    if (!options.screenshot.empty()) require_writable(picture_path(0));
    if (!options.result.empty()) {
      if (options.answers.empty()) throw InputError("--result needs the answers of a student. Add --answers FILE.");
      require_writable(options.result);
    }
    for (const std::string& input : {options.lesson, options.answers, options.sketch}) {
      require_not_read("--result", options.result, input);
      require_not_read("--screenshot", options.screenshot, input);
    }
    if (!options.answers.empty()) answers_ = read_answers(options.answers, *lesson_);
  }

  // Throws Stopped.
  void take_steps(std::size_t k, const StopRequest& stop) {
    run_.go_to(k);
    begin_step();
    print_line(std::cout, "step " + std::to_string(k + 1) + ", " + lesson_->steps[k].title + ": scene " +
                              experiment_->setup().simulation + "/" + experiment_->setup().preset + ", " +
                              std::to_string(run_.step().steps) + " steps");
    for (std::int64_t left = run_.step().steps; left > 0;) {
      if (stop.stop_requested()) throw Stopped();
      const std::int64_t now = std::min(left, lesson_steps_at_once);
      check();
      experiment_->advance(now);
      left -= now;
    }
  }

  int go_through() {
    Interrupts interrupts;
    const StopScopes scopes(backends_.get(), interrupts.request());
    if (!options_.screenshot.empty()) require_pictures(options_.window_size, &interrupts.request());
    print_line(std::cout, lesson_->path() + ": " + lesson_->title);
    int failures = 0;
    for (std::size_t k = 0; k < end_; ++k) {
      try {
        take_steps(k, interrupts.request());
        if (!ask()) ++failures;
        take_picture(k);
      } catch (const Stopped&) {
        print_line(std::cerr, "Interrupted in step " + std::to_string(k + 1) + ".");
        return 1;
      }
    }
    const bool whole = end_ == lesson_->steps.size();
    if (!answers_.empty())
      print_line(std::cout, std::to_string(run_.points()) + " of " + std::to_string(run_.all_points()) + " points.");
    if (whole) print_ending();
    if (!options_.result.empty()) {
      save_text(result_sheet_as_csv(result_sheet_of(run_, options_.student)), options_.result);
      print_line(std::cout, "Wrote " + options_.result);
    }
    print_line(std::cout, failures == 0   ? whole ? "All steps pass." : "The steps so far pass."
                          : failures == 1 ? "1 step fails."
                                          : std::to_string(failures) + " steps fail.");
    return failures == 0 ? 0 : 1;
  }

 private:
  std::string picture_path(std::size_t step) const {
    if (options_.screenshot.ends_with(".png")) return options_.screenshot;
    return options_.screenshot + "/perturb-lesson-" + lesson_->simulation + "-" + lesson_->id + "-" +
           std::to_string(step + 1) + ".png";
  }

  void begin_step() {
    const LessonStep& step = run_.step();
    if (step.begins_scene) {
      const Setup& setup = step.scene.setup;
      require_memory(find_simulation(setup.simulation), setup, backends_.get().of(setup, "auto"));
      offscreen_.reset();
      experiment_.emplace(backends_.get(), step.scene);
    } else {
      bool merge_with_last = false;
      for (const ParameterChange& change : step.changes) {
        experiment_->set_parameter(change.id, change.value, merge_with_last);
        merge_with_last = true;
      }
      if (step.changes_view) experiment_->show({step.scene.view, step.scene.camera});
    }
    run_.begin_step(experiment_->simulation().steps());
    if (!step.measures_kernels) return;
    KernelMeasurement measurement(*experiment_);
    try {
      while (!measurement.advance()) {
      }
    } catch (const Stopped&) {
      return;  // the interrupt is handled before the next steps
    }
    for (const UnmeasuredKernel& kernel : measurement.unmeasured())
      print_line(std::cerr, "Not measured: " + kernel.kernel + ". " + kernel.reason.english());
  }

  Diagnostics check() {
    Diagnostics diagnostics = experiment_->simulation().diagnostics(experiment_->shown().view, true);
    experiment_->check_diagnostics(diagnostics);
    return diagnostics;
  }

  // Returns whether the step passed: finite numbers and, if there is a question, an answer that agrees with theory.
  bool ask() {
    const Diagnostics diagnostics = check();
    if (!experiment_->stop_reason().empty()) {
      print_line(std::cout, "  FAILED: " + experiment_->stop_reason().english());
      return false;
    }
    if (!run_.step().question) return true;
    const LessonQuestion& question = *run_.step().question;
    try {
      if (question.is_task) return do_task(question);
      const RunStatus status = status_of(*experiment_);
      if (!answers_.empty()) {
        try_answers(question, status, diagnostics);
        if (question.sketch) return compare_with_theory(question, *run_.answer()->curve);
        return print_result(question, *run_.answer()->found) && mistakes_are_wrong(question, status, diagnostics);
      }
      if (question.sketch) return sketch(question, status, diagnostics);
      const FoundNumbers found = run_.find(status, diagnostics);
      const bool shows_mistakes = mistakes_are_wrong(question, status, diagnostics);
      // Gives the right answer, so that the image shows the explanation.
      if (found.right_choice >= 0)
        run_.submit_choice(static_cast<std::size_t>(found.right_choice));
      else
        run_.submit_number(format_number(found.asked * run_.step().question->shown.factor, 4));
      run_.update(status, diagnostics);
      return print_result(question, found) && shows_mistakes;
    } catch (const InputError& error) {
      print_line(std::cout, "  FAILED: " + std::string(error.what()));
      return false;
    }
  }

  // Changes the run as the file of answers says, from its start, and takes the step's steps.
  bool do_task(const LessonQuestion& question) {
    if (answers_.empty()) {
      print_line(std::cout, "  a task: --answers says how it is done");
      return true;
    }
    for (const std::string& given : answers_[next_answer_++]) {
      if (run_.answer()) continue;
      if (const std::size_t sign = given.find('='); sign != std::string::npos) {
        const std::string id = trimmed(given.substr(0, sign));
        const Parameter& parameter = experiment_->simulation().parameters().find(id);
        experiment_->set_parameter(id, parameter.parse(trimmed(given.substr(sign + 1))));
      } else {
        // The file may come from another person than the user.
        if (!options_.edited_kernels)
          throw InputError(
              "The answers name the kernel \"{}\", which would be compiled and run as a program. Read it, and accept "
              "it "
              "with --edited-kernels.",
              given);
        const std::string text = read_text_file(beside_answers(given), "kernel");
        accept_edited_text(text);
        experiment_->choose_kernel(edited_kernel_id(text));
      }
      experiment_->restart();
      experiment_->advance(run_.step().steps);
      if (!experiment_->stop_reason().empty()) throw Error(experiment_->stop_reason());
      const Diagnostics diagnostics = check();
      const RunStatus status = status_of(*experiment_);
      run_.begin_step(0);
      run_.submit_task();
      if (!run_.update(status, diagnostics))
        throw InputError(run_.error().empty() ? Message("Nothing was measured.") : run_.error());
      const LessonSession::Answer& answer = run_.answer() ? *run_.answer() : *run_.first_try();
      print_line(std::cout, "  task " + given + ": measured " + shown_value(answer.number, question.shown) +
                                ", theory " + shown_value(answer.found->asked, question.shown) + ", " +
                                std::to_string(answer.points) + " of " + std::to_string(max_points_of_answer) +
                                " points");
    }
    return run_.answer() != nullptr && run_.answer()->points > 0;
  }

  // The path of a file that the answers name: in their folder or below it.
  std::string beside_answers(const std::string& name) const {
    if (std::string path = resolve_relative_path(options_.answers, name); !path.empty()) return path;
    throw InputError(
        "{} names \"{}\", which is outside its folder. Copy that file into the folder, and give its relative path.",
        options_.answers, name);
  }

  // Gives the answers of the file, as a student does: the second one only after a wrong first one.
  void try_answers(const LessonQuestion& question, const RunStatus& status, const Diagnostics& diagnostics) {
    const std::vector<std::string>& tries = answers_[next_answer_++];
    for (const std::string& given : tries) {
      if (run_.answer()) {
        print_line(std::cout, "  answer " + given + " is not needed");
        return;
      }
      submit(question, given);
      if (!run_.update(status, diagnostics))
        throw InputError(run_.error().empty() ? Message("Nothing was measured.") : run_.error());
      const bool is_again = run_.awaits_second_try();
      print_line(std::cout, "  answer " + given + ": " +
                                (is_again ? "wrong. Hint: " + text_for(FrontEnd::window, run_.hint())
                                          : std::to_string(run_.answer()->points) + " of " +
                                                std::to_string(max_points_of_answer) + " points"));
      if (!run_.explanation().empty()) print_line(std::cout, "  " + text_for(FrontEnd::window, run_.explanation()));
      if (is_again && &given == &tries.back())
        throw InputError("{} needs a second try: {} | ANOTHER.", options_.answers, given);
    }
  }

  void submit(const LessonQuestion& question, const std::string& given) {
    if (question.sketch) {
      run_.submit_sketch(read_sketch(beside_answers(given)));
    } else if (question.choices.empty()) {
      run_.submit_number(given);
    } else {
      const auto last = static_cast<char>('A' + question.choices.size() - 1);
      const char letter = static_cast<char>(given.front() >= 'a' ? given.front() - 'a' + 'A' : given.front());
      if (given.size() != 1 || letter < 'A' || letter > last)
        throw InputError("\"{}\" is not a choice. Write a letter from A to {}.", given, std::string(1, last));
      const auto choice = static_cast<std::size_t>(letter - 'A');
      if (const std::string& kernel = question.choices[choice].kernel; !kernel.empty())
        experiment_->choose_kernel(kernel);
      run_.submit_choice(choice);
    }
  }

  void print_ending() {
    if (!lesson_->learned.empty()) print_line(std::cout, "Learned: " + text_for(FrontEnd::window, lesson_->learned));
    if (const auto next = next_lesson(all_lessons(), *lesson_))
      print_line(std::cout, "Next lesson: " + next->path() + " (" + next->title + ")");
  }

  // Reports a mistake that is never shown, because an answer with its number has points.
  bool mistakes_are_wrong(const LessonQuestion& question, const RunStatus& status, const Diagnostics& diagnostics) {
    const FoundNumbers found = run_.answer() ? *run_.answer()->found : run_.find(status, diagnostics);
    bool all_wrong = true;
    for (const double value : values_of_mistakes(question, numbers_of(status, diagnostics, run_.found()))) {
      if (points_for_answer(question, found, value) == 0) continue;
      print_line(std::cout, "  FAILED: the mistake " + format_number(value) + " is never shown: it is within " +
                                format_number(300 * question.tolerance, 3) + " % of the right number.");
      all_wrong = false;
    }
    return all_wrong;
  }

  // The curve of theory as a sketch, or the measurement itself if there is no theory.
  bool compare_with_theory(const LessonQuestion& question, const Curve& measured) {
    if (measured.theory.empty()) return true;
    const double distance = compare_sketch(measured.theory, *question.sketch, measured.points).distance;
    print_distance("theory", distance,
                   " of " + format_number(100 * question.agreement, 3) +
                       (distance <= question.agreement ? " %: agrees" : " %: DOES NOT AGREE"));
    return distance <= question.agreement;
  }

  static void print_distance(const std::string& what, double distance, const std::string& result) {
    print_line(std::cout,
               "  " + what + " differs from the measurement by " + format_number(100 * distance, 2) + " %" + result);
  }

  // Checks the given sketch. Without one, uses the curve of theory, which must agree with the measurement, or the
  // measurement itself if there is no theory.
  bool sketch(const LessonQuestion& question, const RunStatus& status, const Diagnostics& diagnostics) {
    const Curve& curve = curve_of(diagnostics, question.sketch->curve);
    const bool given = !options_.sketch.empty();
    const std::vector<CurvePoint> drawn = given                  ? read_sketch(options_.sketch)
                                          : curve.theory.empty() ? curve.points
                                                                 : curve.theory;
    run_.submit_sketch(drawn);
    const bool found = run_.update(status, diagnostics);
    if (!found) throw InputError(run_.error().empty() ? Message("Nothing was measured.") : run_.error());
    if (!given) return compare_with_theory(question, curve);
    const LessonSession::Answer& answer = run_.answer() ? *run_.answer() : *run_.first_try();
    print_distance("the sketch", answer.found->asked,
                   ": " + std::to_string(answer.points) + " of " + std::to_string(max_points_of_answer) + " points");
    return true;
  }

  void take_picture(std::size_t step) {
    if (options_.screenshot.empty() || (options_.screenshot.ends_with(".png") && step + 1 < end_)) return;
    if (!offscreen_)
      offscreen_ = std::make_unique<OffscreenView>(*experiment_, app_, options_.window_size.width,
                                                   options_.window_size.height, true);
    offscreen_->show_lesson(run_);
    save_png(offscreen_->frame(), picture_path(step));
    print_line(std::cout, "Wrote " + picture_path(step));
  }

  std::shared_ptr<const Lesson> lesson_;
  const LessonOptions& options_;
  AppOptions app_;
  OwnedBackends backends_;
  LessonSession run_;
  std::vector<std::vector<std::string>> answers_;  // of the file, by question; empty: the right ones are given
  std::size_t next_answer_ = 0;
  std::size_t end_ = lesson_->steps.size();  // one past the last step to go through
  std::optional<Experiment> experiment_;
  std::unique_ptr<OffscreenView> offscreen_;  // destroyed before the experiment
};

}  // namespace

int lesson_command(const LessonOptions& options) {
  if (options.lesson.empty() && !options.sheet.empty())
    throw InputError("--sheet needs a lesson. Name one, such as \"perturb lesson wave/two-slits --sheet {}\".",
                     options.sheet);
  if (options.lesson.empty()) return list_lessons();
  use_language(options.language.empty() ? language_of_environment() : options.language);
  const std::shared_ptr<const Lesson> lesson = load_lesson(options.lesson);
  if (!options.sheet.empty()) {
    require_not_read("--sheet", options.sheet, options.lesson);
    save_text(teacher_sheet(*lesson), options.sheet);
    print_line(std::cout, "Wrote " + options.sheet);
    return 0;
  }
  if (options.headless || options.last_step || !options.screenshot.empty())
    return HeadlessLesson(lesson, options).go_through();
  if (const Message reason = Window::unavailable_reason(); !reason.empty()) {
    print_line(std::cerr, reason.english());
    print_line(std::cerr, "Continuing without a window.");
    return HeadlessLesson(lesson, options).go_through();
  }
  AppOptions app;
  app.ui_scale = options.ui_scale;
  app.frame_rate = options.frame_rate;
  app.language = options.language;
  app.lesson = options.lesson;
  const OwnedBackends backends = make_backends(options.backend, options.threads, &app.backend_note);
  const Scene& scene = lesson->steps.front().scene;
  require_memory(find_simulation(scene.setup.simulation), scene.setup, backends.get().of(scene.setup, "auto"));
  Experiment experiment(backends.get(), scene);
  WindowOptions window;
  window.width = options.window_size.width;
  window.height = options.window_size.height;
  app.read_script = read_script_run;
  restore_window(options.output_folder, options.fresh, options.window_size_given, app, window);
  return run_window(experiment, app, window);
}

}  // namespace perturb
