// Arguments of every panel: the session to read, the commands to give, its style and its area.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/ui/widgets/style.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

struct PanelStates;

// Display properties for the status line.
struct DisplayInfo {
  std::string path;  // how pixels reach the screen: "interop", "host-mapped", "staged"
  Message notes;     // which fallback is used, and why
};

// Thumbnails of scenes, as textures for ImGui.
class ThumbnailTextures {
 public:
  virtual ~ThumbnailTextures() = default;
  // Texture of this scene; 0: not ready yet. The call requests the thumbnail.
  virtual std::uintptr_t texture_for(const std::string& scene) = 0;
};

struct Panel {
  const Session& session;
  const Style& style;
  const Layout& layout;
  const DisplayInfo& display;
  const PanelStates& states;  // the panel that owns a state gets it as an argument that it can write
  ValueRows& rows;
  PanelAreas& areas;               // covered by panels: each adds its own
  std::vector<Command>& commands;  // executed before the next frame
  ThumbnailTextures* thumbnails;   // null: no thumbnails

  const InterfaceState& interface() const { return session.interface(); }
  const RunStatus& run() const { return session.run(); }
  void ask(Command command) const { commands.push_back(std::move(command)); }
  // The row in the displayed units; its numbers and the result are in the simulation's.
  std::optional<double> value_row(const ValueInfo& info, const ValueRow& row) const;
  // A value's unit as displayed; `id`: of the value.
  DisplayUnit shown_unit(const std::string& unit, const std::string& id = {}) const {
    return display_unit(session.display_units(), unit, id);
  }
};

// A command's text with its key: "Previous scene  (PgUp)".
inline Message with_key(const Message& text, CommandId command) { return {"{}  ({})", text, shown_chord(command)}; }

}  // namespace perturb
