// Dialogs: exports, the title of a user preset, help, the offer to recover after a crash, and the message about a
// stopped run.
#pragma once

#include <ctime>

#include "app/ui/panels/panel.h"

namespace perturb {

struct PresetPromptState {
  int opened = 0;  // of PresetPrompt, to which the rest belongs
  char title[128] = "";
  bool just_opened = false, replaces = false;  // just opened; a preset with this name exists
  bool title_is_new = false;                   // typed since the last error, which is then not shown
};

// A dialog in the middle of the window with a title and a close button; open during the lifetime of this object.
class Dialog {
 public:
  // A modal dialog dims the panels and blocks their clicks.
  enum class Modality { modeless, modal };
  Dialog(const Panel& panel, const char* id, float design_width, const char* title, bool closable = true,
         Modality modality = Modality::modeless);
  ~Dialog();
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
};

// Shown while the run is stopped by an error.
void draw_stop_message(const Panel& panel);

// The dialog with all exports.
void draw_export_dialog(const Panel& panel);
// The progress of a video, at the top of the view during recording; it is not part of the video.
void draw_film_progress(const Panel& panel);
// The offer to recover after a crash, over the view until it is answered; the run continues meanwhile.
void draw_recovery_offer(const Panel& panel);
// Whether the offer is to be drawn over the view or in the status line.
bool is_recovery_offered(const Panel& panel);
// "Continue Rain of yesterday?"
Message recovery_text(const RecoveryOffer& offer);
// "yesterday": when `then` was, seen from `now`, in local time: the time, the day of the last week, or the date.
Message day_text(std::time_t then, std::time_t now);

// Asks for the title of a user preset.
void draw_preset_prompt(const Panel& panel, PresetPromptState& preset);

// The help page with keys and mouse.
void draw_help(const Panel& panel);

}  // namespace perturb
