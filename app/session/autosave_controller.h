// Autosaves the run, and offers to resume it after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/instruments/instruments.h"
#include "app/session/run_client.h"

namespace perturb {

class Autosave;

class AutosaveController {
 public:
  // RunClient is disconnected before this is destroyed: until then the run thread may be writing here.
  AutosaveController(RunClient& client, UiState& state, const Instruments& instruments);
  ~AutosaveController();
  AutosaveController(const AutosaveController&) = delete;
  AutosaveController& operator=(const AutosaveController&) = delete;

  // Autosaves the run to this folder at intervals, in the background, while the program runs, and offers the session
  // that a crash left there. Empty: no autosave.
  void enable(const std::string& folder);
  void end_frame(double seconds);
  // Call with the user's answer to the offer. Returns the file to resume from; empty if the user declined.
  std::string take_offer(bool wanted);
  // Whether this file is the offered one: a run resumed from it is not in any file of the user.
  bool offers(const std::string& path) const;
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

  RunClient& client_;
  UiState& state_;
  const Instruments& instruments_;
  std::unique_ptr<Autosave> autosave_;
  Message shown_failure_;  // the last one shown
  // Of the last autosave.
  double age_ = 0;  // seconds
  std::int64_t step_ = -1;
  std::size_t events_ = 0;
  std::uint64_t recovered_ = 0;  // number of the opening that resumed an autosaved run; 0: none
};

}  // namespace perturb
