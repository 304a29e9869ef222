// Edits the instruments: places, selects, moves and removes them by mouse, keys and panels. Their readings are in
// instrument_readings.h.
#pragma once

#include <functional>
#include <string>

#include "app/instruments/instruments.h"
#include "app/session/instrument_dragger.h"
#include "app/session/panel_areas.h"
#include "app/session/pointer_probe.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

class InstrumentController {
 public:
  // All arguments must outlive it.
  InstrumentController(RunClient& client, UiState& state, const ViewController& view, const PanelAreas& panel_areas,
                       Instruments& instruments)
      : client_(client), state_(state), view_(view), panel_areas_(panel_areas), instruments_(instruments) {}

  // Throws InputError.
  void add(Instrument instrument);
  // Returns whether the mouse event was handled by an instrument; the tool then ignores it. Throws InputError.
  bool take_mouse(const InputEvent& event, const Layout& layout);
  // Returns whether an instrument handled the key.
  bool take_key(const InputEvent& event, const Layout& layout, const PointerProbe& pointer);
  // Places the chosen instrument at the pointer, or in the middle of the visible area.
  void place(const Layout& layout, const PointerProbe& pointer);

  void handle(const PlaceInstrument& request);
  void handle(const RemoveInstrument& request);
  void handle(const ChangeInstrument& request);
  void on_run_replaced(bool new_scene);

 private:
  InstrumentDragger::Context context(const Layout& layout) const;
  // Runs the change; on failure shows the error and cancels placing.
  void attempt(const std::function<void()>& change);
  void take_next_kind();
  bool move_selected(const Instrument& selected, const InputEvent& key, const InstrumentDragger::Context& context);

  RunClient& client_;
  UiState& state_;
  const ViewController& view_;
  const PanelAreas& panel_areas_;
  Instruments& instruments_;
  InstrumentDragger dragger_;
  std::string simulation_;  // of the simulation that they measure
};

}  // namespace perturb
