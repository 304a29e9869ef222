// What is kept of the run in case the program is cut off, and what is offered after that.
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
  // The conversation has ended before this does: the run may be writing here as long as it goes on.
  AutosaveController(RunClient& client, UiState& state, const Instruments& instruments);
  ~AutosaveController();
  AutosaveController(const AutosaveController&) = delete;
  AutosaveController& operator=(const AutosaveController&) = delete;

  // The run is kept in this folder from now on, every so often and beside it, for as long as the program lives; what a
  // program that was cut off has left there is offered. Empty: nothing is kept.
  void enable(const std::string& folder);
  void end_frame(double seconds);
  // The user has answered the offer: the file to go on from; empty where it is not wanted.
  std::string take_offer(bool wanted);
  // Whether this file is the one that is offered: a run that goes on from it is in no file of the user's.
  bool offers(const std::string& path) const;
  // This file has been opened: what was kept of the run before is needed until this one's is written.
  void on_file_opened(const std::string& path);
  // The window closes: a run that the user has worked on and not saved is left for the next start. Returns a sentence
  // about what could not be kept; empty: all is well.
  std::string save_at_exit();
  void on_scene_replaced();

 private:
  void save();
  void offer_recovery();
  bool is_unsaved() const;

  RunClient& client_;
  UiState& state_;
  const Instruments& instruments_;
  std::unique_ptr<Autosave> autosave_;
  std::string shown_failure_;  // the last one
  // Of what was kept last.
  double age_ = 0;  // seconds
  std::int64_t step_ = -1;
  std::size_t events_ = 0;
  std::uint64_t recovered_ = 0;  // opening of a run that goes on from what was kept; 0: none
};

}  // namespace perturb
