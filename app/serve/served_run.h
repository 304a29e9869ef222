// One run for many browsers: takes their calls in order, advances the run, and sends what everybody sees.
//
//   server's thread   opened(), received(), closed()      queue what has happened
//   run's thread      run()                               calls, steps, one picture and one encoding for all
//
// The messages are described in docs/web.md, "A served run".
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/serve/net/http_server.h"
#include "app/serve/people.h"
#include "app/serve/video/video_encoder.h"
#include "app/session/playback.h"
#include "app/web/engine/shared_engine.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

class ServedRun {
 public:
  using Json = nlohmann::ordered_json;
  using Clock = std::chrono::steady_clock;
  using Socket = std::shared_ptr<Connection>;
  static constexpr int frames_per_second = 30;
  static constexpr int max_pixels = 960 * 960, max_side = 1280;  // of the picture

  // Both must outlive it. A scene is open in `engine`. `link`: to join, with the code.
  ServedRun(SharedEngine& engine, People& people, std::string link);

  // From the server's thread. `person`: whose cookie the connection has.
  void opened(const Socket& socket, const Person& person);
  void received(const Socket& socket, std::string text);
  void closed(const Socket& socket);

  // On the thread that made the engine, until the stop is requested: then tells everybody.
  void run(const StopRequest& stop);

 private:
  struct Event {
    enum class Kind { opened, received, closed } kind;
    Socket socket;
    Person person;     // opened
    std::string text;  // received
  };
  enum class Way { none, video, jpeg };
  struct Client {
    Socket socket;
    int person = 0;
    bool said_hello = false;
    Way way = Way::none;
    bool curves = false, scene_units = true;
    bool needs_start = true, needs_key = true, needs_still = true;
  };
  struct Member {
    Person person;
    int client = 0;  // number in the engine
  };
  struct Call {
    const char* name;
    Role role;  // the least that may call it
    Json (ServedRun::*handler)(Client& client, const Json& args);
  };
  static const Call calls_[];

  // ---- events
  void handle_events(Clock::time_point until);
  void handle(Event& event);
  void answer(Client& client, const std::string& text);
  Json hello(Client& client, const Json& args);
  Json watch(Client& client, const Json& args);
  Json set_playback(Client& client, const Json& args);
  Json list_people(Client& client, const Json& args);
  Json allow(Client& client, const Json& args);
  Json remove_person(Client& client, const Json& args);
  Json show_names(Client& client, const Json& args);
  Json show_results(Client& client, const Json& args);
  Json class_results(Client& client, const Json& args);
  void take_watched(Client& client, const Json& args);
  void mark_poke(const Client& client, const Json& args);
  Member& member_of(const Client& client) { return members_.at(client.person); }

  // ---- the lesson of a class
  // A teacher has opened a lesson (`begins`), gone to another step, or closed it.
  void lead_lesson(const Client& teacher, bool begins);
  // `caller` gets its lesson as the answer of its call.
  void share_lesson(const Client& caller, bool begins);
  void send_answers();

  // ---- time
  void advance(double seconds);
  // In about so many seconds. A step for which somebody waits too long is cancelled, and the run pauses.
  SharedRun::Advanced take_steps(std::int64_t steps, double seconds);
  void follow_run();  // another scene may have been opened, or somebody has changed this one
  void note_change();
  void set_playing(bool playing);

  // ---- what everybody sees
  void send_numbers();
  void send_pictures();
  void send_video(std::span<const std::uint32_t> rgba, double step);
  void send_jpeg(std::span<const std::uint32_t> rgba, double step);
  void send_still(std::span<const std::uint32_t> rgba, double step);
  void send_people();
  void send_to_all(const Json& message);
  void send_to_teachers(const std::string& text);
  Json json_of_playing() const;
  Json json_of_allowed() const;
  Json json_of_people() const;
  static void send(const Client& client, const Json& message);

  SharedEngine& engine_;
  People& people_;
  const std::string link_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;

  std::map<Connection*, Client> clients_;
  std::map<int, Member> members_;  // by the person's id
  bool shows_names_ = false;
  Permissions allowed_;  // of all pupils

  int leader_ = 0;            // number in the engine of the client whose lesson all follow; 0: there is none
  bool has_answers_ = false;  // since the last push of answers
  std::string sent_answers_;  // that push
  Clock::time_point last_answers_{};

  std::string catalog_;  // the engine's answer: the same for all, and long
  std::uint64_t opening_ = 0;
  std::size_t logged_ = 0;    // events in the run's log
  bool is_complete_ = false;  // RunStatus::completion after the last steps
  Pace pace_{1};
  int steps_per_frame_ = 1;
  bool playing_ = true;
  bool has_changed_ = true;  // since the last picture
  bool has_news_ = true;     // since the last numbers
  Clock::time_point last_change_{}, last_numbers_{}, last_key_{}, last_jpeg_{};
  int width_ = 0, height_ = 0;  // of the picture
  std::unique_ptr<VideoEncoder> encoder_;
  std::shared_ptr<const std::vector<std::byte>> start_, still_;  // still_: null while the run plays
  std::uint32_t frame_ = 0;

  std::atomic<Clock::rep> steps_since_{0};  // time since the clock's epoch at which steps began; 0: none are taken
  StopRequest stop_steps_;
};

}  // namespace perturb
