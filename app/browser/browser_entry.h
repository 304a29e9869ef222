// What the scene browser offers: every scene, presets of one's own, and lessons, each with a title and a line.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct BrowserEntry {
  enum class Kind { scene, user_preset, lesson };
  Kind kind = Kind::scene;
  std::string simulation_title;
  std::string path;  // as OpenScene and OpenLesson take it
  std::string title;
  std::string subtitle;                 // the first sentence of its hint, or a lesson's summary
  std::string thumbnail;                // the scene whose picture stands for it
  std::vector<std::string> keywords{};  // of the scene, by which a search finds a lesson on it too
  // Of all entries its own, for the list of recent ones: a lesson and a scene may be called the same.
  std::string key() const { return kind == Kind::lesson ? lesson_key(path) : path; }
  static std::string lesson_key(const std::string& lesson) { return "lesson " + lesson; }
};

struct BrowserEntries {
  std::vector<BrowserEntry> entries;  // scenes and own presets as menus have them, each simulation's together; lessons
  std::vector<std::string> problems;  // of own files that cannot be read: sentences
};
// Own presets are looked for anew each time, in `user_presets`; "": nowhere.
BrowserEntries find_browser_entries(const std::string& user_presets);

// Whether each of the words occurs in its title, line, keywords, simulation or path, large and small letters alike.
// No words leave everything.
bool matches_search(const BrowserEntry& entry, const std::string& words);

// Up to the end of the first sentence.
std::string first_sentence(const std::string& text);

}  // namespace perturb
