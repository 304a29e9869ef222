#include "app/web/engine/shared_engine.h"

#include <optional>

#include "app/i18n/language.h"
#include "app/web/engine/calls.h"
#include "app/web/engine/engine.h"
#include "cuda/core/backend/check.h"

namespace perturb {

int SharedEngine::add_client(Role role, Permissions permissions) {
  const int number = ++last_client_;
  clients_[number] = std::make_unique<WebRun>(run_, number, role, std::move(permissions));
  return number;
}

WebRun& SharedEngine::client(int number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) throw InputError("You are no longer in this run. Join it again.");
  return *found->second;
}

void SharedEngine::remove_client(int number) {
  client(number).end_gesture();
  clients_.erase(number);
}

void SharedEngine::end_gesture(int number) { client(number).end_gesture(); }

void SharedEngine::end_locked_gesture(WebRun& client) {
  try {
    if (client.gesture) client.require_tool(client.gesture->tool);
    if (client.object_drag) client.require_objects();
  } catch (const InputError&) {
    client.end_gesture();
  }
}

void SharedEngine::set_permissions(int number, Permissions permissions) {
  WebRun& changed = client(number);
  changed.permissions = std::move(permissions);
  end_locked_gesture(changed);
}

void SharedEngine::follow_lesson(int number, int leader, bool begins) {
  WebRun& follower = client(number);
  const std::optional<LessonSession>& led = client(leader).lesson;
  if (!led || begins) follower.lesson.reset();
  if (!led) return;
  if (!follower.lesson || &follower.lesson->lesson() != &led->lesson()) follower.lesson.emplace(led->shared_lesson());
  follower.lesson->follow(*led);
  end_locked_gesture(follower);
}

void SharedEngine::show_results(int leader) {
  std::optional<LessonSession>& lesson = client(leader).lesson;
  if (!lesson) throw InputError("No lesson is open. Open one first.");
  lesson->show_results();
}

const LessonSession* SharedEngine::lesson_of(int number) {
  const std::optional<LessonSession>& lesson = client(number).lesson;
  return lesson ? &*lesson : nullptr;
}

std::string SharedEngine::lesson(int number) {
  WebRun& one = client(number);
  return one.lesson ? text_of(call_lesson_update(one, WebJson::object())) : "null";
}

std::string SharedEngine::call(int number, const std::string& request) {
  const std::string before = language();
  std::string text;
  try {
    text = answer(client(number), request);
  } catch (const InputError& error) {
    text = WebEngine::answer_of(error);
  }
  if (language() != before) use_language(before);
  return text;
}

SharedRun::Advanced SharedEngine::advance(std::int64_t steps, double milliseconds) {
  const SharedRun::Advanced advanced = run_.advance(steps, 1e-3 * milliseconds);
  warning_ = warning_ + run_.take_warning();
  return advanced;
}

void SharedEngine::read() {
  job::ReadDiagnostics job;
  job.view = run_.resolved_view();
  job.wait = true;
  reading_ = run_.run_job(std::move(job));
  run_.follow_range(reading_.diagnostics);
  run_.marks = reading_.diagnostics.marks;
  for (const auto& [number, one] : clients_) update_lesson(*one, reading_.diagnostics);
  shown_warning_ = std::exchange(warning_, run_.take_warning());
}

std::string SharedEngine::diagnostics(bool curves, bool scene_units) {
  return text_of(json_of_diagnostics(reader_, reading_, {{"curves", curves}, {"scene_units", scene_units}}));
}

std::string SharedEngine::status(bool scene_units) {
  reader_.shows_scene_units = scene_units;
  WebJson json = status_of_run(reader_);
  if (!shown_warning_.empty()) json["note"] = json_in_shown_units(reader_, shown_warning_);
  return text_of(json);
}

}  // namespace perturb
