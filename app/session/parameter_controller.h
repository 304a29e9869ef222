// Applies the user's parameter changes: groups them into undo steps, keeps the errors of rejected values, and knows the
// defaults.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/session/run_client.h"

namespace perturb {

class ParameterController {
 public:
  // `is_open`: whether the user may change a parameter now.
  ParameterController(RunClient& client, RunSwitcher& switcher, std::function<bool(const std::string& id)> is_open)
      : client_(client), switcher_(switcher), is_open_(std::move(is_open)) {}

  // Why the new value of a parameter was rejected, until its next change; empty: it was accepted.
  const Message& error_of(const std::string& id) const;
  // The default of the preset, else of the parameter table.
  double default_of(const Parameter& parameter) const;
  // Applies the changes as one undo step; `merge_with_last`: as part of the last one. A change that needs a restart
  // includes the new values of the others.
  void set(std::vector<ParameterChange> changes, bool merge_with_last);
  // The next parameter change starts a new undo step, even for the same parameter.
  void end_undo_step() { dragged_parameter_.clear(); }

  void change(const ParameterChange& change);
  // Clicks of the wheel arrive one by one; all those for one parameter in a row form one undo step.
  void change_by_wheel(const ParameterChange& change);
  // All parameters that the user may change, to their defaults.
  void reset();
  void on_run_replaced(bool new_scene);

 private:
  RunClient& client_;
  RunSwitcher& switcher_;
  std::function<bool(const std::string& id)> is_open_;
  std::map<std::string, Message> errors_;   // by id
  std::map<std::string, double> defaults_;  // set by the preset
  std::string dragged_parameter_;           // the parameter whose slider is being dragged
};

}  // namespace perturb
