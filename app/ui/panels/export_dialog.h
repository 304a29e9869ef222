// What can be taken out of the window: one box with all of it; a film's progress; and what is offered after a crash.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_export_dialog(const Panel& panel);
// At the top of the picture while a film is taken, which it does not hide.
void draw_film_progress(const Panel& panel);
// Over the picture until it is answered; the run goes on meanwhile.
void draw_recovery_offer(const Panel& panel);

}  // namespace perturb
