// The displayed view of the run: quantity, range, colours and camera.
#pragma once

#include <string>
#include <vector>

#include "app/run/automatic_range.h"
#include "app/run/run_status.h"
#include "app/session/run_client.h"

namespace perturb {

// The last action is not visible in the displayed quantity: suggests another one.
struct QuantitySuggestion {
  std::string action_label, quantity;  // "Dye", and the quantity's id; empty: no suggestion
  double age = 0;                      // seconds
};

// Suggests a quantity that shows these actions if `shown`, the displayed one, does not; empty: no suggestion. Uses the
// simulation's table of actions.
QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown);

// Why theory cannot be switched on.
inline constexpr const char* no_theory_text = "This scene has no theory to draw.";
// Why the microscope cannot be switched on.
inline constexpr const char* no_inspection_text = "This simulation has no microscope.";
// Why the launch of the kernel cannot be shown.
inline constexpr const char* no_launch_text =
    "This simulation does not show its launch: its threads compute discs, fibers or rows of a matrix, not cells.";

// Controls the displayed view. It belongs to the run (it is in its log) and the panels change it; this class keeps the
// two in step.
class ViewController {
 public:
  explicit ViewController(RunClient& client) : client_(client) {}

  // As the user chose it; resolved() has what is left to the program.
  const ViewSettings& settings() const { return view_; }
  // Whether an automatic range of a signed quantity is symmetric about zero.
  bool centred() const { return centred_; }
  const Camera& camera() const { return camera_; }
  Camera& camera() { return camera_; }
  const QuantitySuggestion& suggestion() const { return suggestion_; }

  const Quantity& quantity() const;
  // The view with all automatic settings resolved: quantity, colormap and range for painting.
  ViewSettings resolved() const;
  // Sends changes of the panels to the run, and takes over changes made by scripts.
  void sync_with_run();
  // Updates the automatic range from these numbers.
  void follow(const Diagnostics& numbers);
  // Call after these actions: if they are not visible in the displayed quantity, suggests another one.
  void update_suggestion(const std::vector<Action>& actions);

  void change(const ViewSettings& view, bool centred) {
    view_ = view;
    centred_ = centred;
  }
  void set_view(const ViewSettings& view, const Camera& camera) {
    view_ = view;
    camera_ = camera;
  }
  void show_quantity(const std::string& id);
  void show_suggested();
  // The camera of the scene.
  void go_home();
  // Shows a description of the view as a message, with numbers in these units.
  void describe(const DisplayUnits& units);
  // The suggestion is shown for a limited time.
  void elapse(double seconds);
  void on_run_replaced(bool new_scene);

 private:
  RunClient& client_;
  ViewSettings view_;
  Camera camera_;
  bool centred_ = true;
  QuantitySuggestion suggestion_;
  ViewChange shown_;              // last known to the run, or pending in a job
  int pending_views_ = 0;         // view changes whose results are pending
  std::string checked_colormap_;  // the last one of which it is known whether its colours are here
  AutomaticRange range_;
};

}  // namespace perturb
