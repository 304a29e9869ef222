#include "app/browser/browser_entry.h"

#include <sstream>

#include "app/i18n/language.h"
#include "app/io/files/unicode.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"

namespace perturb {

std::string first_sentence(const std::string& text) {
  for (std::size_t at = text.find_first_of(".!?"); at != std::string::npos; at = text.find_first_of(".!?", at + 1))
    if (at + 1 == text.size() || text[at + 1] == ' ') return text.substr(0, at + 1);
  return text;
}

BrowserEntries find_browser_entries(const std::string& user_presets) {
  using Kind = BrowserEntry::Kind;
  BrowserEntries listing;
  UserPresets own = find_user_presets(user_presets);
  listing.problems = std::move(own.problems);
  const std::vector<SceneEntry>& scenes = all_scenes();
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    const SceneEntry& scene = scenes[k];
    listing.entries.push_back(
        {Kind::scene, scene.simulation_title, scene.path(), scene.title, scene.hint, scene.path(), scene.keywords});
    if (k + 1 < scenes.size() && scenes[k + 1].simulation == scene.simulation) continue;
    for (const SceneEntry& user_entry : own.presets)
      if (user_entry.simulation == scene.simulation)
        listing.entries.push_back({Kind::user_preset, user_entry.simulation_title, user_entry.path(), user_entry.title,
                                   user_entry.hint, user_entry.path(), user_entry.keywords});
  }
  const auto title_of = [&](const std::string& simulation) {
    for (const SceneEntry& scene : scenes)
      if (scene.simulation == simulation) return scene.simulation_title;
    return simulation;
  };
  const auto keywords_of = [&](const std::string& path) {
    for (const SceneEntry& scene : scenes)
      if (scene.path() == path) return scene.keywords;
    return std::vector<std::string>{};
  };
  for (const PreparedRace& race : prepared_races()) {
    const Setup& setup = race.scene.setup;
    listing.entries.push_back({Kind::race, title_of(setup.simulation), path_of_race(race.id), race.scene.title,
                               race.scene.hint, scene_path_of(setup), race.scene.keywords});
  }
  for (const auto& lesson : all_lessons().lessons) {
    const Setup& setup = lesson->steps.front().scene.setup;
    const std::string scene = setup.simulation + "/" + setup.preset;
    listing.entries.push_back({Kind::lesson, title_of(lesson->simulation), lesson->path(), lesson->title,
                               lesson->summary, scene, keywords_of(scene)});
  }
  for (const Message& problem : all_lessons().problems) listing.problems.push_back(problem);
  return listing;
}

bool matches_search(const BrowserEntry& entry, const std::string& words) {
  if (words.find_first_not_of(' ') == std::string::npos) return true;
  const char* kind = "scene";
  if (entry.kind == BrowserEntry::Kind::lesson)
    kind = "lesson";
  else if (entry.kind == BrowserEntry::Kind::race)
    kind = "race";
  else if (entry.kind == BrowserEntry::Kind::user_preset)
    kind = "user preset";
  // Searches the displayed text and the English text.
  std::string all = entry.path;
  std::vector<std::string> texts = {entry.title, entry.subtitle, entry.simulation_title, kind};
  texts.insert(texts.end(), entry.keywords.begin(), entry.keywords.end());
  for (const std::string& text : texts) all += "\n" + text + "\n" + tr(text);
  all = folded_text(all);
  std::istringstream each(folded_text(words));
  for (std::string word; each >> word;)
    if (all.find(word) == std::string::npos) return false;
  return true;
}

}  // namespace perturb
