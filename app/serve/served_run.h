// One run for many browsers: takes their calls in order, advances the run, and sends what everybody sees.
//
//   server's thread   opened(), received(), closed()      queue what has happened
//   run's thread      run(), or visit() again and again   calls, steps, one picture and one encoding for all
//
// The messages are described in docs/web.md, "A served run".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/serve/people.h"
#include "app/serve/run_server.h"
#include "app/serve/time_limit.h"
#include "app/serve/video/video_encoder.h"
#include "app/session/playback.h"
#include "app/web/engine/shared_engine.h"
#include "cuda/core/backend/message.h"

namespace perturb {

class ServedRun : public RunServer {
 public:
  static constexpr int frames_per_second = 30;
  static constexpr int max_pixels = 960 * 960, max_side = 1280;  // of the picture

  // Both must outlive it. A scene is open in `engine`. `link`: to join, with the code.
  ServedRun(SharedEngine& engine, People& people, std::string link);

  // On the thread that made the engine.
  void run(const StopRequest& stop) override;
  // The same for the run of another front end, which advances it: does what is due, between two jobs of that front end
  // and on their thread. Call it about as often as frames are sent.
  void visit(bool playing, int steps_per_frame);
  // Tells everybody that the run has ended.
  void end();
  // Instead of what the scene says. It applies until another one is opened.
  void set_speed(int steps_per_frame);

 private:
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
    int client = 0;          // number in the engine
    bool is_locked = false;  // a pupil who may not change the run
  };
  struct Call {
    const char* name;
    Role role;  // the least that may call it
    Json (ServedRun::*handler)(Client& client, const Json& args);
  };
  static const Call calls_[];

  // ---- events
  void handle(Event& event) override;
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
  Member& member_with(int id);  // throws InputError

  // ---- the lesson of a class
  // A teacher has opened a lesson (`begins`), gone to another step, or closed it.
  void lead_lesson(const Client& teacher, bool begins);
  // `caller` gets its lesson as the answer of its call.
  void share_lesson(const Client& caller, bool begins);
  void send_answers();

  // ---- time
  void advance(double seconds);
  // What all see, if it is time: numbers, answers and a picture.
  void send_due();
  SharedRun::Advanced take_steps(std::int64_t steps, double seconds);
  // Work for which somebody waits too long is cancelled, and the run pauses with this message. False: that has happened.
  bool within_limit(const Message& cancelled, const std::function<void()>& work);
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
  void send_allowed(const Member& member);
  void send_to_all(const Json& message);
  void send_to_teachers(const std::string& text);
  Json json_of_playing() const;
  Permissions permissions_of(const Member& member) const;
  Json people_json() const;
  static void send(const Client& client, const Json& message);

  SharedEngine& engine_;
  People& people_;
  const std::string link_;

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
  bool has_changed_ = true;         // since the last picture
  bool can_paint_ = true;           // false: painting this state took too long
  bool has_news_ = true;            // since the last numbers
  Clock::time_point next_frame_{};  // of visit()
  std::int64_t seen_steps_ = 0;     // the same
  ViewChange seen_view_{};          // the same
  Clock::time_point last_change_{}, last_numbers_{}, last_key_{}, last_jpeg_{};
  int width_ = 0, height_ = 0;  // of the picture
  std::unique_ptr<VideoEncoder> encoder_;
  std::shared_ptr<const std::vector<std::byte>> start_, still_;  // still_: null while the run plays
  std::uint32_t frame_ = 0;

  TimeLimit limit_;
};

}  // namespace perturb
