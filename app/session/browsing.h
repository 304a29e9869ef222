// Requests of the scene browser: plain functions on the state of the interface.
#pragma once

#include <string>

#include "app/session/ui_state.h"

namespace perturb {

// Opens the browser, or closes it if it is open.
void toggle_browser(UiState& state);
// Records that this entry was opened; `key` as in BrowserEntry::key().
void add_recent(Browsing& browsing, const std::string& key);

}  // namespace perturb
