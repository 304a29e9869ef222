// The dialog with all exports, the progress of a video, and the offer to recover after a crash.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_export_dialog(const Panel& panel);
// At the top of the view during video recording; it is not part of the video.
void draw_film_progress(const Panel& panel);
// Over the view until it is answered; the run continues meanwhile.
void draw_recovery_offer(const Panel& panel);

}  // namespace perturb
