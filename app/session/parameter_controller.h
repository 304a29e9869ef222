// The parameters as the user sets them: which changes are one deed, why one was refused, and what they began with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/session/run_client.h"
#include "app/session/run_switcher.h"

namespace perturb {

class ParameterController {
 public:
  // `is_open`: whether a parameter is left to the user now.
  ParameterController(RunClient& client, UiState& state, RunSwitcher& switcher,
                      std::function<bool(const std::string& id)> is_open)
      : client_(client), state_(state), switcher_(switcher), is_open_(std::move(is_open)) {}

  // The preset's own default, else the table's.
  double default_of(const Parameter& parameter) const;
  // Together one deed; `merge_with_last`: it belongs to the last one. A change that needs a restart takes the others'
  // new values with it.
  void set(std::vector<ParameterChange> changes, bool merge_with_last);
  // The next change of a parameter is another deed, even if it is of the same.
  void end_undo_step() { dragged_parameter_.clear(); }

  void handle(const ParameterChange& change);
  void handle(const ResetParameters& request);
  void on_run_replaced(bool new_scene);

 private:
  RunClient& client_;
  UiState& state_;
  RunSwitcher& switcher_;
  std::function<bool(const std::string& id)> is_open_;
  std::map<std::string, double> defaults_;  // that the preset has of its own
  std::string dragged_parameter_;           // the parameter whose slider is on its way since the last press
};

}  // namespace perturb
