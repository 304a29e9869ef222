// Saves a session in case it crashes, or is closed with an unsaved run: its last state and the script that reproduces
// it, in its own folder below the program's folder. A lock on the folder shows whether the program that writes there is
// still running.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/io/state/script_file.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// A session that left an unsaved run.
struct InterruptedSession {
  std::string folder;         // of the session
  std::string state, script;  // file paths; the script may be missing
  Message description;        // "wave/rain at step 1200", for messages
  bool was_closed = false;    // the user closed the window; otherwise the program crashed
  std::time_t saved = 0;      // when
};

// Why runs cannot be kept in this folder, and what to do, from errno.
Message cannot_autosave(const std::string& folder, int code);

class Autosave {
 public:
  // Maximum size of a state, in bytes: writing a larger one every minute would disturb the user.
  static constexpr std::size_t max_state_bytes = std::size_t{256} << 20;
  // The limit for the state at the end of the session, which is written once and may take longer.
  static constexpr std::size_t max_last_state_bytes = std::size_t{1} << 30;
  // Number of sessions kept; older ones are removed. Of the sessions whose window the user closed, only the newest is
  // kept.
  static constexpr std::size_t max_sessions = 8;

  // Creates a folder for this session below `folder`, and searches there for sessions with an unsaved run. Throws Error
  // if nothing can be saved there.
  explicit Autosave(const std::string& folder);
  // Removes the saved files, unless save_for_next_start() was called.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  // The newest session that no other program offers. While it is offered here, no other program offers it.
  const std::optional<InterruptedSession>& interrupted() const { return interrupted_; }
  // Removes the offered session and offers the next newest one.
  void discard_interrupted();
  // Call when the offered session is resumed: it is removed as soon as keep() has saved this one. Others remain for the
  // next start.
  void take_over_interrupted();

  // Saves a state and its script in the background, replacing each file in one step. Returns false and does nothing
  // while the previous save is still in progress.
  bool keep(State state, ScriptFiles script, Message description);
  // Saves the run at the end of the session, to be offered at the next start. Waits until it is written. Throws Error.
  void save_for_next_start(const State& state, const ScriptFiles& script, const Message& description);
  // Returns the message about a failed save, once.
  Message take_failure();
  // Waits until the current save is done.
  void finish();

 private:
  void work();
  void find_sessions(const std::string& folder);
  void offer_next();
  void write(const State& state, const ScriptFiles& script, const Message& description);

  std::string own_folder_;  // of this session
  int lock_ = -1;
  bool keep_folder_ = false;                // the destructor keeps the folder
  std::deque<InterruptedSession> waiting_;  // newest first
  std::optional<InterruptedSession> interrupted_;
  int interrupted_lock_ = -1;
  struct Job {
    State state;
    ScriptFiles script;
    Message description;
  };
  std::map<std::string, SideFile> written_;  // used by the writing thread: contents of the folder, by name
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;
  bool busy_ = false, closing_ = false;
  std::string taken_over_;  // folder of the resumed session, until this one is saved
  int taken_over_lock_ = -1;
  Message failure_;
  std::thread thread_;
};

}  // namespace perturb
