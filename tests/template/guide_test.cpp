// The guide's steps lead to what they name, and scripts/new_simulation, its first step, refuses what cannot be.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"
#include "template_places.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

const fs::path sources = PERTURB_SOURCE_DIR, copy = PERTURB_COPY_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

// The guide's numbered steps.
std::vector<std::string> steps() {
  const std::string guide = text_of(sources / "docs/adding-a-simulation.md");
  const std::string list = guide.substr(0, guide.find("\n\nIt is now"));
  std::vector<std::string> found;
  const std::regex begin("\\n\\d\\. ");
  for (std::sregex_iterator at(list.begin(), list.end(), begin), end; at != end;) {
    const auto from = static_cast<std::size_t>(at->position());
    ++at;
    found.push_back(list.substr(from, at == end ? std::string::npos : static_cast<std::size_t>(at->position()) - from));
  }
  return found;
}

std::string with_name(std::string text) {
  for (std::size_t at; (at = text.find("NAME")) != std::string::npos;) text.replace(at, 4, PERTURB_COPY_ID);
  return text;
}

TEST(Guide, StepsNameEveryFileOfCopy) {
  const std::vector<std::string> all = steps();
  ASSERT_GT(all.size(), 1U);
  EXPECT_NE(all[0].find("`scripts/new_simulation NAME"), std::string::npos);
  EXPECT_TRUE(fs::exists(sources / "scripts/new_simulation"));
  const std::regex words("`([A-Za-z0-9_/.]+)`");
  std::set<std::string> paths;
  for (const std::string& step : all)
    for (std::sregex_iterator at(step.begin(), step.end(), words), end; at != end; ++at) {
      const std::string word = (*at)[1];
      if (word.find('/') == std::string::npos) continue;
      paths.insert(word);
      if (word.find("NAME") != std::string::npos) {
        EXPECT_TRUE(fs::exists(copy / with_name(word))) << word;
      }
    }
  // The guide lists each file of the copy, because each has something to replace.
  for (const fs::path& file : files_in(copy)) {
    std::string path = fs::relative(file, copy).string();
    if (path.starts_with("assets/presets/heat/")) continue;  // the template's own, for this program
    for (std::size_t at; (at = path.find(PERTURB_COPY_ID)) != std::string::npos;)
      path.replace(at, std::string(PERTURB_COPY_ID).size(), "NAME");
    EXPECT_TRUE(paths.count(path)) << path;
  }
}

TEST(Guide, TheTemplateIsShort) {
  std::ptrdiff_t lines = 0;
  for (const fs::path& file : files_in(sources / "cuda/_template"))
    if (file.extension() == ".cpp" || file.extension() == ".h") {
      const std::string text = text_of(file);
      lines += std::count(text.begin(), text.end(), '\n');
    }
  EXPECT_GT(lines, 50);
  EXPECT_LT(lines, 210);
}

TEST(Guide, RegistersCopyInOneLine) {
  const std::string list = text_of(copy / "cuda/CMakeLists.txt"), before = text_of(sources / "cuda/CMakeLists.txt");
  const std::string line = "add_simulation(" PERTURB_COPY_ID ")\n";
  const std::size_t at = list.find(line);
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, list.find("perturb_write_catalog"));
  EXPECT_EQ(list.substr(0, at) + list.substr(at + line.size()), before);
}

TEST(Guide, LinksManualOfCopyInListOfScenes) {
  const std::string manual = text_of(copy / "docs/manual.md"), before = text_of(sources / "docs/manual.md");
  const std::string link = " ·\n[copied plate](manual/" PERTURB_COPY_ID ".md)";
  const std::size_t at = manual.find(link);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(manual.substr(0, at) + manual.substr(at + link.size()), before);
  const std::size_t paragraph = manual.rfind("\n\n", at);
  EXPECT_EQ(manual.substr(paragraph, 13), "\n\nThe scenes:");
  EXPECT_EQ(manual.substr(at + link.size(), 3), ".\n\n");
}

// Of the template's names none is left: the linker would take one of two inline functions for both.
TEST(Guide, TheCopySharesNoNameWithTheTemplate) {
  for (const fs::path& file : files_in(copy)) {
    const fs::path relative = fs::relative(file, copy);
    if (relative.parent_path() == "assets/presets/heat") continue;  // the template's own, for this program
    const std::string text = text_of(file);
    for (const char* word : {"heat", "Heat", "HEAT", "_template", "Template"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << file << ": " << word;
      EXPECT_EQ(relative.string().find(word), std::string::npos) << file;
    }
    // The id replaces symbols, not words of a text.
    const std::regex in_text(" " PERTURB_COPY_ID "([ ,:;]|\\.\\s)");
    EXPECT_FALSE(std::regex_search(text, in_text)) << file;
  }
}

TEST(Guide, BothAreInTheCatalogWithTheirPresets) {
  std::set<std::string> ids, titles;
  for (const SimulationInfo* info : catalog()) {
    ids.insert(info->id);
    titles.insert(info->title);
    ASSERT_FALSE(preset_ids(info->id).empty()) << info->id;
    const Scene scene = load_scene(info->id);
    EXPECT_EQ(scene.setup.simulation, info->id);
    EXPECT_FALSE(scene.setup.actions.empty());
    EXPECT_FALSE(scene.hint.empty());
  }
  EXPECT_EQ(ids, (std::set<std::string>{"heat", PERTURB_COPY_ID}));
  EXPECT_EQ(titles, (std::set<std::string>{"Heat plate", "Copied plate"}));
}

class NewSimulation : public ScratchFolder {
 protected:
  Outcome begin(const std::string& arguments) const {
    return shell("'" PERTURB_SOURCE_DIR "/scripts/new_simulation' " + arguments + " --into '" + path("there") + "'");
  }
  void expect_rejected(const std::string& arguments, const std::string& words) const {
    const Outcome outcome = begin(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.back(), '\n');
    EXPECT_EQ(outcome.err[outcome.err.size() - 2], '.') << outcome.err;
  }
};

TEST_F(NewSimulation, RejectsInvalidNamesAndCreatesNothing) {
  for (const char* name : {"Shallow", "2d", "a-b", "a__b", "_a", "a_", "''", "../a", "'a b'"})
    expect_rejected(name, "cannot name a simulation");
  for (const char* name : {"wave", "core", "session", "contract"}) expect_rejected(name, "is there already");
  // It is a namespace and a class too.
  for (const char* name : {"double", "std", "detail", "catalog", "field", "app"}) expect_rejected(name, "has that");
  expect_rejected("heat", "the template itself");
  expect_rejected("fine --title 'with \"quotes\"'", "this title");
  EXPECT_FALSE(fs::exists(path("there")));
}

TEST_F(NewSimulation, TakesANameOnce) {
  const Outcome first = begin("shallow_water --title 'heat and Heat'");
  EXPECT_EQ(first.code, 0) << first.err;
  // A title's words are no symbols.
  EXPECT_NE(read("there/cuda/shallow_water/info.cpp").find("\"heat and Heat\""), std::string::npos);
  expect_rejected("shallow_water", "is there already");
  const Outcome second = begin("deep_water");
  EXPECT_EQ(second.code, 0) << second.err;
  const std::string list = read("there/cuda/CMakeLists.txt");
  EXPECT_NE(list.find("add_simulation(shallow_water)\nadd_simulation(deep_water)\n"), std::string::npos) << list;
}

TEST_F(NewSimulation, RejectsFolderOutsideRepository) {
  fs::create_directories(path("scripts"));
  fs::copy_file(sources / "scripts/new_simulation", path("scripts/new_simulation"));
  const Outcome outcome = shell("scripts/new_simulation fine");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("is not Perturb's repository"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace perturb
