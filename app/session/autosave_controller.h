// Autosaves the run, and offers to resume it after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>

#include "app/instruments/instruments.h"
#include "app/session/run_client.h"

namespace perturb {

class Autosave;

// An interrupted run that can be resumed.
struct RecoveryOffer {
  Message description;      // of the run; empty: there is none
  std::string state;        // the file
  bool was_closed = false;  // closed with the window; otherwise the program crashed
  bool put_off = false;     // only the scene browser lists it from now on
  std::time_t saved = 0;    // when
};

class AutosaveController {
 public:
  // RunClient is disconnected before this is destroyed: until then the run thread may be writing here.
  AutosaveController(RunClient& client, const Instruments& instruments);
  ~AutosaveController();
  AutosaveController(const AutosaveController&) = delete;
  AutosaveController& operator=(const AutosaveController&) = delete;

  // Autosaves the run to this folder at intervals, in the background, while the program runs, and offers the session
  // that a crash left there. Empty: no autosave. `in_browser`: only the scene browser lists a run of a closed window.
  void enable(const std::string& folder, bool in_browser = false);
  void end_frame(double seconds);
  const RecoveryOffer& offer() const { return offer_; }
  // The user has saved the run in a file.
  void mark_saved() { saved_ = now(); }
  // Takes the offer out of the view. Returns false if it was not there.
  bool put_off_offer();
  // Call with the user's answer to the offer. Returns the file to resume from; empty if the user declined.
  std::string take_offer(bool wanted);
  // Whether this file is the offered one: a run resumed from it is not in any file of the user.
  bool offers(const std::string& path) const;
  // The script of the offered run; empty: it has none.
  std::string offered_script() const;
  // Call after this file was opened: the previous autosave is kept until this run's first one is written.
  void on_file_opened(const std::string& path);
  // Call when the window closes: keeps a changed and unsaved run for the next start. Returns a message about what could
  // not be saved; empty if nothing failed.
  Message save_at_exit();
  void on_scene_replaced();

 private:
  void save();
  void offer_recovery();
  bool is_unsaved() const;
  // The run and its time, as in RunStatus.
  struct SaveStamp {
    std::uint64_t opening = 0;
    std::int64_t steps = 0;
    std::uint64_t last_change = 0;
    bool operator==(const SaveStamp&) const = default;
  };
  SaveStamp now() const { return {client_.run().opening, client_.run().steps, client_.run().last_change}; }

  RunClient& client_;
  const Instruments& instruments_;
  std::unique_ptr<Autosave> autosave_;
  RecoveryOffer offer_;
  SaveStamp saved_;        // the last save
  Message shown_failure_;  // the last one shown
  // Of the last autosave.
  double age_ = 0;  // seconds
  std::int64_t step_ = -1;
  std::size_t events_ = 0;
  std::uint64_t recovered_ = 0;  // number of the opening that resumed an autosaved run; 0: none
};

}  // namespace perturb
