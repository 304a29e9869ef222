// Dialogs and fields as a user uses them: Enter, a click outside a dialog, a decimal comma, titles in other alphabets.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/io/files/folders.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/app/files_scratch.h"
#include "tests/support/drawn_text.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/sanitized.h"
#include "tests_places.h"

namespace perturb {
namespace {

class UiDialogs : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    for (const char* name : {"XDG_DATA_HOME", "HOME"}) {
      const char* now = std::getenv(name);
      before_[name] = now ? now : "";
      setenv(name, path("home").c_str(), 1);
    }
    std::filesystem::create_directories(path("home"));
    enable_keyboard_navigation();
  }
  void TearDown() override {
    use_language("en");
    for (const auto& [name, value] : before_)
      if (value.empty())
        unsetenv(name.c_str());
      else
        setenv(name.c_str(), value.c_str(), 1);
    ScratchFolder::TearDown();
  }

  void open(const std::string& scene_path) {
    Scene scene = load_scene(scene_path);
    scene.setup.width = scene.setup.height = 48;
    session_.reset();
    experiment_ = std::make_unique<Experiment>(*backend_, scene);
    session_ = std::make_unique<Session>(*experiment_, 1);
    session_->state().playing = false;
    frames(3);
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      session_->handle({}, layout_, Session::Keyboard::free);
      session_->observe(true);
      gui_.begin_frame(layout_, 1.0 / 60);
      draw_panels({*session_, gui_.style(), layout_, {"host-mapped", ""}});
      gui_.end_frame();
    }
  }
  void ask(Request request) {
    state().ask(std::move(request));
    frames(3);
  }
  // Into the field with the keyboard focus.
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(3);
  }
  // A press and a release, as Dear ImGui and the session receive them.
  void press_enter() {
    InputEvent event;
    event.kind = InputEvent::Kind::key_press, event.key = "Enter";
    session_->handle({event}, layout_, gui_.is_typing() ? Session::Keyboard::typing : Session::Keyboard::free);
    for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, down);
#else
      ImGui::GetIO().KeysDown[ImGuiKey_Enter] = down;
#endif
      frames(1);
    }
    frames(2);
  }
  void click(double x, double y) {
    for (const bool down : {false, false, true, true, false, false}) {
      ImGui::GetIO().MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
      ImGui::GetIO().MouseDown[0] = down;
      frames(1);
    }
  }
  UiState& state() { return session_->state(); }
  static std::string all_text() {
    std::string all;
    for (const DrawnText& t : drawn_text()) all += t.text + "\n";
    return all;
  }
  static bool shows(const std::string& text) { return all_text().find(text) != std::string::npos; }
  std::string image() {
    save_png({2, 1, {0xFF000000u, 0xFFFFFFFFu}}, path("map.png"));
    return path("map.png");
  }
  static std::string field(const std::string& name) {
    return std::string(PERTURB_SOURCE_DIR "/tests/app/field/") + name;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Gui gui_{Gui::Renderer::none};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(UiDialogs, EnterPressesTheHighlightedButtonOfTheImageDialog) {
  open("wave/droplet");
  ask(OpenFile{image()});
  ASSERT_EQ(state().overlay, Overlay::image_use);
  const std::size_t events = experiment_->log().size();
  press_enter();
  EXPECT_EQ(state().overlay, Overlay::none);
  ASSERT_EQ(experiment_->log().size(), events + 1);
  EXPECT_FALSE(state().crosshair) << "the tool gets nothing of it";
}

TEST_F(UiDialogs, EnterPressesTheHighlightedButtonWhenTheRunHasStopped) {
  open("wave/droplet");
  state().ask(ParameterChange{"time_step", 5});
  state().playing = true;
  for (int i = 0; i < 400 && experiment_->stop_reason().empty(); ++i) session_->advance(), frames(1);
  ASSERT_FALSE(experiment_->stop_reason().empty());
  frames(2);
  press_enter();
  EXPECT_TRUE(experiment_->stop_reason().empty()) << "back to the last good state";
  EXPECT_FALSE(state().crosshair);
}

TEST_F(UiDialogs, EnterUsesFolderOrSelectedLine) {
  std::filesystem::create_directories(path("mine/inner"));
  open("wave/droplet");
  state().ask(UiCommand::output_folder);
  ask(ListFolder{path("mine")});
  press_enter();
  EXPECT_EQ(state().output_folder, path("mine"));
  state().ask(UiCommand::output_folder);
  ask(ListFolder{path("mine")});
  state().files.by_arrows = true;
  press_enter();
  EXPECT_EQ(state().files.listing.folder, path("mine/inner"));
}

TEST_F(UiDialogs, DialogBlocksInputToPanels) {
  open("wave/droplet");
  const std::string tool = state().tool, other = session_->info().tools[1].label;
  const std::vector<DrawnText> texts = drawn_text();
  const auto button = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == other; });
  ASSERT_NE(button, texts.end());
  const Rect at = button->box;
  for (int round = 0; round < 2; ++round) {
    ask(UiCommand::open_file);
    ASSERT_EQ(state().overlay, Overlay::files);
    click(at.x + 0.5 * at.width, at.y + 0.5 * at.height);
    EXPECT_EQ(state().tool, tool);
    EXPECT_EQ(state().overlay, Overlay::files);
    ask(UiCommand::close_overlay);
  }
  ask(OpenFile{image()});
  ASSERT_EQ(state().overlay, Overlay::image_use);
  InputEvent key;
  key.kind = InputEvent::Kind::key_press, key.key = "2";
  session_->handle({key}, layout_, Session::Keyboard::free);
  EXPECT_EQ(state().tool, tool);
  ask(UiCommand::close_overlay);
  click(at.x + 0.5 * at.width, at.y + 0.5 * at.height);
  EXPECT_NE(state().tool, tool) << "and afterwards it is a button again";
}

TEST_F(UiDialogs, OpenDialogReportsNoMatch) {
  open("wave/droplet");
  state().ask(UiCommand::open_file);
  ask(ListFolder{path("home")});
  EXPECT_FALSE(shows("No match"));
  type("zzz");
  EXPECT_TRUE(shows("No match for \u201czzz\u201d")) << all_text();
}

TEST_F(UiDialogs, ExpandsTildeToHomeFolder) {
  EXPECT_EQ(with_home_folder("~"), path("home"));
  EXPECT_EQ(with_home_folder("~/x.h5"), path("home/x.h5"));
  EXPECT_EQ(with_home_folder("~x"), "~x");
  EXPECT_EQ(with_home_folder("a/~/x"), "a/~/x");
  std::ofstream(path("home/tank.toml")) << "title = 'Tank'\nsimulation = 'wave'\nsize = [32, 32]\n";
  open("wave/droplet");
  ask(UiCommand::open_file);
  type("~/tank.toml");
  press_enter();
  EXPECT_EQ(session_->run().scene->title, "Tank") << state().files.error;
}

TEST_F(UiDialogs, SavesStateWithHdf5Extension) {
  open("wave/droplet");
  experiment_->advance(7);
  ask(SaveStateAs{path("seven.hdf5")});
  EXPECT_TRUE(std::filesystem::exists(path("seven.hdf5"))) << state().message;
  open("wave/rain");
  ask(OpenFile{path("seven.hdf5")});
  EXPECT_EQ(session_->run().steps, 7) << state().message;
}

TEST_F(UiDialogs, AcceptsDecimalCommaInValue) {
  open("wave/droplet");
  state().tab = Tab::physics;
  const auto take = [&](const std::string& text) {
    state().typing = "damping", state().typing_just_started = true, state().typed[0] = '\0';
    frames(2);
    type(text);
    InputEvent tab;
    tab.kind = InputEvent::Kind::key_press, tab.key = "Tab";
    state().keys_in_panel = true;
    session_->handle({tab}, layout_, Session::Keyboard::typing);
    frames(3);
  };
  take("0,25");
  EXPECT_EQ(experiment_->simulation().parameters().get("damping"), 0.25);
  EXPECT_TRUE(state().parameter_errors.empty());
  take("1,07,3");
  EXPECT_EQ(experiment_->simulation().parameters().get("damping"), 0.25);
  ASSERT_TRUE(state().parameter_errors.contains("damping"));
  EXPECT_NE(state().parameter_errors.at("damping").english().find("decimal point"), std::string::npos)
      << state().parameter_errors.at("damping");
}

TEST_F(UiDialogs, CutsLongTitleBetweenCharacters) {
  open(field("long-title.toml"));
  ask(UiCommand::save_preset);
  const std::string title = state().preset.title;
  ASSERT_LT(title.size(), sizeof state().preset.title);
  EXPECT_EQ(whole_characters(title + "\u00e4", title.size()), title) << "whole characters";
  ask(SavePreset{title});
  EXPECT_EQ(state().preset.error, "");
  ASSERT_FALSE(state().browsing.recent.empty());
  EXPECT_EQ(load_scene(state().browsing.recent.front()).title, title);
}

TEST_F(UiDialogs, CutsTextBetweenCharacters) {
  EXPECT_EQ(whole_characters("abc", 3), "abc");
  EXPECT_EQ(whole_characters("abc", 2), "ab");
  EXPECT_EQ(whole_characters("a\u6c34", 3), "a");
  EXPECT_EQ(whole_characters("a\u6c34", 4), "a\u6c34");
  EXPECT_EQ(whole_characters("\u6c34", 2), "");
  char small[4];
  fill_field(small, "a\u00e4\u00e4");
  EXPECT_STREQ(small, "a\u00e4");
}

TEST_F(UiDialogs, ShowsCyrillicTitle) {
  open(field("cyrillic.toml"));
  frames(2);
  EXPECT_TRUE(shows("\u0414\u0432\u0435 \u0449\u0435\u043b\u0438")) << all_text();
  EXPECT_FALSE(shows("???"));
}

TEST_F(UiDialogs, ShowsReplacementForGlyphsWithoutFont) {
  open("wave/droplet");
  state().message = "\ua000\ua001\ua002";  // Yi syllables
  frames(3);
  EXPECT_FALSE(shows("???")) << all_text();
}

TEST_F(UiDialogs, ShowsFileNameWhenNoFontHasTitle) {
  open(field("long-title.toml"));
  frames(2);
  EXPECT_TRUE(shows("\u6c34\u6ce2\u69fd") || shows("long-title")) << all_text();
}

TEST_F(UiDialogs, ExportDialogNamesBothFolders) {
  open("wave/droplet");
  session_->output().set_default_folders(path("home/Pictures"), path("home"));
  ask(UiCommand::export_files);
  std::string all;
  for (const DrawnText& t : drawn_text()) all += t.text + " ";
  EXPECT_NE(all.find("Images and videos are saved in "), std::string::npos) << all;
  EXPECT_NE(all.find("All other files are saved in "), std::string::npos) << all;
  state().output_folder = path("home");
  frames(3);
  EXPECT_TRUE(shows("Files are saved"));
  EXPECT_FALSE(shows("All other files"));
}

// Texts of scenes and parameters name no parameter by its id.
TEST_F(UiDialogs, UsesLabelsOfParametersInTexts) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& asked : info->parameters) {
      if (asked.id.find('_') == std::string::npos) continue;
      for (const Parameter& p : info->parameters)
        EXPECT_EQ(p.help.find(asked.id), std::string::npos) << info->id << ": " << p.help;
      for (const SceneEntry& entry : all_scenes())
        if (entry.simulation == info->id) {
          EXPECT_EQ(entry.hint.find(asked.id), std::string::npos) << entry.path();
        }
    }
}

TEST_F(UiDialogs, UsesOneNamePerTerm) {
  open("wave/droplet");
  state().tab = Tab::plots;
  frames(3);
  for (const InstrumentKind kind : {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                    InstrumentKind::protractor, InstrumentKind::stopwatch})
    EXPECT_TRUE(shows(label_of(kind))) << label_of(kind);
  // A probe is an instrument: no tool has this name.
  for (const SimulationInfo* info : catalog())
    for (const Tool& tool : info->tools) EXPECT_NE(tool.label, label_of(InstrumentKind::probe)) << info->id;
}

// The positions of the tab labels, whichever tool is chosen.
TEST_F(UiDialogs, KeepsTabPositionsWhenToolChanges) {
  std::set<std::string> seen;
  for (const SceneEntry& entry : all_scenes()) {
    if (!seen.insert(entry.simulation).second) continue;
    if (is_sanitized && seen.size() > 1) break;
    open(entry.path());
    for (const std::string language : {"en", "de"}) {
      state().language = language;
      std::set<int> places;
      for (const Tool& tool : session_->info().tools) {
        state().tool = tool.id;
        frames(2);
        for (const DrawnText& t : drawn_text())
          if (t.text == tr("Kernels") && t.window == "##column") places.insert(static_cast<int>(t.box.y));
      }
      EXPECT_EQ(places.size(), 1u) << entry.path() << ", " << language;
    }
  }
}

}  // namespace
}  // namespace perturb
