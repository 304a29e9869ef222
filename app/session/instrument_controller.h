// The instruments under the user's hands: placed, selected, moved and removed, by mouse, keys and panels. What they
// read is another matter (instrument_readings.h).
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
  // All outlive it.
  InstrumentController(RunClient& client, UiState& state, const ViewController& view, const PanelAreas& panel_areas,
                       Instruments& instruments)
      : client_(client), state_(state), view_(view), panel_areas_(panel_areas), instruments_(instruments) {}

  // Throws InputError.
  void add(Instrument instrument);
  // Whether an event of the mouse was an instrument's: the tool then does not hear it. Throws InputError.
  bool take_mouse(const InputEvent& event, const Layout& layout);
  // Whether a key was one's.
  bool take_key(const InputEvent& event, const Layout& layout, const PointerProbe& pointer);
  // What is to be placed comes into the picture, at the pointer, or in the middle of what is seen.
  void place(const Layout& layout, const PointerProbe& pointer);

  void handle(const PlaceInstrument& request);
  void handle(const RemoveInstrument& request);
  void handle(const ChangeInstrument& request);
  void on_run_replaced(bool new_scene);

 private:
  InstrumentDragger::Context context(const Layout& layout) const;
  // What cannot be done is told, and nothing is to be placed any longer.
  void attempt(const std::function<void()>& change);
  void take_next_kind();
  bool move_selected(const Instrument& selected, const InputEvent& key, const InstrumentDragger::Context& context);

  RunClient& client_;
  UiState& state_;
  const ViewController& view_;
  const PanelAreas& panel_areas_;
  Instruments& instruments_;
  InstrumentDragger dragger_;
  std::string simulation_;  // that they measure
};

}  // namespace perturb
