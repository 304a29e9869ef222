#include "app/serve/lockstep_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/run/pace_limits.h"
#include "app/web/engine/calls.h"
#include "app/web/engine/engine.h"
#include "app/web/engine/request.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

using namespace std::chrono_literals;

constexpr auto tick = 50ms;  // between two entries of steps: 20 short messages per second
constexpr auto sum_interval = 1s;
constexpr auto patience = 2s;            // with open gestures, before they are ended for a state
constexpr std::size_t max_sums = 60;     // that devices may still be about to report
constexpr std::size_t sum_size = 16;     // characters
constexpr std::size_t max_order = 4096;  // characters of a pupil's call: all devices get it

void require_reference(bool is_reference) {
  if (!is_reference) throw InputError("Only the page that the others follow sends this.");
}

}  // namespace

const LockstepRun::Call LockstepRun::calls_[] = {{"hello", Role::spectator, &LockstepRun::hello},
                                                 {"watch", Role::spectator, &LockstepRun::watch},
                                                 {"order", Role::pupil, &LockstepRun::order},
                                                 {"done", Role::spectator, &LockstepRun::done},
                                                 {"state_part", Role::teacher, &LockstepRun::state_part},
                                                 {"pictures", Role::spectator, &LockstepRun::want_pictures},
                                                 {"picture", Role::teacher, &LockstepRun::relay_picture},
                                                 {"playback", Role::teacher, &LockstepRun::set_playback}};

LockstepRun::LockstepRun(People& people, std::string link, std::string scene)
    : PeopleRun(people, std::move(link)), scene_(std::move(scene)) {
  pace_.set_unit(Pace::Unit::per_second);
}

std::optional<HttpAnswer> LockstepRun::http(const HttpRequest& request) {
  if (request.path != "/state") return std::nullopt;
  std::shared_ptr<const std::string> state;
  {
    const std::lock_guard lock(state_mutex_);
    state = state_;
  }
  if (!state) return plain_answer(404, "There is no state yet.");
  HttpAnswer answer;
  answer.type = "application/json";
  answer.fields = {{"Cache-Control", "no-store"}};
  answer.body = *state;
  return answer;
}

void LockstepRun::run(const StopRequest& stop) {
  auto last = Clock::now(), next = last;
  while (!stop.stop_requested()) {
    handle_events(next, tick / 2);
    const auto now = Clock::now();
    if (now < next) continue;
    next = std::max(next + tick, now);
    if (playing_ && reference_) advance(std::chrono::duration<double>(now - last).count());
    last = now;
    if (has_changed_ && now - last_sum_ >= sum_interval) ask_for_checksum();
    if (entries_.size() > many_entries) wants_state_ = true;
    if (wants_state_) ask_for_state();
  }
  send_to_all({{"push", "end"}, {"message", json_of(Message("The teacher has ended this shared run."))}});
}

void LockstepRun::went(Connection* connection, Member* member) {
  for (auto& [number, sums] : sums_) sums.others.erase(connection);
  if (member) end_gesture(*member);
  if (reference_ == connection) choose_reference();
  show_pictures();
}

std::string LockstepRun::answer_to(Client& client, const std::string& name, const Json& args, const std::string&) {
  Json answer;
  if (answer_about_people(client, name, args, answer)) return text_of(answer);
  const auto call =
      std::find_if(std::begin(calls_), std::end(calls_), [&](const Call& one) { return name == one.name; });
  if (call == std::end(calls_))
    throw InputError("A run that every device computes does not do this: {}.", Message::value(name));
  if (member_of(client).person.role < call->role)
    throw InputError(call->role == Role::teacher
                         ? Message("Only the teacher can do this.")
                         : Message("You can only watch this run. Join as a pupil to take part."));
  answer = (this->*call->handler)(client, args);
  if (answer.contains("entry")) {
    pending_ = std::move(answer["entry"]);
    answer = {{"n", next_number()}};
  }
  return text_of(answer);
}

void LockstepRun::answered(Client& client) {
  // The caller knows the number of its entry before the entry arrives.
  if (Json entry = std::exchange(pending_, nullptr); !entry.is_null()) append(std::move(entry));
  if (client.said_hello && !client.follows && !client.wants_pictures) let_in();
}

LockstepRun::Json LockstepRun::hello(Client& client, const Json&) {
  client.said_hello = true;
  const Person& person = member_of(client).person;
  if (!reference_) choose_reference();
  return {{"role", name_of(person.role)},
          {"name", person.name},
          {"person", person.id},
          {"lockstep", true},
          {"scene", scene_},
          {"is_reference", reference_ == client.socket.get()},
          {"picture", {{"width", 0}, {"height", 0}}},
          {"playing", playing_},
          {"waits", waits_},
          {"speed", {{"steps_per_frame", steps_per_frame_}}},
          {"allowed", json_of_allowed(allowed_, member_of(client).is_locked)},
          {"status", nullptr},
          {"lesson", nullptr}};
}

// What a page wants to know it reads from its own engine.
LockstepRun::Json LockstepRun::watch(Client&, const Json&) { return Json::object(); }

// ---- entries

void LockstepRun::append(Json entry, std::int64_t steps) {
  entry["n"] = next_number();
  auto text = std::make_shared<const std::string>(text_of(entry));
  entries_.push_back({text, (entries_.empty() ? base_steps_ : entries_.back().steps) + steps});
  for (const auto& [socket, client] : clients_)
    if (client.follows) client.socket->send_text(text);
}

std::int64_t LockstepRun::steps_at(std::int64_t number) const {
  const std::int64_t index = number - base_ - 1;
  if (index < 0 || entries_.empty()) return base_steps_;
  return entries_[std::min(static_cast<std::size_t>(index), entries_.size() - 1)].steps;
}

void LockstepRun::advance(double seconds) {
  const Client& reference = clients_.at(reference_);
  const std::int64_t ahead = steps_at(next_number()) - steps_at(reference.done);
  // A reference that does not keep up slows everybody down.
  if (static_cast<double>(ahead) * Pace::target_frame > max_lead * steps_per_frame_) {
    pace_.forget();
    return;
  }
  pace_.elapse(seconds);
  const int due = pace_.take();
  if (due <= 0 || next_number() == 1) return;
  append({{"push", "steps"}, {"count", due}}, due);
  has_changed_ = true;
}

LockstepRun::Json LockstepRun::order(Client& client, const Json& args) {
  const std::string name = text_in(args, "call");
  if (!is_shared_call(name)) throw InputError("The call \"{}\" is not one for all.", name);
  Member& member = member_of(client);
  if (member.person.role < least_role(name)) throw InputError("Only the teacher can do this.");
  const Json* given = find_in(args, "with");
  Json with = given ? *given : Json::object();
  if (member.person.role == Role::pupil) {
    if (!reference_) throw InputError("The teacher's page is not there. The run waits for it.");
    if (text_of(with).size() > max_order) throw InputError("Cannot read the request. Reload the page.");
  }
  if (name == "gesture") {
    const std::string phase = text_in(with, "phase", "");
    if (phase == "press") member.is_cut = false;
    if (member.is_cut) throw InputError("This stroke was ended, because somebody has joined. Begin a new one.");
    if (phase == "press" || phase == "release") member.has_gesture = phase == "press";
  }
  // (A drag of an object is open until its end.)
  if (name == "drag_object") {
    if (find_in(with, "start")) member.is_cut = false;
    if (member.is_cut) throw InputError("This stroke was ended, because somebody has joined. Begin a new one.");
    member.has_gesture = !bool_in(with, "end", false);
  }
  Json entry = {{"push", "do"},
                {"person", member.person.id},
                {"role", name_of(member.person.role)},
                {"call", name},
                {"with", std::move(with)}};
  if (member.person.role == Role::pupil) {
    if (allowed_.tools) entry["tools"] = *allowed_.tools;
    if (allowed_.parameters) entry["parameters"] = *allowed_.parameters;
    if (!allowed_.objects) entry["objects"] = false;
    if (member.is_locked) entry["locked"] = true;
  }
  if (shows_names_) entry["name"] = member.person.name;
  if (name == "open") {
    // What is older is of no use to those who join, and the reference has skipped it while it chose the scene.
    asked_state_ = 0;
    wants_state_ = true;
  }
  has_changed_ = true;
  return {{"entry", std::move(entry)}};
}

void LockstepRun::end_gesture(Member& member) {
  if (!member.has_gesture) return;
  member.has_gesture = false;
  member.is_cut = true;
  append({{"push", "do"}, {"person", member.person.id}, {"call", "leave"}});
}

void LockstepRun::ask_for_checksum() {
  last_sum_ = Clock::now();
  has_changed_ = false;
  if (!reference_) return;
  sums_[next_number()];
  append({{"push", "checksum"}});
  while (sums_.size() > max_sums) sums_.erase(sums_.begin());
}

LockstepRun::Json LockstepRun::done(Client& client, const Json& args) {
  const std::int64_t number = int_in(args, "n", 0, next_number() - 1);
  client.done = std::max(client.done, number);
  if (!find_in(args, "sum")) return Json::object();
  const auto found = sums_.find(number);
  if (found == sums_.end()) return Json::object();
  Sums& sums = found->second;
  const std::string sum = text_in(args, "sum");
  if (sum.size() != sum_size) throw InputError("Cannot read the request. Reload the page.");
  if (client.socket.get() == reference_) {
    sums.reference = sum;
  } else {
    sums.others[client.socket.get()] = sum;
  }
  if (sums.reference.empty()) return Json::object();
  for (const auto& [socket, other] : sums.others)
    if (const auto one = clients_.find(socket); one != clients_.end() && other != sums.reference)
      send_text(one->second.socket, text_of({{"push", "differs"}, {"n", number}}));
  sums.others.clear();
  return Json::object();
}

// ---- who begins later

void LockstepRun::ask_for_state() {
  if (!reference_ || asked_state_ != 0 || next_number() == 1) return;
  const auto now = Clock::now();
  if (wanted_since_ == Clock::time_point{}) wanted_since_ = now;
  const bool is_open =
      std::any_of(members_.begin(), members_.end(), [](const auto& entry) { return entry.second.has_gesture; });
  if (is_open && now - wanted_since_ < patience) return;
  for (auto& [id, member] : members_) end_gesture(member);
  asked_state_ = next_number();
  append({{"push", "state"}});
  wants_state_ = false;
  wanted_since_ = {};
  parts_.clear();
}

LockstepRun::Json LockstepRun::state_part(Client& client, const Json& args) {
  require_reference(client.socket.get() == reference_ && int_in(args, "n", 1, next_number()) == asked_state_);
  const std::int64_t part = int_in(args, "part", 0, 1 << 20), of = int_in(args, "of", 1, 1 << 20);
  std::string data = text_in(args, "data");
  std::size_t bytes = data.size();
  for (const std::string& one : parts_) bytes += one.size();
  if (part != static_cast<std::int64_t>(parts_.size()) || bytes > max_state_bytes)
    throw InputError("The state cannot be passed on: it is too large, or incomplete.");
  parts_.push_back(std::move(data));
  if (part + 1 < of) return Json::object();
  auto state = std::make_shared<std::string>("{\"n\":" + std::to_string(asked_state_) + ",\"data\":\"");
  state->reserve(state->size() + bytes + 2);
  for (const std::string& one : parts_) {
    // (It goes into JSON as it is.)
    if (one.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != std::string::npos)
      throw InputError("The state cannot be passed on: it is too large, or incomplete.");
    *state += one;
  }
  *state += "\"}";
  parts_.clear();
  {
    const std::lock_guard lock(state_mutex_);
    state_ = std::move(state);
  }
  base_steps_ = steps_at(asked_state_);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(asked_state_ - base_));
  base_ = asked_state_;
  asked_state_ = 0;
  let_in();
  return Json::object();
}

void LockstepRun::begin(Client& client) {
  client.follows = true;
  client.done = base_;
  send_text(client.socket,
            text_of({{"push", "begin"}, {"n", base_}, {"state", base_ > 0}, {"entries", entries_.size()}}));
  for (const Entry& entry : entries_) client.socket->send_text(entry.text);
}

void LockstepRun::let_in() {
  if (!reference_) choose_reference();
  for (auto& [socket, client] : clients_) {
    if (!client.said_hello || client.follows || client.wants_pictures) continue;
    if (entries_.size() > few_entries && reference_ && reference_ != socket)
      wants_state_ = true;
    else
      begin(client);
  }
}

// A teacher's page; its number of the last entry tells how far it is.
void LockstepRun::choose_reference() {
  reference_ = nullptr;
  asked_state_ = 0;
  for (auto& [socket, client] : clients_) {
    const Member* member = find_member(client);
    if (!client.said_hello || !member || member->person.role != Role::teacher) continue;
    reference_ = socket;
    break;
  }
  sums_.clear();
  if (waits_ != !reference_) {
    waits_ = !reference_;
    pace_.forget();
    send_to_all({{"push", "waits"}, {"waits", waits_}});
  }
  show_pictures();
}

// ---- pictures for devices that are too slow

LockstepRun::Json LockstepRun::want_pictures(Client& client, const Json& args) {
  client.wants_pictures = bool_in(args, "wanted", true);
  client.follows = false;
  show_pictures();
  return Json::object();
}

void LockstepRun::show_pictures() {
  if (!reference_) return;
  const bool wanted =
      std::any_of(clients_.begin(), clients_.end(), [](const auto& entry) { return entry.second.wants_pictures; });
  send_text(clients_.at(reference_).socket, text_of({{"push", "show"}, {"wanted", wanted}}));
}

LockstepRun::Json LockstepRun::relay_picture(Client& client, const Json& args) {
  require_reference(client.socket.get() == reference_);
  const std::string text = text_of({{"push", "picture"},
                                    {"jpeg", text_in(args, "jpeg")},
                                    {"width", int_in(args, "width", 1, 4096)},
                                    {"height", int_in(args, "height", 1, 4096)},
                                    {"step", number_in(args, "step")}});
  const auto shared = std::make_shared<const std::string>(text);
  for (const auto& [socket, one] : clients_)
    if (one.wants_pictures && one.socket->queued_bytes() < Connection::max_media_backlog) one.socket->send_text(shared);
  return Json::object();
}

// ---- the teacher's calls

LockstepRun::Json LockstepRun::set_playback(Client&, const Json& args) {
  if (find_in(args, "steps_per_frame")) {
    steps_per_frame_ = static_cast<int>(int_in(args, "steps_per_frame", 1, pace_limits::max_steps));
    pace_.set_requested(steps_per_frame_);
  }
  const bool was_playing = playing_;
  playing_ = bool_in(args, "playing", playing_);
  if (bool_in(args, "one_step", false)) {
    playing_ = false;
    if (next_number() > 1) append({{"push", "steps"}, {"count", 1}}, 1);
    has_changed_ = true;
  }
  if (playing_ && !was_playing) pace_.forget();
  send_to_all(json_of_playing());
  return Json::object();
}

LockstepRun::Json LockstepRun::json_of_playing() const {
  return {{"push", "playing"}, {"playing", playing_}, {"steps_per_frame", steps_per_frame_}};
}

}  // namespace perturb
