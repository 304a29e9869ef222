// Editing of instruments: by mouse in the view, by keys and by panels.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/session/input_events.h"
#include "app/session/layout.h"
#include "app/session/measurements.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

// Instrument that the next press in the view places, and the instrument that keys move.
struct InstrumentSelection {
  std::optional<InstrumentKind> placing;
  int instrument = 0, place = 0;  // id (0: none), and the index of its point
};

// Mouse control of instruments in the view: places them, selects them, drags their handles.
class InstrumentDragger {
 public:
  struct Context {
    PointerFrame frame;
    DomainSize domain;
    Camera camera;
    bool has_depth = false;
    std::string quantity;  // read by a new probe or cut
    double reach = 10;     // radius in which a press grabs a handle; screen coordinates
    std::function<bool(double x, double y)> is_over_panel;
    Camera::Point position_at(double x, double y) const {
      return pointer_to_domain(x, y, frame, camera, domain.width, domain.height, has_depth);
    }
    Camera::Point screen_of(const Camera::Point& place) const {
      return domain_to_screen(place, frame, camera, domain.width, domain.height, has_depth);
    }
  };

  // Returns whether an instrument handled the event; the tool then ignores it.
  bool handle(const InputEvent& event, const Context& context, Instruments& instruments,
              InstrumentSelection& selection);
  // Places the pending instrument around this position, with a fifth of the visible size.
  static void place_around(const Camera::Point& middle, const Context& context, Instruments& instruments,
                           InstrumentSelection& selection);
  void cancel() { dragging_ = false; }
  bool is_dragging() const { return dragging_; }

 private:
  bool press(const InputEvent& event, const Context& context, Instruments& instruments, InstrumentSelection& selection);

  bool dragging_ = false, is_new_ = false;
  double press_x_ = 0, press_y_ = 0;
};

// Edits the instruments: places, selects, moves and removes them by mouse, keys and panels. Their readings are in
// instrument_readings.h.
class InstrumentController {
 public:
  // All arguments must outlive it.
  InstrumentController(RunClient& client, const ViewController& view, const PanelAreas& panel_areas,
                       Instruments& instruments)
      : client_(client), view_(view), panel_areas_(panel_areas), instruments_(instruments) {}

  const InstrumentSelection& selection() const { return selection_; }
  const std::optional<InstrumentKind>& placing() const { return selection_.placing; }

  // Throws InputError.
  void add(Instrument instrument);
  // Replaces all instruments by those of an opened file. Does nothing if it has none.
  void replace(std::vector<Instrument> instruments);
  // Returns whether the mouse event was handled by an instrument; the tool then ignores it. Throws InputError.
  bool take_mouse(const InputEvent& event, const Layout& layout);
  // Returns whether an instrument handled the key.
  bool take_key(const InputEvent& event, const Layout& layout, const PointerProbe& pointer);
  // Places the chosen instrument at the pointer, or in the middle of the visible area.
  void place(const Layout& layout, const PointerProbe& pointer);

  // The next press in the view places one; a stopwatch starts at once. The kind that is already chosen: stops placing.
  void choose(InstrumentKind kind);
  // 0: none.
  void select(int id) {
    selection_.instrument = id;
    selection_.place = 0;
  }
  // 0: all.
  void remove(int id);
  void change(const Instrument& changed);
  // Both return whether there was anything to stop or deselect.
  bool stop_placing();
  bool deselect();
  void on_run_replaced(bool new_scene);

 private:
  InstrumentDragger::Context context(const Layout& layout) const;
  // Runs the change; on failure shows the error and cancels placing.
  void attempt(const std::function<void()>& change);
  void take_next_kind();
  bool move_selected(const Instrument& selected, const InputEvent& key, const InstrumentDragger::Context& context);

  RunClient& client_;
  const ViewController& view_;
  const PanelAreas& panel_areas_;
  Instruments& instruments_;
  InstrumentSelection selection_;
  InstrumentDragger dragger_;
  std::string scene_;  // path of the scene that they measure
};

}  // namespace perturb
