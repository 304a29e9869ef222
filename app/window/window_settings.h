// Window settings kept between sessions: restored at the start and saved when they change.
#pragma once

#include "app/io/files/settings_file.h"
#include "app/render/gl/window.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/window/app.h"

namespace perturb {

// Restores panels, text size and the list of recent scenes. The position of the window is already set.
void apply_settings(const Settings& settings, Session& session, Panels& panels);
// Opens what the command line asks for: the plots, a part of the tab "Kernels", which is then measured, and the
// microscope.
void show_at_start(const AppOptions& options, Session& session, Panels& panels);
Settings settings_of(const Session& session, const Panels& panels, const Window& window);

}  // namespace perturb
