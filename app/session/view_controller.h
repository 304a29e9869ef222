// What of the run is shown, and from where: the quantity, its range and colours, the camera. The view belongs to the
// run (it stands in its log), the panels change it: this is where the two are kept the same.
#pragma once

#include <string>
#include <vector>

#include "app/run/automatic_range.h"
#include "app/session/run_client.h"

namespace perturb {

class ViewController {
 public:
  ViewController(RunClient& client, UiState& state) : client_(client), state_(state) {}

  const Quantity& quantity() const;
  // The view with nothing left open: quantity, colormap and range as they are to be painted.
  ViewSettings resolved() const;
  // What the panels changed goes to the run, and what a script changed comes from there.
  void sync_with_run();
  // The automatic range goes by these numbers.
  void follow(const Diagnostics& numbers);
  // These were done: where they do not show in the quantity on the screen, another one is offered.
  void update_suggestion(const std::vector<Action>& actions);

  void handle(const ShowQuantity& request) { show(request.id); }
  bool handle(UiCommand command);
  void on_run_replaced(bool new_scene);

 private:
  void show(const std::string& id);

  RunClient& client_;
  UiState& state_;
  ViewChange shown_;       // as the run knew it last, or will when it has answered
  int pending_views_ = 0;  // changes of the view that are not answered yet
  AutomaticRange range_;
};

}  // namespace perturb
