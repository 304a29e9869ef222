// What the scene browser asks for. Plain functions on what the interface remembers of it.
#pragma once

#include <string>

#include "app/session/ui_state.h"

namespace perturb {

// Opens it, or closes it where it is open.
void toggle_browser(UiState& state);
// This entry is open now; `key` as BrowserEntry::key().
void add_recent(Browsing& browsing, const std::string& key);

}  // namespace perturb
