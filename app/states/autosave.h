// What is kept of a session in case it is cut off: its last state and the script of its deeds, in a folder of its own
// under the program's. A lock says whether the program that wrote them still lives.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cuda/core/state.h"

namespace perturb {

// A session that was cut off.
struct CutOffSession {
  std::string folder;         // its own
  std::string state, script;  // the files; the script may be missing
  std::string words;          // "wave/rain at step 1200", for a sentence
};

class Autosave {
 public:
  // A state larger than this is not kept: to write it every minute would be felt. Bytes.
  static constexpr std::size_t largest_state = std::size_t{256} << 20;

  // Takes a folder of its own below `folder`, and looks for one whose program was cut off; older ones than the newest
  // of them are removed. Throws Error where nothing can be kept there.
  explicit Autosave(const std::string& folder);
  // What was written is no longer needed: the session ends as it should.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  const std::optional<CutOffSession>& cut_off() const { return cut_off_; }
  // Offered once: gone from now on.
  void forget_cut_off();

  // Hands over what is to be kept; written behind the run on a thread of its own, each file in one piece. While the
  // last is still being written, nothing is taken: false.
  bool keep(State state, std::string script, std::string words);
  // The sentence about a failure of writing; told once.
  std::string take_failure();
  // Waits until what was handed over is written.
  void finish();

 private:
  void work();

  std::string own_;  // folder
  int lock_ = -1;
  std::optional<CutOffSession> cut_off_;
  struct Job {
    State state;
    std::string script, words;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;
  bool busy_ = false, closing_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace perturb
