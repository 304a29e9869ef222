// The displayed view of the run: quantity, range, colours and camera.
#pragma once

#include <string>
#include <vector>

#include "app/run/automatic_range.h"
#include "app/run/run_status.h"
#include "app/session/run_client.h"
#include "app/session/ui_state.h"

namespace perturb {

// Suggests a quantity that shows these actions if `shown`, the displayed one, does not; empty: no suggestion. Uses the
// simulation's table of actions.
QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown);

// Controls the displayed view. It belongs to the run (it is in its log) and the panels change it; this class keeps the
// two in step.
class ViewController {
 public:
  ViewController(RunClient& client, UiState& state) : client_(client), state_(state) {}

  const Quantity& quantity() const;
  // The view with all automatic settings resolved: quantity, colormap and range for painting.
  ViewSettings resolved() const;
  // Sends changes of the panels to the run, and takes over changes made by scripts.
  void sync_with_run();
  // Updates the automatic range from these numbers.
  void follow(const Diagnostics& numbers);
  // Call after these actions: if they are not visible in the displayed quantity, suggests another one.
  void update_suggestion(const std::vector<Action>& actions);

  void handle(const ShowQuantity& request) { show(request.id); }
  bool handle(UiCommand command);
  void on_run_replaced(bool new_scene);

 private:
  void show(const std::string& id);

  RunClient& client_;
  UiState& state_;
  ViewChange shown_;       // last known to the run, or pending in a job
  int pending_views_ = 0;  // view changes whose results are pending
  AutomaticRange range_;
};

}  // namespace perturb
