// Texts of lessons and scenes name only what the front end has that shows them: its keys, tools, tabs and gestures.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/i18n/translation.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "cuda/core/simulation/catalog.h"
#include "tests_places.h"

namespace perturb {
namespace {

TEST(TextForFrontEnd, IsItsPartOfEachMark) {
  const std::string two = "[[Click||Tap]] the water, [[left||=]].", three = "A[[ window|| page||=]] [[only||||=]]";
  EXPECT_EQ(text_for(FrontEnd::window, two), "Click the water, left.");
  EXPECT_EQ(text_for(FrontEnd::page, two), "Click the water, left.");
  EXPECT_EQ(text_for(FrontEnd::fingers, two), "Tap the water, left.");
  EXPECT_EQ(text_for(FrontEnd::window, three), "A window only");
  EXPECT_EQ(text_for(FrontEnd::page, three), "A page ");
  EXPECT_EQ(text_for(FrontEnd::fingers, three), "A page ");
  for (const char* plain : {"", "x[1] = [2, 3]", "[[open", "highest |u|"})
    EXPECT_EQ(text_for(FrontEnd::fingers, plain), plain);
}

struct Text {
  std::string where, text;
  const SimulationInfo* info;
};

// The English texts that one front end shows, with their marks.
std::vector<Text> texts_shown_by(FrontEnd front_end) {
  const bool fingers = front_end == FrontEnd::fingers, window = front_end == FrontEnd::window;
  std::vector<Text> texts;
  for (const SceneEntry& entry : all_scenes()) {
    const Scene scene = load_scene(entry.path());
    const SimulationInfo& info = find_simulation(entry.simulation);
    const auto add = [&](const std::string& text) { texts.push_back({entry.path(), text, &info}); };
    add(fingers && !scene.touch_hint.empty() ? scene.touch_hint : scene.hint);
    for (const std::string& one : scene.tries) add(one);
  }
  for (const PreparedRace& race : prepared_races())
    if (window) texts.push_back({"race", race.scene.hint, &find_simulation(race.scene.setup.simulation)});
  for (const auto& lesson : all_lessons().lessons) {
    if (!window && lesson->needs_window()) continue;
    const SimulationInfo& info = find_simulation(lesson->simulation);
    const auto add = [&](const std::string& text) { texts.push_back({lesson->path(), text, &info}); };
    add(lesson->summary);
    add(lesson->learned);
    for (const LessonStep& step : lesson->steps) {
      add(step.text);
      if (!step.question) continue;
      for (const std::string& one : {step.question->text, step.question->hint, step.question->reveal}) add(one);
      for (const LessonChoice& one : step.question->choices) {
        add(one.text);
        add(one.explanation);
      }
      for (const LessonMistake& one : step.question->mistakes) add(one.text);
    }
  }
  return texts;
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    for (std::size_t k = 1; k < at->size(); ++k)
      if ((*at)[k].matched) all.insert((*at)[k].str());
  return all;
}

std::set<std::string> keys_named_in(const std::string& text) {
  return matches(text, R"(\b(?:[Pp]ress|then|restart with|step with) ([A-Z.])(?=[ ,.)]))"
                       R"(|keys ([A-Z]) and ([A-Z])\b|[Pp]ress [A-Z], ([A-Z]) or ([A-Z])\b)"
                       R"(|\b(F\d+)\b|(Ctrl\+(?:Shift\+)?[A-Z]))");
}

std::set<std::string> keys_of(const SimulationInfo& info, bool page) {
  std::set<std::string> keys;
  const auto add = [&](std::string key) {
    if (key.size() == 1) key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
    keys.insert(key);
  };
  for (const CommandInfo& command : command_table())
    for (const std::string& key : split_chords(page ? command.page_keys : command.keys)) add(key);
  for (const Tool& tool : info.tools)
    if (!tool.key.empty()) add(tool.key);
  return keys;
}

// Fails for a text that names a key, a tool or a tab that is not there.
void expect_named_things_exist(FrontEnd front_end) {
  int keys = 0, tools = 0, tabs = 0;
  for (const Text& one : texts_shown_by(front_end)) {
    const std::string text = text_for(front_end, one.text);
    const std::set<std::string> known = keys_of(*one.info, front_end != FrontEnd::window);
    for (const std::string& key : keys_named_in(text)) {
      EXPECT_TRUE(known.contains(key)) << one.where << " names the key " << key << ": " << text;
      ++keys;
    }
    for (std::string rest = text; rest.find("tool ") != std::string::npos; ++tools) {
      rest = rest.substr(rest.find("tool ") + 5);
      if (rest.starts_with('"')) rest.erase(0, 1);
      EXPECT_TRUE(std::any_of(one.info->tools.begin(), one.info->tools.end(),
                              [&](const Tool& tool) { return rest.starts_with(tool.label); }))
          << one.where << " names a tool that is not there: " << text;
    }
    for (const std::string& tab : matches(text, R"(\btab \"?(\w+))")) {
      EXPECT_TRUE((std::set<std::string>{"Physics", "View", "Plots", "Kernels", "Lesson"}.contains(tab)))
          << one.where << " names the tab " << tab;
      ++tabs;
    }
  }
  if (front_end != FrontEnd::fingers) {
    EXPECT_GT(keys, 5) << "the pattern finds no keys";
  }
  EXPECT_GT(tools, 20);
  EXPECT_GT(tabs, 5);
}

TEST(TextsOfTheWindow, NameKeysToolsAndTabsThatItHas) { expect_named_things_exist(FrontEnd::window); }
TEST(TextsOfThePage, NameKeysToolsAndTabsThatItHas) { expect_named_things_exist(FrontEnd::page); }

// In the words of both languages: fingers have no mouse and no keys.
TEST(TextsForFingers, NameNoKeysAndNoMouse) {
  expect_named_things_exist(FrontEnd::fingers);
  const std::regex english(R"((right|middle|left) (button|drag|click)|\b[Cc]lick|\bwheel\b|\bkeys?\b|\bmouse\b|Ctrl)"),
      german(R"(Maus|\bTasten?\b|Strg|Klick|klick|\bRad\b|\(Punkt\)|\bEntf\b)");
  const auto is_instruction = [](const std::string& text) {
    return text.find("the program handles the mouse") == std::string::npos;  // which is what a program does
  };
  const std::vector<Text> texts = texts_shown_by(FrontEnd::fingers);
  for (const Text& one : texts) {
    const std::string text = text_for(FrontEnd::fingers, one.text);
    if (!is_instruction(text)) continue;
    EXPECT_TRUE(keys_named_in(text).empty()) << one.where << ": " << text;
    EXPECT_FALSE(std::regex_search(text, english)) << one.where << ": " << text;
  }
  use_language("de");
  use_front_end(FrontEnd::fingers);
  for (const Text& one : texts) {
    if (!is_instruction(one.text)) continue;
    for (const std::string& part : paragraphs_of(one.text)) {
      const std::string translated = tr(part);
      EXPECT_FALSE(std::regex_search(translated, german)) << one.where << ": " << translated;
    }
  }
  use_front_end(FrontEnd::window);
  use_language("en");
}

// A translation with other marks would show all variants, or the wrong one.
TEST(Translations, MarkAsManyVariantsAsTheirTexts) {
  const auto shape = [](const std::string& text) {
    std::string marks;
    for (std::size_t at = 0; at + 1 < text.size(); ++at)
      for (const char* mark : {"[[", "||", "]]"})
        if (text.compare(at, 2, mark) == 0) {
          marks += mark;
          ++at;
        }
    return marks;
  };
  int marked = 0;
  for (const PoEntry& entry : texts_of("de")) {
    EXPECT_EQ(shape(entry.english), shape(entry.translated)) << entry.english;
    marked += entry.english.find("[[") != std::string::npos;
  }
  EXPECT_GT(marked, 20);
}

// The manual's list of what only the desktop program has.
TEST(ManualOfThePage, ListsTheCommandsThatOnlyTheWindowHas) {
  std::ifstream file(std::string(PERTURB_SOURCE_DIR) + "/docs/manual/web.md");
  const std::string manual((std::istreambuf_iterator<char>(file)), {});
  const std::size_t from = manual.find("## Only in the desktop program"), to = manual.find("\n## ", from + 1);
  ASSERT_NE(from, std::string::npos);
  const std::string section = manual.substr(from, to - from);
  for (const CommandInfo& command : command_table()) {
    const std::string row = "| " + shown_chords(command).english() + " | " + command.label + " |";
    EXPECT_EQ(section.find(row) != std::string::npos, std::string(command.page_keys).empty()) << row;
  }
  for (const auto& lesson : all_lessons().lessons)
    EXPECT_EQ(section.find("`" + lesson->path() + "`") != std::string::npos, lesson->needs_window()) << lesson->path();
}

}  // namespace
}  // namespace perturb
