// The instruments under the user's hands: placed, selected, moved and removed, by mouse, keys and panels. What they
// read is another matter (instrument_readings.h).
#pragma once

#include <functional>
#include <string>

#include "app/instruments/instruments.h"
#include "app/session/conversation.h"
#include "app/session/covers.h"
#include "app/session/instrument_hand.h"
#include "app/session/pointer_reading.h"
#include "app/session/shown_view.h"

namespace perturb {

class InstrumentDesk {
 public:
  // All outlive it.
  InstrumentDesk(Conversation& conversation, UiState& state, const ShownView& view, const Covers& covers,
                 Instruments& instruments)
      : conversation_(conversation), state_(state), view_(view), covers_(covers), instruments_(instruments) {}

  // Throws InputError.
  void add(Instrument instrument);
  // Whether an event of the mouse was an instrument's: the tool then does not hear it. Throws InputError.
  bool take_mouse(const InputEvent& event, const Layout& layout);
  // Whether a key was one's.
  bool take_key(const InputEvent& event, const Layout& layout, const PointerReading& pointer);
  // What is to be placed comes into the picture, at the pointer, or in the middle of what is seen.
  void place(const Layout& layout, const PointerReading& pointer);

  void hear(const PlaceInstrument& wanted);
  void hear(const RemoveInstrument& wanted);
  void hear(const ChangeInstrument& wanted);
  void meet(bool scene);

 private:
  InstrumentHand::Scene scene(const Layout& layout) const;
  // What cannot be done is told, and nothing is to be placed any longer.
  void attempt(const std::function<void()>& deed);
  void take_next_kind();
  bool move_selected(const Instrument& selected, const InputEvent& key, const InstrumentHand::Scene& scene);

  Conversation& conversation_;
  UiState& state_;
  const ShownView& view_;
  const Covers& covers_;
  Instruments& instruments_;
  InstrumentHand hand_;
  std::string simulation_;  // that they measure
};

}  // namespace perturb
