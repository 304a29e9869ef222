// One run that every browser computes for itself: only what people do travels. The server puts it into one order, sets
// the clock, and compares checksums. It has no engine.
//
// All engines execute the same list of entries in the same order, so that their states are equal to the bit:
//
//   steps     take so many steps
//   do        a call of a person (WebEngine's call "for_person")
//   checksum  report a checksum of the state
//   state     forget the people's open gestures; one engine, the reference, sends its state, with which others begin
//
// The reference is a teacher's page. The messages are described in docs/web.md, "A run in lockstep".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/people.h"
#include "app/serve/people_run.h"
#include "app/session/playback.h"

namespace perturb {

struct LockstepClient {
  bool follows = false;         // gets the entries
  bool wants_pictures = false;  // computes no longer
  std::int64_t done = 0;        // number of the last entry that it has executed
};

struct LockstepMember {
  bool has_gesture = false;
  bool is_cut = false;  // its gesture was ended by the server: until the next press it counts no more
};

class LockstepRun : public PeopleRun<LockstepClient, LockstepMember> {
 public:
  // `people` must outlive it. `link`: to join, with the code. `scene`: what the first teacher's page opens.
  LockstepRun(People& people, std::string link, std::string scene);

  // The reference's last state, for those who have joined.
  std::optional<HttpAnswer> http(const HttpRequest& request) override;
  void run(const StopRequest& stop) override;

  // A person's device that has not executed what is so old is too slow: the others do not wait for it. The clock waits
  // for the reference.
  static constexpr double max_lead = 1;  // seconds that the clock is ahead of the reference
  // With so many entries since the last state, those who join wait for a new one; with so many, it is asked for anyway.
  static constexpr std::size_t few_entries = 100, many_entries = 2000;
  static constexpr std::size_t max_state_bytes = 256 << 20;  // as text

 private:
  struct Entry {
    std::shared_ptr<const std::string> text;
    std::int64_t steps = 0;  // of all entries up to this one
  };
  struct Call {
    const char* name;
    Role role;  // the least that may call it
    Json (LockstepRun::*handler)(Client& client, const Json& args);
  };
  static const Call calls_[];

  std::string answer_to(Client& client, const std::string& name, const Json& args, const std::string& text) override;
  void answered(Client& client) override;
  void went(Connection* connection, Member* member) override;
  void removed(Member& member) override { end_gesture(member); }
  Json hello(Client& client, const Json& args);
  Json watch(Client& client, const Json& args);
  Json order(Client& client, const Json& args);
  Json done(Client& client, const Json& args);
  Json state_part(Client& client, const Json& args);
  Json want_pictures(Client& client, const Json& args);
  Json relay_picture(Client& client, const Json& args);
  Json set_playback(Client& client, const Json& args);

  // ---- entries
  std::int64_t next_number() const { return base_ + static_cast<std::int64_t>(entries_.size()) + 1; }
  // Numbers the entry, keeps it, and sends it to all who follow.
  void append(Json entry, std::int64_t steps = 0);
  void advance(double seconds);
  void ask_for_checksum();
  // Asks the reference for its state as soon as nobody is in the middle of a gesture.
  void ask_for_state();
  void end_gesture(Member& member);
  // Sends what this client needs to begin, and from then on all entries.
  void begin(Client& client);
  // A state or the reference has come or gone.
  void let_in();
  void choose_reference();
  void show_pictures();
  std::int64_t steps_at(std::int64_t number) const;

  Json json_of_playing() const;

  const std::string scene_;
  Json pending_;  // the entry of the call that is being answered

  Connection* reference_ = nullptr;
  std::int64_t base_ = 0;         // number of the entry after which the entries begin
  std::int64_t base_steps_ = 0;   // steps up to there
  std::deque<Entry> entries_;     // since the base
  std::int64_t asked_state_ = 0;  // number of the entry; 0: none is on its way
  bool wants_state_ = false;
  Clock::time_point wanted_since_{};
  std::vector<std::string> parts_;            // of the state that is on its way
  std::mutex state_mutex_;                    // http() is called on the server's thread
  std::shared_ptr<const std::string> state_;  // as JSON; null: the entries begin with the first one

  struct Sums {
    std::string reference;  // empty: not known yet
    std::map<Connection*, std::string> others;
  };
  std::map<std::int64_t, Sums> sums_;  // by the number of the entry
  bool has_changed_ = false;           // since the last checksum
  Clock::time_point last_sum_{};

  Pace pace_{1};
  int steps_per_frame_ = 1;
  bool playing_ = true;
  bool waits_ = true;  // for a reference
};

}  // namespace perturb
