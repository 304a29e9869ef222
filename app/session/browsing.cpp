#include "app/session/browsing.h"

#include "app/io/preset/user_presets.h"

namespace perturb {

namespace {
constexpr std::size_t most_recent = 12;  // entries kept
}  // namespace

void toggle_browser(UiState& state) {
  if (state.overlay == Overlay::browser) {
    state.overlay = Overlay::none;
    return;
  }
  Browsing& browsing = state.browsing;
  browsing.listing = find_browser_entries(user_presets_folder());
  browsing.search[0] = '\0';
  browsing.chosen = 0;
  browsing.just_opened = true;
  state.overlay = Overlay::browser;
}

void add_recent(Browsing& browsing, const std::string& key) {
  std::vector<std::string>& recent = browsing.recent;
  std::erase(recent, key);
  recent.insert(recent.begin(), key);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

}  // namespace perturb
