// Translated texts: the .po files, how a text finds its translation, the choice of the language, and that no text lacks
// a translation.
#include "app/i18n/language.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/i18n/translation.h"
#include "app/i18n/utf8.h"
#include "app/instruments/instrument.h"
#include "app/io/preset/lesson_text.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/puzzles.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/scripts.h"
#include "app/lessons/lesson_library.h"
#include "app/session/interface.h"
#include "app/ui/widgets/fonts.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/missing_texts.h"

namespace perturb {
namespace {

// Without a font there are Latin letters only.
TEST(AsciiSigns, ReplaceWhatALatinFontLacksInEveryText) {
  EXPECT_EQ(with_ascii_signs("λ/2 – τ ≥ 10⁻⁴"), "lambda/2 - tau >= 10^-4");
  EXPECT_EQ(with_ascii_signs("Größe: 5 µm² “x”"), "Größe: 5 µm² \"x\"");
  std::vector<std::string> all;
  for (const LanguageName& language : languages())
    if (language.id != "en")
      for (const PoEntry& entry : texts_of(language.id)) {
        all.push_back(entry.english);
        all.push_back(entry.translated);
      }
  ASSERT_GT(all.size(), 1000u);
  std::set<std::string> unknown;
  for (const std::string& text : all) {
    const std::string ascii = with_ascii_signs(text);
    for (std::size_t at = 0; at < ascii.size(); ++at)
      if (static_cast<unsigned char>(ascii[at]) >= 0xC4) unknown.insert(ascii.substr(at, 3));  // beyond U+00FF
  }
  for (const std::string& sign : unknown) ADD_FAILURE() << "no ASCII for \"" << sign << "\"";
}

TEST(AsciiSigns, AreUsedWithoutAnyFont) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";                     // fonts are searched once per process
  const std::string config = testing::TempDir() + "perturb_no_fonts.conf";  // the same in the process of EXPECT_EXIT
  std::ofstream(config) << "<?xml version=\"1.0\"?><fontconfig></fontconfig>\n";
  EXPECT_EXIT(
      {
        setenv("FONTCONFIG_FILE", config.c_str(), 1);
        ImGui::CreateContext();
        Style style;
        load_fonts(style, 1);
        bool has_glyphs = true;
        for (ImFont* font : style.fonts())
          for (const AsciiSign& sign : ascii_signs())
            has_glyphs = has_glyphs && font->FindGlyph(static_cast<ImWchar>(sign.sign)) ==
                                           font->FindGlyph(static_cast<ImWchar>(sign.letter));
        _exit(!find_font(FontWeight::regular).empty() ? 2 : !has_glyphs ? 3 : tr("λ – τ") == "lambda - tau" ? 0 : 4);
      },
      testing::ExitedWithCode(0), "");
  std::filesystem::remove(config);
}

TEST(PoFile, ReadsEntriesOfSeveralLinesAndEscapes) {
  const std::vector<PoEntry> entries = read_po(
      "# a remark\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#: app/ui\nmsgid \"\"\n\"Open \"\n\"a "
      "\\\"file\\\"\"\n"
      "msgstr \"Eine \\\\ Datei\\n\"\n\nmsgid \"later\"\nmsgstr \"\"\n",
      "de.po");
  ASSERT_EQ(entries.size(), 1u);  // neither the header nor the untranslated entry
  EXPECT_EQ(entries[0].english, "Open a \"file\"");
  EXPECT_EQ(entries[0].translated, "Eine \\ Datei\n");
  EXPECT_EQ(entries[0].line, 7);
}

TEST(PoFile, NamesTheLineOfWhatItCannotRead) {
  for (const char* text : {"msgid \"a\"\nmsgstr \"b\"\nmsgfoo \"c\"\n", "msgid \"a\"\n\nmsgstr b\n", "\n\n\"a\"\n"}) {
    const std::string error = error_thrown_by([&] { read_po(text, "de.po"); });
    EXPECT_NE(error.find("de.po, line 3"), std::string::npos) << error;
  }
}

TEST(Translation, FindsWholeTextsAndNotesMissingOnes) {
  Translation table({{"Wave speed", "Wellengeschwindigkeit"}, {"{} of {} points", "{} von {} Punkten"}});
  EXPECT_EQ(table.of("Wave speed"), "Wellengeschwindigkeit");
  EXPECT_EQ(table.of("{} of {} points"), "{} von {} Punkten");
  EXPECT_TRUE(table.missing().empty());
  EXPECT_EQ(table.of("Wave speed."), "Wave speed.");
  EXPECT_EQ(table.of("3 of 5 points"), "3 of 5 points");
  for (const char* sign : {"", "12.5", "N", "dt", "\u00b5s"}) EXPECT_EQ(table.of(sign), sign);
  EXPECT_EQ(table.missing(), (std::set<std::string>{"Wave speed.", "3 of 5 points"}));
  table.forget_missing();
  EXPECT_TRUE(table.missing().empty());
}

TEST(MessageText, FillsArgumentsIntoTheFormat) {
  EXPECT_EQ(Message("{} of {} points", 3, std::string("five")).english(), "3 of five points");
  EXPECT_EQ(Message("{1} before {0}, {x}", "a", "b").english(), "b before a, {x}");
  EXPECT_EQ(Message("{}: {}", Message("{} is too large.", "x"), 2).english(), "x is too large.: 2");
  EXPECT_EQ((Message("One.") + Message() + Message("{}.", "Two")).english(), "One. Two.");
  EXPECT_EQ(Message::value("{} of {}").english(), "{} of {}");
  EXPECT_EQ(Message::parameter("time_step", "Time step").english(), "time_step");
  EXPECT_EQ(Message("No {}", "x"), Message("No {}", "x"));
  EXPECT_NE(Message("No {}", "x"), Message("No {}", "y"));
  EXPECT_NE(Message("x"), Message::value("x"));
}

TEST(MessageText, IsPartOfAnError) {
  try {
    throw InputError("{} of {}", 3, "points");
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "3 of points");
    EXPECT_EQ(message_of(error), Message("{} of {}", 3, "points"));
  }
  EXPECT_EQ(message_of(std::runtime_error("plain")), Message("plain"));
}

class LanguageOfEnvironment : public testing::Test {
 protected:
  static constexpr const char* names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
  void SetUp() override {
    for (const char* name : names) {
      const char* value = std::getenv(name);
      if (value) kept_[name] = value;
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : names) unsetenv(name);
    for (const auto& [name, value] : kept_) setenv(name.c_str(), value.c_str(), 1);
  }
  std::map<std::string, std::string> kept_;
};

TEST_F(LanguageOfEnvironment, IsTheFirstThatIsSet) {
  EXPECT_EQ(language_of_environment(), "en");
  setenv("LANG", "de_DE.UTF-8", 1);
  EXPECT_EQ(language_of_environment(), "de");
  setenv("LANG", "de_AT", 1);
  EXPECT_EQ(language_of_environment(), "de");
  setenv("LC_MESSAGES", "fr_FR.UTF-8", 1);  // has no table
  EXPECT_EQ(language_of_environment(), "en");
  setenv("LC_ALL", "de", 1);
  EXPECT_EQ(language_of_environment(), "de");
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(language_of_environment(), "en");
  setenv("LC_ALL", "", 1);  // as if it were not set
  setenv("LC_MESSAGES", "", 1);
  EXPECT_EQ(language_of_environment(), "de");
}

// Every language except English; restored at the end of the test.
class Language : public testing::Test {
 protected:
  static constexpr const char* made_up = "zz";  // a test's own language
  static std::vector<std::string> others() {
    std::vector<std::string> ids;
    for (const LanguageName& one : languages())
      if (one.id != "en" && one.id != made_up) ids.push_back(one.id);
    return ids;
  }
  static void ask(const Message& text) { tr(text); }
  static void ask(const ValueInfo& value) {
    for (const std::string& text : {value.label, value.unit, value.help, value.zero}) ask(text);
    for (const Choice& choice : value.choices) ask(choice.label);
  }
  void TearDown() override { use_language("en"); }
};

TEST_F(Language, IsChosenByItsIdAndKnowsItsName) {
  ASSERT_FALSE(others().empty());
  for (const LanguageName& one : languages()) {
    use_language(one.id);
    EXPECT_EQ(language(), one.id);
    EXPECT_NE(one.name, "Name of this language");
    EXPECT_EQ(one.name == "English", one.id == "en");
  }
  use_language("de");
  EXPECT_EQ(tr("Wave speed"), "Wellengeschwindigkeit");
  const std::string error = error_thrown_by([&] { use_language("xx"); });
  EXPECT_NE(error.find("en, de"), std::string::npos) << error;
  EXPECT_EQ(language(), "de");
  use_language("en");
  EXPECT_EQ(tr("Wave speed"), "Wave speed");
  EXPECT_EQ(tr("Now at {}, {}", "a", "b"), "Now at a, b");
}

TEST_F(Language, FindsTheTextsOfTablesWhole) {
  for (const std::string& id : others()) {
    use_language(id);
    for (const SimulationInfo* info : catalog()) {
      ask(info->title);
      ask(info->summary);
      for (const Parameter& parameter : info->parameters) {
        ask(parameter);
        ask(parameter.group);
      }
      for (const Quantity& quantity : info->quantities) {
        ask(quantity.label);
        ask(quantity.unit);
      }
      for (const Tool& tool : info->tools) {
        ask(tool.label);
        ask(tool.help);
        for (const ValueInfo& field : tool.brush) ask(field);
      }
      for (const ActionKind& action : info->actions) {
        ask(action.label);
        if (action.takes_image) ask(action.help);
      }
      for (const KernelVariant& kernel : info->kernels) {
        ask(kernel.title);
        ask(kernel.idea);
      }
      report_missing_texts(info->id);
    }
    for (const CommandInfo& command : command_table()) {
      ask(command.group);
      ask(command.label);
      ask(shown_chords(command));
    }
    for (const MouseBinding& binding : mouse_bindings()) {
      ask(binding.gesture);
      ask(binding.action);
    }
    for (const ThemeName& theme : theme_names()) ask(theme.label);
    for (const InstrumentKind kind : {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                      InstrumentKind::protractor, InstrumentKind::stopwatch})
      ask(label_of(kind));
    for (int k = 0; k <= static_cast<int>(Meaning::other); ++k) ask(label_of(static_cast<Meaning>(k)));
    report_missing_texts("keys, looks, instruments and what numbers mean");
  }
}

TEST_F(Language, FindsTheTextsOfScenesAndLessonsWhole) {
  for (const std::string& id : others()) {
    use_language(id);
    for (const SceneEntry& scene : all_scenes()) {
      ask(scene.title);
      ask(scene.hint);
      ask(scene.kiosk_hint);
      ask(scene.simulation_title);
      for (const std::string& word : scene.keywords) ask(word);
    }
    for (const PreparedRace& race : prepared_races()) {
      ask(race.scene.title);
      ask(race.scene.hint);
    }
    report_missing_texts("scenes");
    for (const Puzzle& puzzle : all_puzzles()) {
      ask(puzzle.title);
      for (const std::string& part : paragraphs_of(puzzle.task)) ask(part);
      for (const std::string& hint : puzzle.hints) ask(hint);
    }
    for (const PuzzleCount& count : puzzle_counts()) ask(count.label);
    report_missing_texts("puzzles");
    for (const auto& lesson : all_lessons().lessons) {
      ask(lesson->title);
      ask(lesson->summary);
      for (const std::string& part : paragraphs_of(lesson->learned)) ask(part);
      for (const LessonStep& step : lesson->steps) {
        ask(step.title);
        for (const std::string& part : paragraphs_of(step.text)) ask(part);
        if (!step.question) continue;
        for (const std::string& part : paragraphs_of(step.question->text)) ask(part);
        for (const std::string& part : paragraphs_of(step.question->reveal)) ask(part);
        for (const std::string& part : paragraphs_of(step.question->hint)) ask(part);
        ask(step.question->unit);
        for (const auto& choice : step.question->choices) {
          ask(choice.text);
          for (const std::string& part : paragraphs_of(choice.explanation)) ask(part);
        }
        for (const auto& mistake : step.question->mistakes)
          for (const std::string& part : paragraphs_of(mistake.text)) ask(part);
      }
      report_missing_texts(lesson->path());
    }
  }
}

// The texts that languages hold, and faults that would garble them.
TEST_F(Language, HasEachTextOnceWithItsPlaceholders) {
  const auto placeholders = [](const std::string& text) {
    int count = 0;
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
      count += text.substr(at, 2) == "{}" || (at + 2 < text.size() && text[at + 2] == '}');
    return count;
  };
  for (const std::string& id : others()) {
    std::set<std::string> seen;
    for (const PoEntry& entry : texts_of(id)) {
      EXPECT_TRUE(seen.insert(entry.english).second) << id << " has twice: " << entry.english;
      EXPECT_EQ(placeholders(entry.english), placeholders(entry.translated)) << id << ": " << entry.english;
    }
    EXPECT_GT(seen.size(), 1000u) << id;
  }
}

TEST_F(Language, TranslatesFormatsAndTheTextsInThem) {
  use_language("de");
  EXPECT_EQ(tr(Message("Undone: {}. Back at step {}.", Message("Droplet"), 44)),
            "R\u00fcckg\u00e4ngig: Tropfen. Zur\u00fcck bei Schritt 44.");
  // A name that is a text too stays as it is.
  EXPECT_EQ(tr(Message("Unknown parameter \"{}\".", std::string("Droplet"))),
            "Unbekannter Parameter \u201eDroplet\u201c.");
  EXPECT_EQ(tr(Message("Lower {}.", Message::parameter("time_step", "Time step"))), "\u201eZeitschritt\u201c senken.");
  EXPECT_EQ(tr(Message("Nothing of this") + Message("Droplet")), "Nothing of this Tropfen");
  EXPECT_EQ(take_untranslated(), std::vector<std::string>{"Nothing of this"});
}

// A language is its file and nothing else.
TEST_F(Language, IsComposedOfItsTextsAlone) {
  std::string file = "msgid \"Name of this language\"\nmsgstr \"Turned\"\n";
  const auto quoted = [](const std::string& text) {
    std::string all = "\"";
    for (const char c : text)
      all += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
    return all + "\"";
  };
  std::set<std::string> translated;
  for (const PoEntry& entry : texts_of("de"))
    if (translated.insert(entry.english); entry.english != "Name of this language")
      file += "msgid " + quoted(entry.english) + "\nmsgstr " + quoted("<" + entry.english + ">") + "\n";
  add_language(made_up, file);
  EXPECT_EQ(languages().back().id, made_up);
  EXPECT_EQ(languages().back().name, "Turned");
  use_language(made_up);
  EXPECT_EQ(tr("Wave speed"), "<Wave speed>");
  EXPECT_EQ(tr(Message("Undone: {}. Back at step {}.", Message("Droplet"), 44)),
            "<Undone: <Droplet>. Back at step 44.>");
  for (const SimulationInfo* info : catalog())
    for (const Parameter& parameter : info->parameters)
      for (const std::string& text : {parameter.label, parameter.help})
        EXPECT_EQ(tr(text), translated.contains(text) ? "<" + text + ">" : text);
  try {
    find_simulation("wave").parameters.front().check(1e300);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_TRUE(tr(error.message()).starts_with("<<")) << tr(error.message());
  }
}

// Errors in presets, scripts and lessons written by users, after the location in the file.
TEST_F(Language, SaysWhatIsWrongInFilesWrittenByHand) {
  std::vector<Message> sentences;
  const auto expect_rejected = [&](const auto& parse, const std::string& text) {
    try {
      parse(text);
      ADD_FAILURE() << "nothing is wrong in " << text;
    } catch (const InputError& error) {
      sentences.push_back(error.message());
      EXPECT_TRUE(std::string(error.what()).starts_with("a.toml:")) << error.what();
    }
  };
  const auto preset = [](const std::string& text) { parse_scene(text, "a.toml", "wave", "a"); };
  for (const char* text : {"title = 3",
                           "try = 'one'",
                           "size = [512]",
                           "size = [0, 512]",
                           "size = ['a', 2]",
                           "colour = 1",
                           "tittle = 'a'",
                           "simulation = 'lbm'",
                           "parameters = 1",
                           "[parameters]\nwave_sped = 1",
                           "[parameters]\nwave_speed = 'fast'",
                           "action = 1",
                           "[[action]]\nx = 0.5",
                           "[[action]]\nkind = 'dropplet'",
                           "[view]\nquantity = 'hight'",
                           "[view]\nzoom = 0",
                           "[view]\ncenter = [9, 9]",
                           "[view]\nrange = [1, 0]",
                           "[view]\nlayer = { as = 'dots' }",
                           "title = "})
    expect_rejected(preset, text);
  expect_rejected([](const std::string& text) { parse_scene(text, "a.toml", "", "a"); }, "title = 'of nothing'");
  const auto script = [](const std::string& text) { parse_script(text, "a.toml", "wave"); };
  for (const char* text : {"start = 3", "[[event]]\naction = 'droplet'", "[[event]]\nstep = 1",
                           "[[event]]\nstep = 1\nset = 'damping'", "[[event]]\nstep = 1\nset = 'dampin'\nvalue = 1"})
    expect_rejected(script, text);
  const auto lesson = [](const std::string& text) { parse_lesson(text, "a.toml", "wave", "a"); };
  const std::string head = "title = 'T'\nsummary = 'A'\n", step = head + "[[step]]\ntitle = 'S'\ntext = 'X'\n";
  for (const std::string& text :
       {std::string("title = 'T'"), head, step, step + "scene = 'rian'\n", step + "scene = 'rain'\nunlocked = 3\n",
        step + "scene = 'rain'\nunlocked = ['wave_sped']\n", step + "scene = 'rain'\ntool = 'hamer'\n",
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\n",
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\nmeasured = 'energy+'\n",
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\nmeasured = 'energy'\ntolerance = 7\n",
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\ntheory = '1'\n[[step.question.mistake]]\ntext = 'x'\n",
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\ntheory = '1'\nhint = 'H'\n"
               "[[step.question.choice]]\ntext = 'x'\nvalue = '1'\n[[step.question.choice]]\ntext = 'y'\nvalue = "
               "'2'\n"})
    expect_rejected(lesson, text);
  for (const std::string& id : others()) {
    use_language(id);
    take_untranslated();
    for (const Message& sentence : sentences) {
      const std::string said = tr(sentence);
      EXPECT_NE(said, sentence.english());
      EXPECT_TRUE(said.starts_with("a.toml:")) << said;
    }
    report_missing_texts("files written by hand");
  }
}

// Parameters are named by their labels where a message is displayed, and by their ids elsewhere.
TEST_F(Language, NamesParametersByTheirLabels) {
  use_language("de");
  const std::vector<Parameter>& parameters = find_simulation("wave").parameters;
  const auto damping = std::find_if(parameters.begin(), parameters.end(), [](auto& p) { return p.id == "damping"; });
  try {
    damping->check(-1);
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string said = tr(error.message());
    EXPECT_EQ(said.substr(0, said.find(" kann nicht -1 1/Zeit sein: ")), "\u201eD\u00e4mpfung\u201c") << said;
    EXPECT_TRUE(std::string(error.what()).starts_with("damping cannot be -1 1/time: ")) << error.what();
  }
}

}  // namespace
}  // namespace perturb
