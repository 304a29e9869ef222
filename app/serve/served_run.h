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
#include <memory>
#include <string>
#include <vector>

#include "app/serve/people.h"
#include "app/serve/people_run.h"
#include "app/serve/time_limit.h"
#include "app/serve/video/video_encoder.h"
#include "app/session/playback.h"
#include "app/web/engine/shared_engine.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct ServedClient {
  enum class Way { none, video, jpeg };
  Way way = Way::none;
  bool curves = false, scene_units = true;
  bool needs_start = true, needs_key = true, needs_still = true;
};

struct ServedMember {
  int client = 0;  // number in the engine
};

class ServedRun : public PeopleRun<ServedClient, ServedMember> {
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
  using Way = ServedClient::Way;
  struct Call {
    const char* name;
    Role role;  // the least that may call it
    Json (ServedRun::*handler)(Client& client, const Json& args);
  };
  static const Call calls_[];

  // ---- events
  std::string answer_to(Client& client, const std::string& name, const Json& args, const std::string& text) override;
  void came(Member& member) override;
  void went(Connection* connection, Member* member) override;
  void removed(Member& member) override { engine_.remove_client(member.client); }
  void permissions_have_changed(Member& member) override {
    engine_.set_permissions(member.client, permissions_of(member));
  }
  Json hello(Client& client, const Json& args);
  Json watch(Client& client, const Json& args);
  Json set_playback(Client& client, const Json& args);
  Json show_results(Client& client, const Json& args);
  Json class_results(Client& client, const Json& args);
  void take_watched(Client& client, const Json& args);
  void mark_poke(const Client& client, const Json& args);

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
  // Work for which somebody waits too long is cancelled, and the run pauses with this message. False: it has happened.
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
  Json json_of_playing() const;
  Permissions permissions_of(const Member& member) const;

  SharedEngine& engine_;

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
