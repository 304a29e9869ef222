// What of the window is kept from run to run, taken up at its start and noted at its end.
#pragma once

#include "app/io/files/settings_file.h"
#include "app/render/gl/window.h"
#include "app/session/session.h"

namespace perturb {

// Puts panels, text and the list of recent scenes as they were left. The window has its place already.
void apply_settings(const Settings& settings, Session& session);
Settings settings_of(const Session& session, const Window& window);

}  // namespace perturb
