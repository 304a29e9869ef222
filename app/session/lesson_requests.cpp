// What the panel of a lesson asks for. A step's scene is opened, and its parameters are changed, as a user's would be:
// through the same orders, in the same log.
#include <utility>

#include "app/lessons/lesson_shelf.h"
#include "app/session/session.h"

namespace perturb {

void Session::keep_progress_in(const std::string& path) {
  std::string note;
  progress_ = LessonProgress(path, &note);
  if (!note.empty()) tell(note);
}

void Session::show_lesson(LessonRun lesson) {
  lesson_ = std::move(lesson);
  take_lessons_look();
  state_.tab = Tab::lesson;
  state_.drawer_open = true;
  meet_step();
}

void Session::open_lesson(const std::string& lesson) {
  try {
    lesson_.emplace(load_lesson(lesson));
  } catch (const Error& error) {
    tell_failure(error.what());
    return;
  }
  note_recent(BrowserEntry::lesson_key(lesson_->lesson().path()));
  take_lessons_look();
  state_.tab = Tab::lesson;
  state_.overlay = Overlay::none;
  state_.panels = state_.drawer_open = true;
  go_to_step(0);
}

// Before, the window has its own again: of two lessons the second one does not keep the first one's.
void Session::take_lessons_look() {
  if (state_.look_before_lesson) state_.look = *std::exchange(state_.look_before_lesson, {});
  if (!lesson_ || lesson_->lesson().look.empty()) return;
  state_.look_before_lesson = state_.look;
  state_.look = look_of(lesson_->lesson().look);
}

void Session::close_lesson() {
  if (!lesson_) return;
  lesson_.reset();
  take_lessons_look();
  if (state_.tab == Tab::lesson) state_.tab = Tab::physics;
}

void Session::go_to_step(std::size_t index) {
  const bool is_next = index == lesson_->index() + 1;
  lesson_->go_to(index);
  state_.answer[0] = '\0';
  state_.answer_error.clear();
  state_.sketch.clear();
  state_.pen.reset();
  reach_in_lesson();
  const LessonStep& step = lesson_->step();
  state_.playing = true;
  if (is_next && !step.begins_scene) {
    set_parameters(step.changes, false);
    if (step.changes_view) state_.view = step.scene.view, state_.camera = step.scene.camera;
    lesson_->begin_step(run().steps);
    meet_step();
    return;
  }
  const auto start = [scene = step.scene] {
    Start begin;
    begin.scene = scene;
    return begin;
  };
  open(step.scene.setup.simulation + "/" + step.scene.setup.preset, start, [this, index](Answer& answer) {
    try {
      answer.check();
      meet(true);
      // Another step may have been asked for meanwhile: its scene is on its way.
      if (!lesson_ || lesson_->index() != index) return;
      lesson_->begin_step(run().steps);
      meet_step();
    } catch (const Error& error) {
      tell_failure(error.what());
    }
  });
}

void Session::meet_step() {
  const std::string& wanted = lesson_->step().tool;
  if (!wanted.empty()) state_.tool = wanted;
  if (tool_is_open(state_.tool)) return;
  for (const Tool& tool : info().tools)
    if (tool_is_open(tool.id)) {
      state_.tool = tool.id;
      return;
    }
}

void Session::answer_question(const AnswerQuestion& answer) {
  if (!lesson_) return;
  try {
    if (!answer.sketch.empty())
      lesson_->give_sketch(answer.sketch);
    else if (answer.choice >= 0)
      lesson_->give_choice(static_cast<std::size_t>(answer.choice));
    else
      lesson_->give_number(answer.text);
    state_.answer_error.clear();
  } catch (const InputError& error) {
    state_.answer_error = error.what();
    return;
  }
  // At rest no new numbers come: those that there are may tell it.
  if (lesson_->look(run(), diagnostics_)) reach_in_lesson();
}

void Session::reach_in_lesson() {
  try {
    progress_.reach(lesson_->lesson().path(), static_cast<int>(lesson_->index()), lesson_->points(),
                    lesson_->is_done() ? lesson_->all_points() : 0);
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

}  // namespace perturb
