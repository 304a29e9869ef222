// Requests that only the window can serve: made by a session, taken by the owner of the window.
#pragma once

#include <string>

namespace perturb {

struct WindowRequests {
  bool screenshot = false, toggle_fullscreen = false, quit = false;
  std::string clipboard;  // text for the clipboard; empty: none
  // Other images: of the window with its panels, for the clipboard, of the curves; and a lab report with all of them.
  bool whole_window = false, image_to_clipboard = false, curves_image = false, report = false;
  bool begin_film = false, end_film = false;
  bool any_image() const { return screenshot || image_to_clipboard || report; }
  bool any() const {
    return any_image() || toggle_fullscreen || quit || !clipboard.empty() || whole_window || curves_image ||
           begin_film || end_film;
  }
};

}  // namespace perturb
