// A person at work with an experiment: events in, gestures, requests and steps done. Knows no OpenGL and no ImGui, so
// that tests can click and press keys without a window.
#pragma once

#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/session/hand.h"
#include "app/session/history.h"
#include "app/session/input_event.h"
#include "app/session/layout.h"
#include "app/session/pace.h"
#include "app/session/ui_state.h"

namespace perturb {

// Rates, as means over half a second so that they can be read. Zero where not yet known.
struct Rates {
  double frames_per_second = 0, steps_per_second = 0;
  double seconds_per_step = 0;
  bool is_bound = false;  // the step takes at most this long (steps are queued and nobody waits for them)
};

// What only the window can do.
struct Wishes {
  bool screenshot = false, toggle_fullscreen = false, quit = false;
  std::string clipboard;  // to be put there; empty: nothing
  bool any() const { return screenshot || toggle_fullscreen || quit || !clipboard.empty(); }
};

class Session {
 public:
  // `steps_per_frame` 0: as the scene has it, else the program.
  Session(Experiment& experiment, int steps_per_frame);

  Experiment& experiment() { return experiment_; }
  const Experiment& experiment() const { return experiment_; }
  UiState& state() { return state_; }
  const UiState& state() const { return state_; }
  Pace& pace() { return pace_; }
  const Hand& hand() const { return hand_; }
  const History& history() const { return history_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const Rates& rates() const { return rates_; }
  const std::string& value_under_pointer() const { return value_; }
  // In the domain's length units; meaningful while the pointer is over the domain.
  Camera::Point pointer() const { return pointer_; }
  bool pointer_in_domain() const { return pointer_in_domain_; }

  // Who has the keyboard: nobody but us, a text field, or the panel's keyboard navigation.
  enum class Keyboard { free, typing, navigating };
  // One frame's events, in order, and the requests that the panels made in the last one.
  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard);
  // Takes this frame's steps, if the run is playing.
  void advance();
  // Reads diagnostics for the plots, the automatic range and the watch over finite numbers. Only a picture that stands
  // alone waits for them.
  void observe(bool wait);
  // At the end of a frame: how long it took, and how much of that was work rather than waiting for the display.
  void end_frame(double frame_seconds, double busy_seconds);

  // The view with nothing left open: quantity, colormap and range as they are to be painted.
  ViewSettings resolved_view() const;
  const Quantity& shown_quantity() const;

  // Panels tell where they lie over the picture, for the next frame's clicks.
  void begin_covers() { covers_.clear(), covers_all_ = false; }
  void cover(const Rect& rect) { covers_.push_back(rect); }
  void cover_all() { covers_all_ = true; }

  Wishes take_wishes();
  // Parameters are then named by their labels.
  void tell(const std::string& note);
  // Parameter defaults: the preset's own, else the table's.
  double default_of(const Parameter& parameter) const;
  // "perturb-wave-rain-1200"
  std::string output_stem() const;

 private:
  void carry_out(const Request& request);
  void do_command(UiCommand command);
  void handle_key(const InputEvent& event, const Layout& layout, Keyboard keyboard);
  void perform(const Gesture& gesture);
  void choose_tool(std::size_t index);
  void show_quantity(const std::string& id);
  // The experiment has another simulation; `scene`: another scene too, with a view and tools of its own.
  void meet(bool scene);
  void read_value(bool pointer_moved);
  // The view is the experiment's: what the panels changed goes there, and what a script changed comes from there.
  void share_view();
  Hand::Scene hand_scene(const Layout& layout, const std::string& tool) const;

  Experiment& experiment_;
  UiState state_;
  int steps_per_frame_ = 0;  // what the command line asked for
  Pace pace_;
  Hand hand_;
  History history_;
  Diagnostics diagnostics_;
  Rates rates_;
  Wishes wishes_;
  std::map<std::string, double> defaults_;
  std::string changing_;  // the parameter whose slider is on its way since the last press
  ViewChange shown_;      // as the experiment knew it last
  std::vector<Rect> covers_;
  bool covers_all_ = false;

  double shown_minimum_ = 0, shown_maximum_ = 0;  // the automatic range as it follows the data
  bool has_range_ = false;

  std::string value_;
  Camera::Point pointer_{0, 0}, fraction_{0, 0};
  bool pointer_in_domain_ = false;
  double pointer_rest_ = 0, value_age_ = 1;

  // This frame's and this half second's sums.
  int steps_now_ = 0;
  double stepping_seconds_ = 0;
  double window_seconds_ = 0;
  std::int64_t window_steps_ = 0;
  int window_frames_ = 0;
  double observe_seconds_ = 0, since_observed_ = 1;
  // What was last looked at with waiting for it: while it is the same, there is nothing new to see.
  struct Observed {
    std::int64_t steps = -1;
    std::size_t deeds = 0;
    std::string quantity;
    bool automatic = false;
    bool operator==(const Observed&) const = default;
  };
  Observed observed_;
};

}  // namespace perturb
