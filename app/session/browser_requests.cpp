// What the scene browser asks for.
#include "app/scenes/own_presets.h"
#include "app/session/session.h"

namespace perturb {

namespace {
constexpr std::size_t most_recent = 12;  // that are kept
}  // namespace

void Session::open_browser() {
  if (state_.overlay == Overlay::browser) {
    state_.overlay = Overlay::none;
    return;
  }
  Browsing& browsing = state_.browsing;
  browsing.shelf = find_browser_entries(own_presets_folder());
  browsing.search[0] = '\0';
  browsing.chosen = 0;
  browsing.begins = true;
  state_.overlay = Overlay::browser;
}

void Session::note_recent(const std::string& key) {
  std::vector<std::string>& recent = state_.browsing.recent;
  std::erase(recent, key);
  recent.insert(recent.begin(), key);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

}  // namespace perturb
