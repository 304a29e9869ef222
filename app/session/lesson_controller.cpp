#include "app/session/lesson_controller.h"

#include <utility>

#include "app/lessons/lesson_library.h"
#include "app/session/ui_state.h"

namespace perturb {

void LessonController::set_progress_file(const std::string& path) {
  Message note;
  progress_ = LessonProgress(path, &note);
  if (!note.empty()) client_.show_message(note);
}

void LessonController::show(LessonSession lesson) {
  lesson_ = std::move(lesson);
  apply_lesson_theme();
  state_.tab = Tab::lesson;
  state_.drawer_open = true;
  take_tool();
}

void LessonController::handle(const OpenLesson& wanted) {
  try {
    lesson_.emplace(load_lesson(wanted.lesson));
  } catch (const Error& error) {
    client_.show_error(error.message());
    return;
  }
  add_recent(state_.browsing, BrowserEntry::lesson_key(lesson_->lesson().path()));
  apply_lesson_theme();
  state_.tab = Tab::lesson;
  state_.overlay = Overlay::none;
  state_.panels = state_.drawer_open = true;
  go_to_step(0);
}

// Restores the user's theme first: a second lesson must not keep the theme of the first.
void LessonController::apply_lesson_theme() {
  if (state_.theme_before_lesson) state_.theme = *std::exchange(state_.theme_before_lesson, {});
  if (!lesson_ || lesson_->lesson().theme.empty()) return;
  state_.theme_before_lesson = state_.theme;
  state_.theme = theme_of(lesson_->lesson().theme);
}

void LessonController::close() {
  if (!lesson_) return;
  lesson_.reset();
  apply_lesson_theme();
  if (state_.tab == Tab::lesson) state_.tab = Tab::physics;
}

void LessonController::on_run_replaced() {
  if (lesson_) lesson_->on_run_rewound(client_.run().steps);
}

// ---- steps

bool LessonController::handle(UiCommand command) {
  if (command != UiCommand::previous_step && command != UiCommand::next_step) return false;
  if (!lesson_) return true;
  if (command == UiCommand::previous_step && !lesson_->is_first()) go_to_step(lesson_->index() - 1);
  if (command == UiCommand::next_step && !lesson_->is_last()) go_to_step(lesson_->index() + 1);
  return true;
}

void LessonController::handle(const GoToStep& wanted) {
  if (lesson_) go_to_step(wanted.index);
}

void LessonController::go_to_step(std::size_t index) {
  const bool is_next = index == lesson_->index() + 1;
  lesson_->go_to(index);
  state_.answer[0] = '\0';
  state_.answer_error = {};
  state_.sketch.clear();
  state_.pen.reset();
  save_progress();
  const LessonStep& step = lesson_->step();
  state_.playing = true;
  if (is_next && !step.begins_scene) {
    parameters_.set(step.changes, false);
    if (step.changes_view) state_.view = step.scene.view, state_.camera = step.scene.camera;
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
  take_tool();
}

void LessonController::take_tool() {
  const std::string& wanted = lesson_->step().tool;
  if (!wanted.empty()) state_.tool = wanted;
  if (tool_is_open(state_.tool)) return;
  for (const Tool& tool : client_.info().tools)
    if (tool_is_open(tool.id)) {
      state_.tool = tool.id;
      return;
    }
}

// ---- answers

void LessonController::handle(const AnswerQuestion& answer) {
  if (!lesson_) return;
  try {
    if (!answer.sketch.empty())
      lesson_->submit_sketch(answer.sketch);
    else if (answer.choice >= 0)
      lesson_->submit_choice(static_cast<std::size_t>(answer.choice));
    else
      lesson_->submit_number(answer.text);
    state_.answer_error = {};
  } catch (const InputError& error) {
    state_.answer_error = error.message();
    return;
  }
  check_answer();  // while paused no new numbers arrive: the current ones may already decide it
}

void LessonController::check_answer() {
  if (lesson_ && lesson_->update(client_.run(), numbers_)) save_progress();
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
