// What is kept of the run in case the program is cut off, and what is offered after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/instruments/instruments.h"
#include "app/session/conversation.h"

namespace perturb {

class Autosave;

class Safekeeping {
 public:
  // The conversation has ended before this does: the run may be writing here as long as it goes on.
  Safekeeping(Conversation& conversation, UiState& state, const Instruments& instruments);
  ~Safekeeping();
  Safekeeping(const Safekeeping&) = delete;
  Safekeeping& operator=(const Safekeeping&) = delete;

  // The run is kept in this folder from now on, every so often and beside it, for as long as the program lives; what a
  // program that was cut off has left there is offered. Empty: nothing is kept.
  void keep_in(const std::string& folder);
  void end_frame(double seconds);
  // The user has answered the offer: the file to go on from; empty where it is not wanted.
  std::string take_offer(bool wanted);
  // This file has been opened: what was kept of the run before is no longer needed.
  void file_is_open(const std::string& path);
  void meet_scene();

 private:
  void keep();

  Conversation& conversation_;
  UiState& state_;
  const Instruments& instruments_;
  std::unique_ptr<Autosave> autosave_;
  std::string told_failure_;  // the last one
  // Of what was kept last.
  double age_ = 0;  // seconds
  std::int64_t step_ = -1;
  std::size_t events_ = 0;
};

}  // namespace perturb
