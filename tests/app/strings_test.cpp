// Texts in the sources, scenes and lessons have translations, and missing ones are found (scripts/strings).
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/app/files_scratch.h"
#include "tests_places.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

const fs::path repository = PERTURB_SOURCE_DIR;

class Strings : public ScratchFolder {
 protected:
  Outcome ask(const std::string& words, const std::string& root) const {
    return shell("python3 '" + (repository / "scripts/strings").string() + "' " + words + " --root '" + root + "'");
  }
  // A repository of one panel, one scene and one language.
  void SetUp() override {
    ScratchFolder::SetUp();
    for (const char* folder : {"app/ui", "assets/presets/wave", "assets/languages/xx"})
      fs::create_directories(path(folder));
    write(
        "app/ui/panel.cpp",
        "wrapped(\"All is well.\");\ntooltip(style, known ? \"Step \" + std::to_string(n) + \" of it\" : \"None\");\n");
    write("assets/presets/wave/rain.toml", "title = \"Rain\"\nhint = \"Wait.\"\n");
    write("assets/languages/xx/all.po", entry("All is well.", "A") + entry("Step {} of it", "{0} S") +
                                            entry("None", "N") + entry("Rain", "R") + entry("Wait.", "W"));
  }
  static std::string entry(const std::string& english, const std::string& translated) {
    return "msgid \"" + english + "\"\nmsgstr \"" + translated + "\"\n\n";
  }
  void expect_violation(const std::string& sentence) const {
    const Outcome outcome = ask("--check", path(""));
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.out.find(sentence), std::string::npos) << outcome.out << outcome.err;
  }
};

TEST_F(Strings, AllOfThisRepositoryAreTranslated) {
  const Outcome outcome = ask("--check", repository.string());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Strings, FindsReturnedAndConcatenatedTexts) {
  write("app/ui/panel.cpp",
        "return \"The door \" + name + \" is locked.\";\n*note = \"It stayed open,\" + why +\n  \" and is cold.\";\n"
        "return \"no-sentence\";\nconst char* one = \"wave/rain\";\n");
  expect_violation("xx lacks \"The door {} is locked.\"");
  expect_violation("xx lacks \"It stayed open,{} and is cold.\"");
  const std::string all = ask("--check", path("")).out;
  EXPECT_EQ(all.find("no-sentence"), std::string::npos) << all;
  EXPECT_EQ(all.find("wave/rain"), std::string::npos) << all;
}

TEST_F(Strings, FindsUntranslatedTextsAndListsThem) {
  EXPECT_EQ(ask("--check", path("")).out, "");
  write("app/ui/panel.cpp",
        "heading(style, \"A new one\");\nthrow InputError(\"No \" + name + \": name another.\");\n");
  expect_violation("app/ui/panel.cpp: xx lacks \"A new one\"");
  expect_violation("xx lacks \"No {}: name another.\"");
  const std::string offered = ask("--missing xx", path("")).out;
  EXPECT_NE(offered.find("msgid \"A new one\"\nmsgstr \"\"\n"), std::string::npos) << offered;
  EXPECT_EQ(offered.find("Rain"), std::string::npos) << offered;
}

TEST_F(Strings, AScenesWordsAreAmongThem) {
  write("assets/presets/wave/rain.toml", "title = \"Rain\"\nhint = \"Wait for it.\"\n");
  expect_violation("assets/presets/wave/rain.toml: xx lacks \"Wait for it.\"");
}

TEST_F(Strings, EntriesTwiceEmptyOrWithOtherPlacesAreFound) {
  write("assets/languages/xx/more.po", entry("Rain", "R2") + entry("Empty", "") + entry("{} and {}", "{} u"));
  expect_violation("\"Rain\" is in");
  expect_violation("\"Empty\" is not translated");
  expect_violation("the placeholders {} of \"{} and {}\" are not those of its translation");
}

}  // namespace
}  // namespace perturb
