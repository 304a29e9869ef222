#include "app/serve/served_run.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/io/image/png_codec.h"
#include "app/lessons/result_sheet.h"
#include "app/run/backends.h"
#include "app/run/pace_limits.h"
#include "app/serve/class_answers.h"
#include "app/serve/video/jpeg.h"
#include "app/serve/video/video_message.h"
#include "app/web/engine/engine.h"
#include "app/web/engine/request.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

namespace {

using namespace std::chrono_literals;

constexpr auto frame_time = std::chrono::nanoseconds(1s) / ServedRun::frames_per_second;
constexpr auto numbers_interval = 200ms;  // and between two pushes of answers
constexpr auto key_interval = 1s;         // between key frames that somebody asks for
constexpr auto jpeg_interval = 66ms;      // an image costs as much as several frames of video
constexpr auto still_after = 300ms;       // without a change of a paused run
constexpr auto longest_work = 8s;         // of a step, numbers or a picture, if somebody is there
constexpr double advance_share = 0.6;     // of a frame, for steps; the rest is for the picture and for calls

// Calls after which nothing looks different.
const std::set<std::string> reading_calls = {"catalog", "translate", "status", "look",  "locate",
                                             "overlay", "describe",  "scene",  "script"};
using Bytes = std::vector<std::byte>;
std::shared_ptr<const Bytes> shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

struct LimitedWork {
  LimitedWork(TimeLimit& limit, const Backends& backends) : scope(limit), stops(backends, limit.stop()) {}

  const TimeLimit::Scope scope;
  const StopScopes stops;
};

}  // namespace

const ServedRun::Call ServedRun::calls_[] = {{"hello", Role::spectator, &ServedRun::hello},
                                             {"watch", Role::spectator, &ServedRun::watch},
                                             {"playback", Role::teacher, &ServedRun::set_playback},
                                             {"show_results", Role::teacher, &ServedRun::show_results},
                                             {"class_results", Role::teacher, &ServedRun::class_results}};

ServedRun::ServedRun(SharedEngine& engine, People& people, std::string link)
    : PeopleRun(people, std::move(link)), engine_(engine), limit_(longest_work, [this] { return has_connections(); }) {
  pace_.set_unit(Pace::Unit::per_second);
  follow_run();
}

void ServedRun::run(const StopRequest& stop) {
  auto last = Clock::now(), next = last;
  while (!stop.stop_requested()) {
    handle_events(next, frame_time / 2);
    const auto now = Clock::now();
    if (now < next) continue;
    // A frame that took too long is not made up for.
    next = std::max(next + frame_time, now);
    follow_run();
    if (playing_) advance(std::chrono::duration<double>(now - last).count());
    last = now;
    send_due();
  }
  end();
}

void ServedRun::visit(bool playing, int steps_per_frame) {
  engine_.run().follow();
  const auto now = Clock::now();
  handle_events(now, frame_time / 2);
  follow_run();
  const std::int64_t steps = engine_.run().status()->steps;
  const ViewChange& view = engine_.run().experiment().shown();
  if (std::exchange(seen_steps_, steps) != steps || !same_view(seen_view_, view)) note_change();
  seen_view_ = view;
  if (playing != playing_ || steps_per_frame != steps_per_frame_) {
    playing_ = playing;
    steps_per_frame_ = steps_per_frame;
    has_news_ = true;
    send_to_all(json_of_playing());
  }
  if (now < next_frame_) return;
  next_frame_ = std::max(next_frame_ + frame_time, now);
  send_due();
}

void ServedRun::end() {
  send_to_all({{"push", "end"}, {"message", json_of(Message("The teacher has ended this shared run."))}});
}

void ServedRun::send_due() {
  const auto now = Clock::now();
  if (has_news_ && now - last_numbers_ >= numbers_interval) send_numbers();
  if (has_answers_ && now - last_answers_ >= numbers_interval) send_answers();
  send_pictures();
}

void ServedRun::came(Member& member) {
  if (member.client == 0) {
    member.client = engine_.add_client(member.person.role, permissions_of(member));
    if (leader_ != 0) engine_.follow_lesson(member.client, leader_, true);
  }
  has_answers_ = leader_ != 0;
}

void ServedRun::went(Connection*, Member* member) {
  if (member) engine_.end_gesture(member->client);
  has_answers_ = leader_ != 0;
}

std::string ServedRun::answer_to(Client& client, const std::string& name, const Json& args, const std::string& text) {
  const Member& member = member_of(client);
  Json about_people;
  if (answer_about_people(client, name, args, about_people)) return text_of(about_people);
  const auto call =
      std::find_if(std::begin(calls_), std::end(calls_), [&](const Call& one) { return name == one.name; });
  if (call != std::end(calls_)) {
    if (member.person.role < call->role) throw InputError("Only the teacher can do this.");
    std::string result = text_of((this->*call->handler)(client, args));
    if (name == "hello") result.insert(result.size() - 1, ",\"catalog\":" + catalog_);
    return result;
  }
  if (reading_calls.contains(name)) {
    const LimitedWork limited(limit_, engine_.run().experiment().backends());
    return engine_.call(member.client, text);
  }
  std::string result = engine_.call(member.client, text);
  const bool is_done = !result.starts_with("{\"error\":");
  // Another scene ends the caller's lesson, and with it that of all.
  const bool ends_lesson = name == "lesson_close" || (name == "open" && leader_ != 0);
  if (is_done && (name == "lesson_open" || name == "lesson_step" || ends_lesson))
    lead_lesson(client, name == "lesson_open");
  if (is_done && name == "lesson_answer") has_answers_ = leader_ != 0;
  note_change();
  if (name == "gesture" && is_done) mark_poke(client, args);
  follow_run();
  return result;
}

void ServedRun::take_watched(Client& client, const Json& args) {
  client.curves = bool_in(args, "curves", client.curves);
  client.scene_units = bool_in(args, "scene_units", client.scene_units);
  if (!find_in(args, "video")) return;
  const std::string word = text_in(args, "video");
  const bool has_video = VideoEncoder::why_not().empty();
  client.way = word == "none" ? Way::none : word == "jpeg" || !has_video ? Way::jpeg : Way::video;
  client.needs_start = client.needs_key = client.needs_still = true;
}

ServedRun::Json ServedRun::hello(Client& client, const Json& args) {
  take_watched(client, args);
  client.said_hello = true;
  has_news_ = true;
  has_answers_ = leader_ != 0;
  sent_answers_.clear();  // a teacher who has returned has none
  const Member& member = member_of(client);
  if (catalog_.empty()) catalog_ = engine_.call(member.client, R"({"call":"catalog"})");
  Json answer = {{"role", name_of(member.person.role)},
                 {"name", member.person.name},
                 {"picture", {{"width", width_}, {"height", height_}}},
                 {"playing", playing_},
                 {"speed", {{"steps_per_frame", steps_per_frame_}}},
                 {"allowed", json_of_allowed(allowed_, member.is_locked)},
                 {"status", Json::parse(engine_.call(member.client, R"({"call":"status"})"))},
                 {"lesson", Json::parse(engine_.lesson(member.client))}};
  return answer;
}

ServedRun::Json ServedRun::watch(Client& client, const Json& args) {
  take_watched(client, args);
  has_news_ = true;
  return Json::object();
}

ServedRun::Json ServedRun::set_playback(Client&, const Json& args) {
  if (find_in(args, "steps_per_frame"))
    set_speed(static_cast<int>(int_in(args, "steps_per_frame", 1, pace_limits::max_steps)));
  if (bool_in(args, "one_step", false)) {
    playing_ = false;
    take_steps(1, std::chrono::duration<double>(frame_time).count());
    note_change();
  }
  set_playing(bool_in(args, "playing", playing_));
  send_to_all(json_of_playing());
  return Json::object();
}

// Shows everybody where somebody has poked.
void ServedRun::mark_poke(const Client& client, const Json& args) {
  if (text_in(args, "phase", "") != "press" || !find_in(args, "x") || !find_in(args, "y")) return;
  const double x = number_in(args, "x"), y = number_in(args, "y");
  const auto width = static_cast<int>(int_in(args, "width", 1, 100000));
  const auto height = static_cast<int>(int_in(args, "height", 1, 100000));
  const Camera::Point place = engine_.run().position_of(x, y, width, height);
  const Person& person = member_of(client).person;
  send_to_all({{"push", "mark"},
               {"x", place.x},
               {"y", place.y},
               {"at", {x / width, y / height}},
               {"color", person.id},
               {"name", shows_names_ ? person.name : ""}});
}

// ---- the lesson of a class

void ServedRun::lead_lesson(const Client& teacher, bool begins) {
  leader_ = member_of(teacher).client;
  share_lesson(teacher, begins);
  if (!engine_.lesson_of(leader_)) leader_ = 0;
}

void ServedRun::share_lesson(const Client& caller, bool begins) {
  for (const auto& [id, member] : members_)
    if (member.client != leader_) engine_.follow_lesson(member.client, leader_, begins);
  // Answers are judged by numbers that are read when the results may be shown.
  if (engine_.lesson_of(leader_)) engine_.read();
  for (const auto& [socket, client] : clients_) {
    const auto member = members_.find(client.person);
    if (client.said_hello && member != members_.end() && &client != &caller)
      client.socket->send_text(std::make_shared<const std::string>(
          "{\"push\":\"lesson\",\"lesson\":" + engine_.lesson(member->second.client) + "}"));
  }
  has_answers_ = true;
  sent_answers_.clear();
}

ServedRun::Json ServedRun::show_results(Client& client, const Json&) {
  if (leader_ == 0) throw InputError("No lesson is open. Open one first.");
  engine_.show_results(leader_);
  share_lesson(client, false);
  return Json::parse(engine_.lesson(member_of(client).client));
}

ServedRun::Json ServedRun::class_results(Client&, const Json&) {
  const LessonSession* const led = leader_ != 0 ? engine_.lesson_of(leader_) : nullptr;
  if (!led) throw InputError("No lesson is open. Open one first.");
  std::vector<ResultSheet> sheets;
  for (const auto& [id, member] : members_)
    if (member.person.role == Role::pupil)
      sheets.push_back(result_sheet_of(*engine_.lesson_of(member.client), member.person.name));
  return json_of_results(led->lesson(), sheets);
}

void ServedRun::send_answers() {
  has_answers_ = false;
  last_answers_ = Clock::now();
  const LessonSession* const led = leader_ != 0 ? engine_.lesson_of(leader_) : nullptr;
  if (!led) return;
  // Those who are here, and those who have left an answer.
  std::set<int> connected;
  for (const auto& [socket, client] : clients_) connected.insert(client.person);
  std::vector<const LessonSession*> pupils;
  for (const auto& [id, member] : members_) {
    const LessonSession* const lesson = engine_.lesson_of(member.client);
    if (member.person.role == Role::pupil && lesson && (connected.contains(id) || lesson->answer()))
      pupils.push_back(lesson);
  }
  Json message = {{"push", "answers"}};
  message.update(json_of_class(*led, pupils));
  std::string text = text_of(message);
  if (text == sent_answers_) return;
  sent_answers_ = std::move(text);
  send_to_teachers(sent_answers_);
}

// ---- time

void ServedRun::note_change() {
  has_changed_ = has_news_ = true;
  last_change_ = Clock::now();
}

void ServedRun::follow_run() {
  // Also without a call: a gesture ends with its client.
  if (const std::size_t events = engine_.run().experiment().log().size(); events != logged_) {
    logged_ = events;
    note_change();
  }
  const std::uint64_t opening = engine_.run().experiment().opening();
  if (opening == opening_) return;
  opening_ = opening;
  const std::shared_ptr<const RunStatus> status = engine_.run().status();
  const int chosen = status->scene->steps_per_frame;
  set_speed(chosen > 0 ? chosen : default_steps_per_frame);
  pace_.forget();
  is_complete_ = !status->completion.empty();
  const double aspect = status->domain_width / status->domain_height;
  const double height = std::clamp(std::sqrt(max_pixels / aspect), 1.0 * VideoEncoder::min_side, 1.0 * max_side);
  const auto side = [](double pixels) {
    return even_size(static_cast<int>(std::clamp(pixels, 1.0 * VideoEncoder::min_side, 1.0 * max_side)));
  };
  width_ = side(height * aspect);
  height_ = side(width_ / aspect);
  encoder_.reset();
  still_.reset();
  for (auto& [socket, client] : clients_) client.needs_start = client.needs_key = client.needs_still = true;
  has_changed_ = has_news_ = true;
  set_playing(true);
  send_to_all(json_of_playing());
}

void ServedRun::set_speed(int steps_per_frame) {
  steps_per_frame_ = steps_per_frame;
  pace_.set_requested(steps_per_frame);
}

void ServedRun::set_playing(bool playing) {
  if (playing && !playing_) pace_.forget();
  playing_ = playing;
}

void ServedRun::advance(double seconds) {
  pace_.elapse(seconds);
  const int due = pace_.take();
  if (due > 0) {
    const double budget = advance_share * std::chrono::duration<double>(frame_time).count();
    const SharedRun::Advanced done = take_steps(due, budget);
    pace_.observe_steps(static_cast<int>(done.steps), done.seconds, 0);
    if (done.steps > 0) note_change();
  }
  const std::shared_ptr<const RunStatus> status = engine_.run().status();
  // Once, so that the teacher can continue.
  const bool was_complete = std::exchange(is_complete_, !status->completion.empty());
  if (status->stop_reason.empty() && (!is_complete_ || was_complete)) return;
  set_playing(false);
  has_news_ = true;
  send_to_all(json_of_playing());
}

SharedRun::Advanced ServedRun::take_steps(std::int64_t steps, double seconds) {
  SharedRun::Advanced done;
  within_limit(
      Message("A step took more than {} seconds and was cancelled. The run is paused: undo the last change, or restart "
              "the scene.",
              longest_work.count()),
      [&] { done = engine_.advance(steps, 1000 * seconds); });
  return done;
}

bool ServedRun::within_limit(const Message& cancelled, const std::function<void()>& work) {
  try {
    const LimitedWork limited(limit_, engine_.run().experiment().backends());
    work();
    return true;
  } catch (const Stopped&) {
    engine_.warn(cancelled);
  }
  set_playing(false);
  has_news_ = true;
  send_to_all(json_of_playing());
  return false;
}

// ---- what everybody sees

void ServedRun::send_numbers() {
  last_numbers_ = Clock::now();
  has_news_ = false;
  if (clients_.empty()) return;
  const bool is_read = within_limit(
      Message("The numbers took more than {} seconds and were cancelled. The run is paused: undo the last change, "
              "or restart the scene.",
              longest_work.count()),
      [this] { engine_.read(); });
  if (!is_read) {
    // Not again before something has changed: only the warning is sent.
    has_news_ = false;
    engine_.show_warning();
  }
  std::map<std::pair<bool, bool>, std::shared_ptr<const std::string>> texts;  // by what is shown
  for (const auto& [socket, client] : clients_) {
    if (!client.said_hello) continue;
    auto& text = texts[{client.curves, client.scene_units}];
    if (!text)
      text = std::make_shared<const std::string>(
          "{\"push\":\"numbers\",\"status\":" + engine_.status(client.scene_units) +
          (is_read ? ",\"diagnostics\":" + engine_.diagnostics(client.curves, client.scene_units) : "") + "}");
    client.socket->send_text(text);
  }
  if (leader_ != 0) has_answers_ = true;  // some may have been judged now
}

void ServedRun::send_pictures() {
  const auto is_watched = [this](auto condition) {
    return std::any_of(clients_.begin(), clients_.end(), [&](const auto& entry) { return condition(entry.second); });
  };
  if (!is_watched([](const Client& client) { return client.way != Way::none; })) return;
  const auto now = Clock::now();
  const bool rests = !playing_ && !has_changed_ && now - last_change_ > still_after;
  if (rests && !is_watched([](const Client& client) { return client.way != Way::none && client.needs_still; })) return;
  // (A slow run sends its picture again: a decoder that waits for frames lags.)
  std::span<const std::uint32_t> rgba;
  can_paint_ =
      (has_changed_ || can_paint_) &&
      within_limit(Message("A picture took more than {} seconds and was cancelled. The run is paused: undo the last "
                           "change, or show another quantity.",
                           longest_work.count()),
                   [&] { rgba = engine_.paint(width_, height_); });
  const auto step = static_cast<double>(engine_.run().status()->steps);
  if (has_changed_) still_.reset();
  has_changed_ = false;
  if (!can_paint_) return;
  if (rests) {
    send_still(rgba, step);
    return;
  }
  for (auto& [socket, client] : clients_) client.needs_still = true;
  if (is_watched([](const Client& client) { return client.way == Way::video; })) send_video(rgba, step);
  if (is_watched([](const Client& client) { return client.way == Way::jpeg; }) && now - last_jpeg_ >= jpeg_interval)
    send_jpeg(rgba, step);
}

void ServedRun::send_video(std::span<const std::uint32_t> rgba, double step) {
  if (!encoder_) {
    encoder_ = std::make_unique<VideoEncoder>(width_, height_, frames_per_second);
    start_ = shared(message_of_start({width_, height_, frames_per_second, encoder_->avcc()}));
    frame_ = 0;
  }
  const auto now = Clock::now();
  const bool is_asked = std::any_of(clients_.begin(), clients_.end(), [](const auto& entry) {
    const Client& client = entry.second;
    return client.way == Way::video && client.needs_key && client.socket->queued_bytes() == 0;
  });
  const bool forces_key = is_asked && (frame_ == 0 || now - last_key_ >= key_interval);
  const VideoPacket packet = encoder_->encode(rgba, forces_key);
  if (packet.is_key) last_key_ = now;
  const auto message = shared(message_of_fragment({packet.sample, packet.is_key, frame_++}, step));
  for (auto& [socket, client] : clients_) {
    if (client.way != Way::video || (client.needs_key && !packet.is_key)) continue;
    if (client.needs_start && !client.socket->send_media(start_)) continue;
    client.needs_start = false;
    // A client that does not keep up skips to the next key frame.
    client.needs_key = !client.socket->send_media(message);
  }
}

void ServedRun::send_jpeg(std::span<const std::uint32_t> rgba, double step) {
  last_jpeg_ = Clock::now();
  const std::vector<std::byte> file = encode_jpeg(rgba, width_, height_);
  const auto message = shared(message_of_picture(MessageKind::jpeg, file, frame_, step));
  for (const auto& [socket, client] : clients_)
    if (client.way == Way::jpeg) client.socket->send_media(message);
}

// The exact picture of a run that rests.
void ServedRun::send_still(std::span<const std::uint32_t> rgba, double step) {
  if (!still_) {
    Picture picture;
    picture.width = width_;
    picture.height = height_;
    // (A Picture begins with its bottom row.)
    picture.pixels.resize(rgba.size());
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    for (std::size_t j = 0; j < height; ++j)
      std::copy_n(rgba.begin() + static_cast<std::ptrdiff_t>(j * width), width,
                  picture.pixels.begin() + static_cast<std::ptrdiff_t>((height - 1 - j) * width));
    const std::vector<unsigned char> file = encode_png(picture, PngEffort::film);
    still_ = shared(message_of_picture(MessageKind::png, std::as_bytes(std::span(file)), frame_, step));
  }
  for (auto& [socket, client] : clients_)
    if (client.way != Way::none && client.needs_still) client.needs_still = !client.socket->send_media(still_);
}

ServedRun::Json ServedRun::json_of_playing() const {
  return {{"push", "playing"}, {"playing", playing_}, {"steps_per_frame", steps_per_frame_}};
}

Permissions ServedRun::permissions_of(const Member& member) const {
  if (member.person.role != Role::pupil) return {};
  Permissions permissions = allowed_;
  permissions.is_locked = member.is_locked;
  return permissions;
}

}  // namespace perturb
