#include "app/serve/own_runs.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "app/lessons/result_sheet.h"
#include "app/serve/class_answers.h"
#include "app/web/engine/calls.h"

namespace perturb {

namespace {

using namespace std::chrono_literals;

constexpr auto answers_interval = 200ms;

std::size_t index_in(const nlohmann::ordered_json& args) {
  return static_cast<std::size_t>(int_in(args, "index", 0, 10000, 0));
}

}  // namespace

void OwnRuns::run(const StopRequest& stop) {
  auto next = Clock::now();
  while (!stop.stop_requested()) {
    handle_events(next, answers_interval / 2);
    if (Clock::now() < next) continue;
    next = Clock::now() + answers_interval;
    if (has_answers_) send_answers();
  }
  send_to_all({{"push", "end"}, {"message", json_of(Message("The teacher has ended this class."))}});
}

std::string OwnRuns::answer_to(Client& client, const std::string& name, const Json& args, const std::string&) {
  Json answer = Json::object();
  if (answer_about_people(client, name, args, answer)) return text_of(answer);
  Member& member = member_of(client);
  const bool is_teacher = member.person.role == Role::teacher;
  if (name == "hello") return text_of(hello(client));
  if (name == "locate") return text_of(answer);  // a page asks whether the server is still there
  if (name == "keep") {
    if (member.person.role != Role::pupil) throw InputError("Only a pupil's page sends this.");
    keep(member, args);
    return text_of(answer);
  }
  if (name != "lead" && name != "show_results" && name != "class_results")
    throw InputError("In a class with runs of their own the server does not do this: {}.", Message::value(name));
  if (!is_teacher) throw InputError("Only the teacher can do this.");
  if (name == "lead") {
    lead(args);
    return text_of(answer);
  }
  if (!led_) throw InputError("No lesson is open. Open one first.");
  if (name == "class_results") return text_of(class_results());
  led_->show_results();
  has_answers_ = true;
  return text_of(answer);
}

void OwnRuns::describe(const Member& member, Json& person) const {
  if (!member.lesson) return;
  person["lesson"] = {{"path", member.lesson->lesson().path()},
                      {"step", member.lesson->index()},
                      {"steps", member.lesson->lesson().steps.size()},
                      {"points", member.lesson->points()},
                      {"all_points", member.lesson->all_points()}};
}

OwnRuns::Json OwnRuns::hello(Client& client) {
  client.said_hello = true;
  has_answers_ = true;
  sent_.clear();  // a teacher who has returned has none
  const Person& person = member_of(client).person;
  return {{"role", name_of(person.role)},
          {"name", person.name},
          {"own", true},
          {"lesson", led_ ? Json(led_->lesson().path()) : Json()}};
}

void OwnRuns::lead(const Json& args) {
  const std::string path = text_in(args, "path", "");
  has_answers_ = true;
  if (path.empty()) {
    led_.reset();
    return;
  }
  if (!led_ || led_->lesson().path() != path) {
    led_.emplace(lesson_called(path));
    led_->lead_class();  // what is right is not for the projector before the teacher shows it
    send_to_all({{"push", "lead"}, {"lesson", led_->lesson().path()}});
  }
  led_->go_to(index_in(args));
}

void OwnRuns::keep(Member& member, const Json& args) {
  LessonSession lesson(lesson_called(text_in(args, "path")));
  if (const Json* answers = find_in(args, "answers")) restore_answers(lesson, *answers);
  lesson.go_to(index_in(args));
  member.lesson = std::move(lesson);
  has_answers_ = true;
}

std::vector<const OwnRuns::Member*> OwnRuns::pupils() const {
  std::vector<const Member*> all;
  for (const auto& [id, member] : members_)
    if (led_ && member.person.role == Role::pupil && member.lesson &&
        member.lesson->lesson().path() == led_->lesson().path())
      all.push_back(&member);
  return all;
}

OwnRuns::Json OwnRuns::class_results() const {
  std::vector<ResultSheet> sheets;
  for (const Member* pupil : pupils()) sheets.push_back(result_sheet_of(*pupil->lesson, pupil->person.name));
  return json_of_results(led_->lesson(), sheets);
}

void OwnRuns::send_answers() {
  has_answers_ = false;
  if (!led_) return;
  // Those who are here, and those who have begun.
  std::set<int> people;
  for (const auto& [socket, client] : clients_)
    if (const auto found = members_.find(client.person);
        found != members_.end() && found->second.person.role == Role::pupil)
      people.insert(client.person);
  std::vector<const LessonSession*> lessons;
  std::vector<int> at(led_->lesson().steps.size());
  for (const Member* pupil : pupils()) {
    people.insert(pupil->person.id);
    lessons.push_back(&*pupil->lesson);
    ++at[pupil->lesson->index()];
  }
  Json message = {{"push", "answers"}, {"lesson", led_->lesson().path()}, {"at", at}};
  message.update(json_of_class(*led_, lessons));
  message["people"] = people.size();
  std::string text = text_of(message);
  if (text == sent_) return;
  sent_ = std::move(text);
  send_to_teachers(sent_);
  send_people();
}

}  // namespace perturb
