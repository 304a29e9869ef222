// All that is drawn over and beside the picture.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/style.h"

namespace perturb {

// Facts of the display that the status line tells.
struct DisplayInfo {
  std::string path;   // how pixels reach the screen: "interop", "host-mapped", "staged"
  std::string notes;  // what fell back, and why
};

// Small pictures of scenes, as ImGui draws them.
class ThumbnailTextures {
 public:
  virtual ~ThumbnailTextures() = default;
  // Of this scene; 0: not there yet. Who asks gets it made.
  virtual std::uintptr_t texture_for(const std::string& scene) = 0;
};

// What a panel gets: what it shows and asks things of, how it looks, and where things are.
struct Panel {
  Session& session;
  const Style& style;
  const Layout& layout;
  const DisplayInfo& display;
  ThumbnailTextures* thumbnails = nullptr;  // null: there are none

  UiState& state() const { return session.state(); }
  const RunStatus& run() const { return session.run(); }
};

// Between Gui::begin_frame and end_frame.
void draw_panels(const Panel& panel);

}  // namespace perturb
