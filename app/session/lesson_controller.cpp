#include "app/session/lesson_controller.h"

#include <utility>

#include "app/browser/browser_entry.h"
#include "app/io/files/csv.h"
#include "app/io/files/date.h"
#include "app/io/files/output.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/result_page.h"
#include "app/lessons/result_sheet.h"
#include "app/lessons/teacher_sheet.h"
#include "app/session/files.h"

namespace perturb {

void LessonController::set_progress_file(const std::string& path) {
  Message note;
  progress_ = LessonProgress(path, &note);
  if (!note.empty()) client_.show_message(note);
}

void LessonController::begin(LessonSession lesson) {
  lesson_ = std::move(lesson);
  theme_.reset();
  if (const std::string& theme = lesson_->lesson().theme; !theme.empty()) theme_ = theme_of(theme);
  interface_.show_lesson();
}

void LessonController::show(LessonSession lesson) {
  begin(std::move(lesson));
  on_step_();
}

void LessonController::open(const std::string& path) {
  LessonSession lesson(load_lesson(path));
  interface_.add_recent(BrowserEntry::lesson_key(lesson.lesson().path()));
  interface_.close_overlay();
  interface_.show_panels();
  begin(std::move(lesson));
  go_to_step(0);
}

void LessonController::close() {
  if (!lesson_) return;
  lesson_.reset();
  theme_.reset();
  interface_.leave_lesson();
}

void LessonController::on_run_replaced() {
  if (lesson_) lesson_->on_run_rewound(client_.run().steps);
}

// ---- steps

void LessonController::previous_step() {
  if (lesson_ && !lesson_->is_first()) go_to_step(lesson_->index() - 1);
}

void LessonController::next_step() {
  if (lesson_ && !lesson_->is_last()) go_to_step(lesson_->index() + 1);
}

void LessonController::go_to_step(std::size_t index) {
  if (!lesson_) return;
  const bool is_next = index == lesson_->index() + 1;
  lesson_->go_to(index);
  ++visits_;
  answer_error_ = {};
  save_progress();
  const LessonStep& step = lesson_->step();
  playback_.set_playing(!awaits_prediction() && !step.is_about_start());
  if (is_next && !step.begins_scene) {
    parameters_.set(step.changes, false);
    if (step.changes_view) view_.set_view(step.scene.view, step.scene.camera);
    begin_step();
    return;
  }
  const auto start = [scene = step.scene] {
    Start begin;
    begin.scene = scene;
    return begin;
  };
  switcher_.open(step.scene.setup.simulation + "/" + step.scene.setup.preset, {start, {}, "Another scene"},
                 [this, index] {
                   switcher_.on_run_replaced(true);
                   // Another step may have been requested meanwhile: its scene is then being opened.
                   if (lesson_ && lesson_->index() == index) begin_step();
                 });
}

void LessonController::begin_step() {
  lesson_->begin_step(client_.run().steps);
  if (lesson_->step().measures_kernels && !kernels_.all_are_measured()) kernels_.measure();
  on_step_();
}

// ---- answers

bool LessonController::awaits_prediction() const {
  return lesson_ && lesson_->step().question && !lesson_->step().question->is_task && !lesson_->answer() &&
         !lesson_->first_try();
}

bool LessonController::shows_kernels() const {
  return lesson_ && lesson_->step().measures_kernels && !awaits_prediction();
}

void LessonController::answer(const std::string& text, int choice, const std::vector<CurvePoint>& sketch) {
  if (!lesson_) return;
  const bool is_prediction = awaits_prediction();
  try {
    if (const auto& question = lesson_->step().question; question && question->is_task)
      lesson_->submit_task();
    else if (!sketch.empty())
      lesson_->submit_sketch(sketch);
    else if (choice >= 0)
      submit_choice(static_cast<std::size_t>(choice));
    else
      lesson_->submit_number(text);
    answer_error_ = {};
  } catch (const InputError& error) {
    answer_error_ = error.message();
    ++rejections_;
    return;
  }
  if (is_prediction && !awaits_prediction() && !lesson_->step().is_about_start()) playback_.set_playing(true);
  check_answer();  // while paused no new numbers arrive: the current ones may already decide it
}

void LessonController::submit_choice(std::size_t choice) {
  lesson_->submit_choice(choice);
  const auto& question = lesson_->step().question;
  if (!question || choice >= question->choices.size()) return;
  if (const std::string& kernel = question->choices[choice].kernel; !kernel.empty()) playback_.choose_kernel({kernel});
}

void LessonController::check_answer() {
  if (lesson_ && lesson_->step().measures_kernels && kernels_.is_measuring()) return;
  if (!lesson_ || !lesson_->update(client_.run(), numbers_)) return;
  answer_error_ = {};  // of a change that came too late
  save_progress();
}

void LessonController::save_result_page(const std::string& student, const std::vector<Curve>& plots,
                                        OutputFolders& output) const {
  if (!lesson_) return;
  require_student(student);
  const std::string stem = result_sheet_stem(result_sheet_of(*lesson_, student));
  const std::string path = unused_stem(output.folder() + stem, {".html"}) + ".html";
  save_text(result_page(*lesson_, student, today(), plots), path);
  output.show_saved("Printable page saved: {} in {}", path);
}

void LessonController::save_teacher_sheet(const std::string& lesson, OutputFolders& output) {
  const std::shared_ptr<const Lesson> whole = load_lesson(lesson);
  const std::string path = unused_stem(output.folder() + teacher_sheet_stem(*whole), {".html"}) + ".html";
  save_text(teacher_sheet(*whole), path);
  output.show_saved("Sheet for teachers saved: {} in {}", path);
}

void LessonController::save_result_sheet(const std::string& student, OutputFolders& output) const {
  if (!lesson_) return;
  require_student(student);
  const ResultSheet sheet = result_sheet_of(*lesson_, student);
  const std::string path = unused_stem(output.folder() + result_sheet_stem(sheet), {".csv"}) + ".csv";
  save_text(result_sheet_as_csv(sheet), path);
  output.show_saved("Result sheet saved: {} in {}", path);
}

void LessonController::save_progress() {
  try {
    progress_.reach(lesson_->lesson().path(), static_cast<int>(lesson_->index()), lesson_->points(),
                    lesson_->is_done() ? lesson_->all_points() : 0);
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
}

}  // namespace perturb
