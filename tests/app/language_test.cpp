// Translated texts: the .po files, how a text finds its translation, the choice of the language, and that no text lacks
// a translation.
#include "app/i18n/language.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/translation.h"
#include "app/instruments/instrument.h"
#include "app/io/preset/lesson_text.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/scripts.h"
#include "app/lessons/lesson_library.h"
#include "app/session/input_events.h"
#include "app/session/labels.h"
#include "app/session/ui_state.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {
namespace {

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
    try {
      read_po(text, "de.po");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("de.po, line 3"), std::string::npos) << error.what();
    }
  }
}

Translation small_table() {
  return Translation({{"Wave speed", "Wellengeschwindigkeit"},
                      {"height/length", "Höhe/Länge"},
                      {"Water, lit", "Wasser, beleuchtet"},
                      {"{} of {} points", "{} von {} Punkten"},
                      {"There is no {} within {}: look elsewhere.", "Im Umkreis {1} ist kein {0}: anderswo suchen."},
                      {"Lower {}.", "{} senken."},
                      {"{}: {}", "{}: {}"},
                      {"{}, {}", "{}, {}"},
                      {"It stands.", "Es steht."},
                      {"Rest", "Ruhe"},
                      {"One. Two.", "Eins. Zwei."}});
}

TEST(Translation, FindsTextsPatternsAndParts) {
  Translation table = small_table();
  const std::map<std::string, std::string> expected = {
      {"Wave speed", "Wellengeschwindigkeit"},
      {"3 of 5 points", "3 von 5 Punkten"},
      {"There is no Rest within 0.5: look elsewhere.", "Im Umkreis 0.5 ist kein Ruhe: anderswo suchen."},
      {"Lower \u201cWave speed\u201d.", "\u201eWellengeschwindigkeit\u201c senken."},
      {"2 height/length", "2 Höhe/Länge"},
      {"-1.5e-3\u00a0height/length", "-1.5e-3\u00a0Höhe/Länge"},
      // The label itself contains a comma.
      {"Water, lit, height/length", "Wasser, beleuchtet, Höhe/Länge"},
      // Sentences and lines are translated separately, and so is the first sentence of an entry.
      {"It stands. 3 of 5 points\nLower Rest.", "Es steht. 3 von 5 Punkten\nRuhe senken."},
      {"One.", "Eins."},
      {"Rest: 0.6. It stands.", "Ruhe: 0.6. Es steht."},
      {"Rest: 1 of 2 points", "Ruhe: 1 von 2 Punkten"},
      {"  Rest ", "  Ruhe "},
      {"12.5", "12.5"},
      {"", ""}};
  for (const auto& [english, german] : expected) EXPECT_EQ(table.of(english), german) << english;
  EXPECT_TRUE(table.missing().empty()) << *table.missing().begin();
}

TEST(Translation, LeavesWhatIsTranslatedAndNotesWhatIsNot) {
  Translation table = small_table();
  const std::string made = table.of("3 of 5 points");
  EXPECT_EQ(table.of(made), made);
  EXPECT_EQ(table.of("Wellengeschwindigkeit"), "Wellengeschwindigkeit");
  EXPECT_TRUE(table.missing().empty());
  EXPECT_EQ(table.of("It falls."), "It falls.");
  EXPECT_TRUE(table.missing().contains("It falls."));
  EXPECT_EQ(table.missing().size(), 1u);
}

TEST(Translation, PrefersSplitIntoTranslatedParts) {
  Translation table({{"{} of {}", "{} von {}"},
                     {"{0} to {1}", "{0} bis {1}"},
                     {"{} a step", "{} je Schritt"},
                     {"Pressure, equation of state", "Druck, Zustandsgleichung"},
                     {"{}: {}", "{}: {}"},
                     {"Wall collisions a step", "Wandstöße je Schritt"}});
  EXPECT_EQ(table.of("Pressure, equation of state: 0.5 of 2"), "Druck, Zustandsgleichung: 0.5 von 2");
  EXPECT_EQ(table.of("Wall collisions a step: 12 a step"), "Wandstöße je Schritt: 12 je Schritt");
  EXPECT_TRUE(table.missing().empty()) << *table.missing().begin();
  EXPECT_EQ(table.of("Pressure to Pressure"), "Pressure to Pressure");  // only for code that fills it
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
  static std::vector<std::string> others() {
    std::vector<std::string> ids;
    for (const LanguageName& one : languages())
      if (one.id != "en") ids.push_back(one.id);
    return ids;
  }
  static void ask(const std::string& text) {
    const std::string said = tr(text);
    // A text drawn through two functions passes tr() twice: a translation must stay as it is. Missing texts are checked
    // separately.
    if (said != text) {
      EXPECT_EQ(tr(said), said) << text;
    }
  }
  static void ask(const ValueInfo& value) {
    for (const std::string& text : {value.label, value.unit, value.help}) ask(text);
    for (const Choice& choice : value.choices) ask(choice.label);
  }
  static void expect_all_known(const std::string& language, const std::string& where) {
    for (const std::string& text : take_untranslated())
      ADD_FAILURE() << language << " lacks, of " << where << ": " << text;
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
  try {
    use_language("xx");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("en, de"), std::string::npos) << error.what();
  }
  EXPECT_EQ(language(), "de");
  use_language("en");
  EXPECT_EQ(tr("Wave speed"), "Wave speed");
  EXPECT_EQ(tr("Now at {}, {}", "a", "b"), "Now at a, b");
}

TEST_F(Language, HasAllThatTheTablesSay) {
  for (const std::string& id : others()) {
    use_language(id);
    for (const SimulationInfo* info : catalog()) {
      ask(info->title), ask(info->summary);
      for (const Parameter& parameter : info->parameters) ask(parameter), ask(parameter.group);
      for (const Quantity& quantity : info->quantities) ask(quantity.label), ask(quantity.unit);
      for (const Tool& tool : info->tools) {
        ask(tool.label), ask(tool.help);
        for (const ValueInfo& field : tool.brush) ask(field);
      }
      for (const ActionKind& action : info->actions) {
        ask(action.label);
        if (action.takes_image) ask(action.help);
      }
      for (const KernelVariant& kernel : info->kernels) ask(kernel.title), ask(kernel.idea);
      expect_all_known(id, info->id);
    }
    for (const KeyBinding& key : key_bindings()) ask(key.group), ask(key.action), ask(shown_chords(key));
    for (const MouseBinding& binding : mouse_bindings()) ask(binding.gesture), ask(binding.action);
    for (const ThemeName& theme : theme_names()) ask(theme.label);
    for (const InstrumentKind kind : {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                      InstrumentKind::protractor, InstrumentKind::stopwatch})
      ask(label_of(kind));
    for (int k = 0; k <= static_cast<int>(Meaning::other); ++k) ask(label_of(static_cast<Meaning>(k)));
    expect_all_known(id, "keys, looks, instruments and what numbers mean");
  }
}

TEST_F(Language, HasAllScenesAndLessons) {
  for (const std::string& id : others()) {
    use_language(id);
    for (const SceneEntry& scene : all_scenes()) {
      ask(scene.title), ask(scene.hint), ask(scene.simulation_title);
      for (const std::string& word : scene.keywords) ask(word);
    }
    expect_all_known(id, "scenes");
    for (const auto& lesson : all_lessons().lessons) {
      ask(lesson->title), ask(lesson->summary);
      for (const LessonStep& step : lesson->steps) {
        ask(step.title);
        for (const std::string& part : paragraphs_of(step.text)) ask(part);
        if (!step.question) continue;
        for (const std::string& part : paragraphs_of(step.question->text)) ask(part);
        for (const std::string& part : paragraphs_of(step.question->reveal)) ask(part);
        ask(step.question->unit);
        for (const auto& choice : step.question->choices) ask(choice.text);
      }
      expect_all_known(id, lesson->path());
    }
  }
}

// Messages of CUDA builds about devices and displays; on a machine like this one they never appear.
TEST_F(Language, SaysWhyThereIsNoGpu) {
  const std::string renderer = "llvmpipe (LLVM 15.0.6, 256 bits)";
  const std::vector<std::string> notes = {
      "No NVIDIA driver was found, so the program runs on the CPU; install the driver of your GPU to use it.",
      "The NVIDIA driver speaks CUDA 11.4, older than the CUDA 12.2 this program was built with; update the driver.",
      "No CUDA device can be used (no CUDA-capable device is detected); check that nvidia-smi lists your GPU.",
      "This program has no kernels for the NVIDIA H100 80GB HBM3 (compute capability 9.0); build it on this machine "
      "with scripts/run --cuda.",
      "The image is copied through the CPU, because OpenGL draws in software (" + renderer +
          "): install the NVIDIA driver's OpenGL to keep the image on the GPU.",
      "The image is copied through the CPU, because OpenGL does not draw on an NVIDIA GPU (" + renderer +
          "; OS call failed): start with __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia to keep the "
          "image on the GPU.",
      "The image is copied through the CPU, because OpenGL draws on another GPU (" + renderer +
          ") than CUDA's device 1: set CUDA_VISIBLE_DEVICES to the GPU of the display to keep the image on it.",
      "The image is copied through the CPU, because CUDA cannot share OpenGL's buffer (" + renderer +
          "; OS call failed): use the NVIDIA driver's OpenGL on a display of this machine to keep the image on the "
          "GPU."};
  for (const std::string& id : others()) {
    use_language(id);
    for (const std::string& note : notes) {
      const std::string said = tr(note);
      for (const char* word : {"the ", "because", "image", " to "})
        EXPECT_EQ(said.find(word), std::string::npos) << said;
    }
    // As in the status line: two, one after the other.
    EXPECT_EQ(tr(notes[0] + "  " + notes[4]), tr(notes[0]) + "  " + tr(notes[4]));
    for (const char* word : {"interop", "host-mapped", "staged"}) EXPECT_NE(tr(word), word) << id;
  }
}

// Messages composed from parts, about what the user has just done or tried.
TEST_F(Language, SaysWhatWasUndoneAndWhatFailed) {
  const std::string no_room = "No space left on device. Free some space or choose a file on another disk.";
  const std::string sentences[] = {
      "Undone: Wall. Back at step 44.",
      "Undone: Droplet, wheel. Still at step 44.",
      "Undone: Restart. Previous run restored at step 44.",
      "Redone: Wall. Still at step 12.",
      "Redone: Wave speed, c. Now at step 12.",
      "Cannot write \"/tmp/a.b/c.png\": " + no_room,
      "Cannot write \"/tmp/a.h5\": " + no_room +
          " The state was saved in \"/tmp/b.h5\" instead. Move it to another disk.",
      "Cannot finish the video \"/tmp/a.b/c.mp4\": there is no space left. Free some space or choose a file on another "
      "disk.",
      "Cannot read the window's settings from \"/a/b.json\": the file is damaged. The window starts with default "
      "settings and overwrites the file.",
      "Cannot read the lesson progress from \"/a/b.json\": it is damaged. The file stays unchanged and new "
      "progress is not saved. Move the file away to start again.",
      "Cannot load \"/a/b.h5\": it is truncated or damaged (HDF5 failed). Use another copy.",
      "Cannot load \"/a/b.h5\": it is not a regular file. Choose a saved state (.h5)."};
  for (const std::string& id : others()) {
    use_language(id);
    take_untranslated();
    for (const std::string& sentence : sentences) {
      const std::string said = tr(sentence);
      for (const std::string& text : take_untranslated())
        if (text.find('/') == std::string::npos) ADD_FAILURE() << id << " lacks " << text << " in " << said;
    }
  }
}

// Errors in presets, scripts and lessons written by users, after the location in the file.
TEST_F(Language, SaysWhatIsWrongInFilesWrittenByHand) {
  std::vector<std::string> sentences;
  const auto expect_rejected = [&](const auto& parse, const std::string& text) {
    try {
      parse(text);
      ADD_FAILURE() << "nothing is wrong in " << text;
    } catch (const InputError& error) {
      sentences.push_back(error.what());
      EXPECT_TRUE(sentences.back().starts_with("a.toml:")) << sentences.back();
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
        step + "scene = 'rain'\n[step.question]\ntext = 'Q'\nmeasured = 'energy'\ntolerance = 7\n"})
    expect_rejected(lesson, text);
  for (const std::string& id : others()) {
    use_language(id);
    take_untranslated();
    for (const std::string& sentence : sentences) {
      const std::string said = tr(sentence);
      EXPECT_NE(said, sentence);
      EXPECT_TRUE(said.starts_with("a.toml:")) << said;
      // Names of files, parameters and keys stay as they are, and so do the messages of the TOML library about syntax.
      const bool by_library = sentence.find("invalid TOML") != std::string::npos;
      for (const std::string& text : take_untranslated())
        if (!by_library && text.find(' ') != std::string::npos)
          ADD_FAILURE() << id << " lacks " << text << " in " << said;
    }
  }
}

// Parameters are named by their labels in the language of the message.
TEST_F(Language, NamesParametersByTheirLabels) {
  use_language("de");
  const std::vector<Parameter>& parameters = find_simulation("wave").parameters;
  EXPECT_EQ(with_labels("Lower time_step, or the amplitude of droplets and sources.", parameters),
            "\u201eZeitschritt\u201c oder die Amplitude von Tropfen und Quellen senken.");
  const auto damping = std::find_if(parameters.begin(), parameters.end(), [](auto& p) { return p.id == "damping"; });
  try {
    damping->check(-1);
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string said = with_labels(error.what(), *damping);
    EXPECT_EQ(said.substr(0, said.find(" kann nicht -1 sein: ")), "\u201eDämpfung\u201c") << said;
  }
}

}  // namespace
}  // namespace perturb
