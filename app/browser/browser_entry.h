// Entries of the scene browser: all scenes, user presets, prepared races and lessons, each with a title and a subtitle.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

struct BrowserEntry {
  enum class Kind { scene, user_preset, race, lesson };
  Kind kind = Kind::scene;
  std::string simulation_title;
  std::string path;  // in the form that OpenScene and OpenLesson take
  std::string title;
  std::string subtitle;                 // the hint, or the lesson's summary: its first sentence is shown
  std::string thumbnail;                // scene that provides the thumbnail
  std::vector<std::string> keywords{};  // of the scene; a search also finds the scene's lessons by them
  // Unique among all entries, for the list of recent ones: a lesson and a scene may have the same name.
  std::string key() const { return kind == Kind::lesson ? lesson_key(path) : path; }
  static std::string lesson_key(const std::string& lesson) { return "lesson " + lesson; }
};

struct BrowserEntries {
  std::vector<BrowserEntry>
      entries;                    // scenes and user presets in menu order, grouped by simulation; then races, lessons
  std::vector<Message> problems;  // error messages for user files that cannot be read
};
// Lists the user presets in `user_presets` again at each call; "" means that there are none.
BrowserEntries find_browser_entries(const std::string& user_presets);

// Whether each word occurs in the entry's title, subtitle, keywords, simulation or path, ignoring case. Without words,
// every entry matches.
bool matches_search(const BrowserEntry& entry, const std::string& words);
// Order of what a search finds, lowest first: entries with all words as whole words of their title, then of their first
// keyword, which is what they are about, then of a later one; in the same order those that contain them within words;
// then the others.
std::size_t search_rank(const BrowserEntry& entry, const std::string& words);

// The text up to the end of its first sentence. For a translated text: first_sentence(tr(entry.subtitle)).
std::string first_sentence(const std::string& text);

}  // namespace perturb
