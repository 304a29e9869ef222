#include "app/browser/browser_entry.h"

#include <cctype>
#include <limits>
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

namespace {

const char* kind_name(BrowserEntry::Kind kind) {
  switch (kind) {
    case BrowserEntry::Kind::lesson:
      return "lesson";
    case BrowserEntry::Kind::race:
      return "race";
    case BrowserEntry::Kind::user_preset:
      return "user preset";
    case BrowserEntry::Kind::scene:
      break;
  }
  return "scene";
}

// Whether the text contains the word; `whole`: not as a part of a longer one. Bytes beyond ASCII belong to letters.
bool contains(const std::string& text, const std::string& word, bool whole) {
  const auto is_letter = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    return c >= 0x80 || std::isalnum(c);
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!whole ||
        ((at == 0 || !is_letter(at - 1)) && (at + word.size() == text.size() || !is_letter(at + word.size()))))
      return true;
  return false;
}

// Whether the texts, as displayed or in English, contain all words.
bool have_words(const std::vector<std::string>& texts, const std::string& words, bool whole) {
  std::string all;
  for (const std::string& text : texts) all += "\n" + text + "\n" + tr(text);
  all = folded_text(all);
  std::istringstream each(folded_text(words));
  for (std::string word; each >> word;)
    if (!contains(all, word, whole)) return false;
  return true;
}

}  // namespace

bool matches_search(const BrowserEntry& entry, const std::string& words) {
  std::vector<std::string> texts = {entry.path, entry.title, entry.subtitle, entry.simulation_title,
                                    kind_name(entry.kind)};
  texts.insert(texts.end(), entry.keywords.begin(), entry.keywords.end());
  return have_words(texts, words, false);
}

std::size_t search_rank(const BrowserEntry& entry, const std::string& words) {
  std::vector<std::string> subjects = {entry.title};
  subjects.insert(subjects.end(), entry.keywords.begin(), entry.keywords.end());
  constexpr std::size_t within_words = 1000;
  for (const bool whole : {true, false})
    for (std::size_t k = 0; k < subjects.size(); ++k)
      if (have_words({subjects[k], kind_name(entry.kind)}, words, whole)) return k + (whole ? 0 : within_words);
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace perturb
