// Dialogs and fields as a user uses them: Enter, a click outside a dialog, a decimal comma, titles in other alphabets.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
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
#include "app/ui/panels/dialogs.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/files_scratch.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/scene_of_width.h"
#include "tests_places.h"

namespace perturb {
namespace {

class UiDialogs : public ScratchFolder, protected DrawnPanels {
 protected:
  UiDialogs() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) {}
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
    Scene scene = scene_of_width(scene_path, 48);
    if (scene.setup.simulation == "wave") scene.past_limit = "courant";  // changes may make it unstable
    DrawnPanels::open(scene);
    panels_ = {};
    session_->playback().set_playing(false);
    frames(3);
  }
  void frame(const std::vector<InputEvent>& events, Session::Keyboard keyboard) {
    session_->handle(events, layout_, keyboard, panels_.feedback());
    session_->observe(true);
    draw_panels(*session_, gui_, panels_, layout_);
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame({}, Session::Keyboard::free);
  }
  void ask(Command command) {
    session_->post(std::move(command));
    frames(3);
  }
  // Into the field with the keyboard focus.
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(3);
  }
  // A press and a release, as Dear ImGui and the session receive them.
  void press(ImGuiKey code, const std::string& name) {
    for (const bool down : {true, false}) {
      set_imgui_key(code, down);
      frame(down ? std::vector{key_press(name)} : std::vector<InputEvent>(),
            gui_.is_typing() ? Session::Keyboard::typing : Session::Keyboard::free);
    }
    frames(2);
  }
  void press_enter() { press(ImGuiKey_Enter, "Enter"); }
  void click(double x, double y) {
    for (const bool down : {false, false, true, true, false, false}) {
      move_pointer(x, y, down);
      frames(1);
    }
  }
  const InterfaceState& interface() const { return session_->interface(); }
  const FileBrowsing& files() const { return session_->file_chooser().files(); }
  const Message& message() const { return session_->message().text; }
  static bool shows(const std::string& text) { return drawn_lines().find(text) != std::string::npos; }
  // Also if the text is wrapped.
  static bool shows_words(const std::string& words) {
    std::string all = drawn_lines();
    std::replace(all.begin(), all.end(), '\n', ' ');
    return all.find(words) != std::string::npos;
  }
  std::string image() {
    save_png({2, 1, {0xFF000000u, 0xFFFFFFFFu}}, path("map.png"));
    return path("map.png");
  }
  static std::string field(const std::string& name) {
    return std::string(PERTURB_SOURCE_DIR "/tests/data/field/") + name;
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(UiDialogs, EnterPressesTheHighlightedButtonOfTheImageDialog) {
  open("wave/droplet");
  ask(OpenFile{image()});
  ASSERT_EQ(interface().overlay, Overlay::image_use);
  const std::size_t events = experiment_->log().size();
  press_enter();
  EXPECT_EQ(interface().overlay, Overlay::none);
  ASSERT_EQ(experiment_->log().size(), events + 1);
  EXPECT_FALSE(session_->input().crosshair().position()) << "the tool gets nothing of it";
}

TEST_F(UiDialogs, EnterPressesTheHighlightedButtonWhenTheRunHasStopped) {
  open("wave/droplet");
  session_->post(ParameterChange{"time_step", 5});
  session_->playback().set_playing(true);
  for (int i = 0; i < 400 && experiment_->stop_reason().empty(); ++i) {
    session_->pace().forget();
    session_->advance();
    frames(1);
  }
  ASSERT_FALSE(experiment_->stop_reason().empty());
  frames(2);
  // The change that was found is the highlighted button.
  ASSERT_TRUE(session_->run().remedy);
  const double found = session_->run().remedy->value;
  const std::string button = "Set Time step to " + number_text(found);
  const std::vector<DrawnText> all = drawn_text();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const DrawnText& one) {
    return one.text.starts_with(button) && one.text.ends_with("and continue");
  })) << button;
  press_enter();
  EXPECT_TRUE(experiment_->stop_reason().empty());
  EXPECT_EQ(experiment_->simulation().parameters().get("time_step"), found);
  EXPECT_TRUE(session_->playback().playing());
  EXPECT_FALSE(session_->input().crosshair().position());
}

TEST_F(UiDialogs, EnterUsesFolderOrSelectedLine) {
  std::filesystem::create_directories(path("mine/inner"));
  open("wave/droplet");
  session_->post(CommandId::output_folder);
  ask(ListFolder{path("mine")});
  press_enter();
  EXPECT_EQ(session_->output().chosen(), path("mine"));
  session_->post(CommandId::output_folder);
  ask(ListFolder{path("mine")});
  press(ImGuiKey_UpArrow, "Up");
  press(ImGuiKey_DownArrow, "Down");
  ASSERT_TRUE(panels_.states().files.by_arrows);
  press_enter();
  EXPECT_EQ(files().listing.folder, path("mine/inner"));
}

TEST_F(UiDialogs, ShareBoxShowsHowToJoinAndStops) {
  open("wave/droplet");
  EXPECT_FALSE(shows("Stop sharing"));
  ShownShare share;
  share.link = "http://192.168.7.20:8080/join#ABC346";
  share.code = "ABC346";
  share.qr = QrCode::make(share.link);
  share.people = 1;
  panels_.set_share(share);
  frames(3);
  for (const char* text : {"http://192.168.7.20:8080/join", "Code: ABC346", "1 person is connected."})
    EXPECT_TRUE(shows(text)) << text;
  EXPECT_FALSE(shows("#ABC346"));
  EXPECT_FALSE(shows("nobody else can join"));
  share.people = 12;
  share.has_network = false;
  panels_.set_share(share);
  frames(3);
  EXPECT_TRUE(shows("12 people are connected."));
  EXPECT_TRUE(shows("nobody else can join"));
  DrawnPanels::click("Stop sharing");
  frames(1);
  const std::vector<Command> commands = session_->take_window_commands();
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_TRUE(is(commands[0], CommandId::share));
  panels_.set_share(std::nullopt);
  frames(2);
  EXPECT_FALSE(shows("Stop sharing"));
}

TEST_F(UiDialogs, DialogBlocksInputToPanels) {
  open("wave/droplet");
  const std::string tool = session_->tools().tool(), other = session_->info().tools[1].label;
  const std::vector<DrawnText> texts = drawn_text();
  const auto button = std::find_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == other; });
  ASSERT_NE(button, texts.end());
  const Rect at = button->box;
  for (int round = 0; round < 2; ++round) {
    ask(CommandId::open_file);
    ASSERT_EQ(interface().overlay, Overlay::files);
    click(at.x + 0.5 * at.width, at.y + 0.5 * at.height);
    EXPECT_EQ(session_->tools().tool(), tool);
    EXPECT_EQ(interface().overlay, Overlay::files);
    ask(CommandId::close_overlay);
  }
  ask(OpenFile{image()});
  ASSERT_EQ(interface().overlay, Overlay::image_use);
  frame({key_press("2")}, Session::Keyboard::free);
  EXPECT_EQ(session_->tools().tool(), tool);
  ask(CommandId::close_overlay);
  click(at.x + 0.5 * at.width, at.y + 0.5 * at.height);
  EXPECT_NE(session_->tools().tool(), tool) << "and afterwards it is a button again";
}

TEST_F(UiDialogs, OpenDialogReportsNoMatch) {
  open("wave/droplet");
  session_->post(CommandId::open_file);
  ask(ListFolder{path("home")});
  EXPECT_FALSE(shows("No match"));
  type("zzz");
  EXPECT_TRUE(shows("No match for \u201czzz\u201d")) << drawn_lines();
}

TEST_F(UiDialogs, ExpandsTildeToHomeFolder) {
  EXPECT_EQ(with_home_folder("~"), path("home"));
  EXPECT_EQ(with_home_folder("~/x.perturb"), path("home/x.perturb"));
  EXPECT_EQ(with_home_folder("~x"), "~x");
  EXPECT_EQ(with_home_folder("a/~/x"), "a/~/x");
  std::ofstream(path("home/tank.toml")) << "title = 'Tank'\nsimulation = 'wave'\nsize = [32, 32]\n";
  open("wave/droplet");
  ask(CommandId::open_file);
  type("~/tank.toml");
  press_enter();
  EXPECT_EQ(session_->run().scene->title, "Tank") << files().error;
}

TEST_F(UiDialogs, SavesNoStateAsHdf5) {
  open("wave/droplet");
  ask(SaveStateAs{path("seven.hdf5")});
  EXPECT_FALSE(std::filesystem::exists(path("seven.hdf5")));
  EXPECT_NE(message().english().find("Ctrl+E"), std::string::npos) << message();
}

TEST_F(UiDialogs, AcceptsDecimalCommaInValue) {
  open("wave/droplet");
  layout_ = make_layout(1280, 1440, 1, 1, true);  // every row is visible
  session_->execute(ShowTab{Tab::physics});
  const auto take = [&](const std::string& text) {
    session_->post(CommandId::focus_panel);
    frames(2);
    for (int k = 0; k < 100; ++k) {
      frame({key_press("Ctrl+Enter")}, Session::Keyboard::navigating);
      frames(3);
      if (panels_.rows().typing() == "damping") break;
      frame({key_press("Tab")}, Session::Keyboard::navigating);
      frames(2);
    }
    ASSERT_EQ(panels_.rows().typing(), "damping");
    type(text);
    frame({key_press("Tab")}, Session::Keyboard::typing);
    frames(2);
    EXPECT_EQ(panels_.rows().typing(), "");
  };
  take("0,25");
  EXPECT_EQ(experiment_->simulation().parameters().get("damping"), 0.25);
  for (const Parameter& p : session_->info().parameters) EXPECT_TRUE(session_->parameters().error_of(p.id).empty());
  EXPECT_FALSE(shows_words("decimal point")) << drawn_lines();
  take("1,07,3");
  EXPECT_EQ(experiment_->simulation().parameters().get("damping"), 0.25);
  EXPECT_TRUE(shows_words("decimal point")) << drawn_lines();
}

TEST_F(UiDialogs, CutsLongTitleBetweenCharacters) {
  open(field("long-title.toml"));
  ask(CommandId::save_preset);
  const std::string title = panels_.states().preset.title;
  ASSERT_FALSE(title.empty());
  ASSERT_LT(title.size(), sizeof panels_.states().preset.title);
  EXPECT_EQ(whole_characters(title + "\u00e4", title.size()), title) << "whole characters";
  ask(SavePreset{title});
  EXPECT_EQ(session_->presets().prompt().error, "");
  ASSERT_FALSE(interface().browsing.recent.empty());
  EXPECT_EQ(load_scene(interface().browsing.recent.front()).title, title);
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
  EXPECT_TRUE(shows("\u0414\u0432\u0435 \u0449\u0435\u043b\u0438")) << drawn_lines();
  EXPECT_FALSE(shows("???"));
}

TEST_F(UiDialogs, ShowsReplacementForGlyphsWithoutFont) {
  open("wave/droplet");
  session_->show_message("\ua000\ua001\ua002");  // Yi syllables
  frames(3);
  EXPECT_FALSE(shows("???")) << drawn_lines();
}

TEST_F(UiDialogs, ShowsFileNameWhenNoFontHasTitle) {
  open(field("long-title.toml"));
  frames(2);
  EXPECT_TRUE(shows("\u6c34\u6ce2\u69fd") || shows("long-title")) << drawn_lines();
}

TEST_F(UiDialogs, ExportDialogNamesBothFolders) {
  open("wave/droplet");
  session_->output().set_default_folders(path("home/Pictures"), path("home"));
  ask(CommandId::export_files);
  std::string all;
  for (const DrawnText& t : drawn_text()) all += t.text + " ";
  EXPECT_NE(all.find("Images and videos are saved in "), std::string::npos) << all;
  EXPECT_NE(all.find("All other files are saved in "), std::string::npos) << all;
  session_->output().set_chosen(path("home"));
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
  session_->execute(ShowTab{Tab::plots});
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
    if (has_small_reach() && seen.size() > 1) break;
    open(entry.path());
    for (const std::string language : {"en", "de"}) {
      set_preference(*session_, &Preferences::language, language);
      std::set<int> places;
      for (const Tool& tool : session_->info().tools) {
        session_->execute(ChooseTool{tool.id});
        frames(2);
        for (const DrawnText& t : drawn_text())
          if (t.text == tr("Kernels") && t.window == "##column") places.insert(static_cast<int>(t.box.y));
      }
      EXPECT_EQ(places.size(), 1u) << entry.path() << ", " << language;
    }
  }
}

// Also where the tools have many settings: these are then in the tab.
TEST_F(UiDialogs, LeavesHalfOfTheColumnToATab) {
  std::set<std::string> seen;
  for (const SceneEntry& entry : all_scenes()) {
    if (!seen.insert(entry.simulation).second) continue;
    if (has_small_reach() && seen.size() > 1) break;
    open(entry.path());
    for (const std::string language : {"en", "de"}) {
      set_preference(*session_, &Preferences::language, language);
      set_preference(*session_, &Preferences::simple, false);
      std::set<int> places;
      for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels}) {
        session_->execute(ShowTab{tab});
        frames(3);
        for (const DrawnText& t : drawn_text()) {
          if (t.text != tr("Kernels") || t.window != "##column") continue;
          places.insert(static_cast<int>(t.box.y));
          EXPECT_GE(layout_.column.y + layout_.column.height - (t.box.y + t.box.height + 15),
                    0.5 * layout_.column.height)
              << entry.path() << ", " << language;
        }
      }
      // The label of the open tab is bold, so its ink may begin a pixel higher.
      ASSERT_FALSE(places.empty());
      EXPECT_LE(*places.rbegin() - *places.begin(), 1) << entry.path() << ": the tabs stay where they are";
    }
  }
}

TEST_F(UiDialogs, SettingsOfTheToolAreInEveryTab) {
  open("wave/droplet");
  session_->execute(ShowTab{Tab::physics});
  frames(3);
  EXPECT_TRUE(shows("Radius"));
  session_->execute(ShowTab{Tab::kernels});
  frames(3);
  EXPECT_FALSE(shows("Tool: Droplet")) << "below the kernels";
  ImGuiIO& io = ImGui::GetIO();
  for (int k = 0; k < 60 && !shows("Tool: Droplet"); ++k) {
    io.MousePos = ImVec2(static_cast<float>(layout_.column.x + 100),
                         static_cast<float>(layout_.column.y + layout_.column.height - 60));
    io.MouseWheel = -3;
    frames(1);
    io.MouseWheel = 0;
  }
  frames(2);
  EXPECT_TRUE(shows("Tool: Droplet"));
  layout_ = make_layout(1280, 1200, 1, 1, true);
  session_->execute(ShowTab{Tab::view});
  frames(3);
  EXPECT_TRUE(shows("Radius")) << "a tall window has room for them above the tabs";
  EXPECT_FALSE(shows("Tool: Droplet"));
}

TEST_F(UiDialogs, HelpHasTheTitleOfItsPage) {
  open("wave/droplet");
  const auto title = [] {
    DrawnText top;
    for (const DrawnText& text : drawn_text())
      if (text.window == "help" && (top.text.empty() || text.box.y < top.box.y)) top = text;
    return top.text;
  };
  frame({key_press("F2")}, Session::Keyboard::free);
  frames(3);
  ASSERT_EQ(interface().overlay, Overlay::help);
  EXPECT_EQ(title(), "Lessons");
  use_language("de");
  frames(2);
  EXPECT_EQ(title(), "Lektionen");
  use_language("en");
  session_->execute(ShowHelpPage{scene_help_page});
  frames(3);
  EXPECT_EQ(title(), "About this scene");
  session_->execute(ShowHelpPage{0});
  frames(3);
  EXPECT_EQ(title(), "Help");
}

// Where it covers nothing, with the title of the scene that the user knows.
TEST_F(UiDialogs, StatusLineAsksToContinueTheKeptRun) {
  open("wave/droplet");
  leave_interrupted_run(path("sessions"), {"{} at step {}", std::string("particles/piston-lighter-1"), 23635});
  for (const auto& kept : std::filesystem::directory_iterator(path("sessions")))
    std::ofstream(kept.path() / "closed").flush();
  session_->autosave_controller().enable(path("sessions"));
  frames(2);
  const std::string question = "Continue Piston of ";
  for (const std::string& part : {question, std::string("Discard")}) {
    const DrawnText drawn = find_drawn_text(part);
    ASSERT_FALSE(drawn.text.empty()) << part;
    EXPECT_TRUE(layout_.status.contains(drawn.box.x, drawn.box.y)) << part;
    EXPECT_FALSE(drawn.cut_above || drawn.cut_beside) << part;
  }
  // The browser keeps it after Esc, and a press into the view is no answer.
  InputEvent press = mouse_event(InputEvent::Kind::press, layout_.view_rect.x + 0.5 * layout_.view_rect.width,
                                 layout_.view_rect.y + 0.5 * layout_.view_rect.height, InputEvent::Button::left);
  frame({press}, Session::Keyboard::free);
  frames(2);
  EXPECT_FALSE(find_drawn_text(question).text.empty());
  for (int k = 0; k < 2; ++k) frame({key_press("Esc")}, Session::Keyboard::free);  // the hint is closed, too
  frames(2);
  EXPECT_TRUE(find_drawn_text(question).text.empty());
  frame({key_press("F3")}, Session::Keyboard::free);
  frames(2);
  EXPECT_FALSE(find_drawn_text(question).text.empty());
}

TEST(DayText, NamesADayAsPeopleDo) {
  const auto at = [](int year, int month, int day, int hour) {
    std::tm time{};
    time.tm_year = year - 1900;
    time.tm_mon = month - 1;
    time.tm_mday = day;
    time.tm_hour = hour;
    time.tm_min = 5;
    time.tm_isdst = -1;
    return std::mktime(&time);
  };
  const std::time_t now = at(2026, 3, 30, 9);  // a Monday, in Europe the first with summer time
  EXPECT_EQ(day_text(at(2026, 3, 30, 8), now).english(), "08:05");
  EXPECT_EQ(day_text(at(2026, 3, 29, 23), now).english(), "yesterday");
  EXPECT_EQ(day_text(at(2026, 3, 27, 10), now).english(), "Friday");
  EXPECT_EQ(day_text(at(2026, 3, 23, 10), now).english(), "2026-03-23");
}

}  // namespace
}  // namespace perturb
