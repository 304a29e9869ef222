// What is kept of a session in case it is cut off, or closed with a run that was never saved: its last state and the
// script of its deeds, in a folder of its own under the program's. A lock says whether the program that wrote them
// still lives.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/io/state/script_file.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// A session that left a run behind.
struct InterruptedSession {
  std::string folder;         // its own
  std::string state, script;  // the files; the script may be missing
  std::string description;    // "wave/rain at step 1200", for a sentence
  bool was_closed = false;    // the user closed the window; else the program was cut off
};

class Autosave {
 public:
  // A state larger than this is not kept: to write it every minute would be felt. Bytes.
  static constexpr std::size_t max_state_bytes = std::size_t{256} << 20;
  // At the end it is written once, and may take longer.
  static constexpr std::size_t max_last_state_bytes = std::size_t{1} << 30;
  // As many sessions are kept until they are asked for; older ones are removed. Of those whose window the user closed,
  // the newest alone.
  static constexpr std::size_t most_sessions = 8;

  // Takes a folder of its own below `folder`, and looks for sessions that left a run behind. Throws Error where nothing
  // can be kept there.
  explicit Autosave(const std::string& folder);
  // What was written is no longer needed, unless save_for_next_start() was called.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  // The newest session that no other program offers; while it is offered here, none does.
  const std::optional<InterruptedSession>& interrupted() const { return interrupted_; }
  // It is not wanted: it is removed, and the next newest takes its place.
  void discard_interrupted();
  // Its run goes on here: it is removed as soon as keep() has written this one's. Others stay for the next start.
  void take_over_interrupted();

  // Hands over what is to be kept; written behind the run on a thread of its own, each file in one piece. While the
  // last is still being written, nothing is taken: false.
  bool keep(State state, ScriptFiles script, std::string description);
  // Keeps this at the end of the session, and tells the next start. Waits until it is written. Throws Error.
  void save_for_next_start(const State& state, const ScriptFiles& script, const std::string& description);
  // The sentence about a failure of writing; told once.
  std::string take_failure();
  // Waits until what was handed over is written.
  void finish();

 private:
  void work();
  void find_sessions(const std::string& folder);
  void offer_next();
  void write(const State& state, const ScriptFiles& script, const std::string& description);

  std::string own_folder_;  // folder
  int lock_ = -1;
  bool keep_folder_ = false;                // the folder does, when this ends
  std::deque<InterruptedSession> waiting_;  // the newest first
  std::optional<InterruptedSession> interrupted_;
  int interrupted_lock_ = -1;
  struct Job {
    State state;
    ScriptFiles script;
    std::string description;
  };
  std::map<std::string, SideFile> written_;  // of the thread that writes: what is in the folder, by name
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;
  bool busy_ = false, closing_ = false;
  std::string taken_over_;  // folder of the session whose run goes on here, until this one is written
  int taken_over_lock_ = -1;
  std::string failure_;
  std::thread thread_;
};

}  // namespace perturb
