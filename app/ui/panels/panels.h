// All panels and overlays of the window.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/style.h"

namespace perturb {

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

// Arguments of every panel: the session to show and to send requests to, the style, and the layout.
struct Panel {
  Session& session;
  const Style& style;
  const Layout& layout;
  const DisplayInfo& display;
  ThumbnailTextures* thumbnails = nullptr;  // null: no thumbnails

  UiState& state() const { return session.state(); }
  const RunStatus& run() const { return session.run(); }
};

// A command's text with its key: "Previous scene  (PgUp)".
inline Message with_key(const Message& text, UiCommand command) { return {"{}  ({})", text, shown_chord(command)}; }

// Call between Gui::begin_frame and end_frame.
void draw_panels(const Panel& panel);

}  // namespace perturb
