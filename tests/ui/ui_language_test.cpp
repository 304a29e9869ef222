// The window in another language, checked text by text: every shown text is looked up in the table, what the table
// lacks is reported, the fonts have all characters, and no text is clipped because it is longer than in English.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/missing_texts.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

class UiLanguage : public ScratchFolder {
 protected:
  void TearDown() override {
    use_language("en");
    ScratchFolder::TearDown();
  }

  void open(const std::string& path) {
    session_.reset();
    experiment_.reset();
    Scene scene = scene_of_width(path, 48, 24);
    experiment_ = std::make_unique<Experiment>(*backend_, scene);
    session_ = std::make_unique<Session>(*experiment_, 1);
    panels_ = Panels();
    for (int i = 0; i < 6; ++i) {
      session_->pace().forget();
      session_->advance();
      session_->observe(true);
    }
    session_->playback().set_playing(false);
  }
  void execute(const Command& command) { session_->execute(command); }
  void show(Tab tab) { execute(ShowTab{tab}); }
  void show(Overlay overlay) {
    InterfaceState state = session_->interface();
    state.overlay = overlay;
    session_->set_interface(state);
  }
  // A presentation, with the words that invite visitors.
  void present(bool on) {
    InterfaceState state = session_->interface();
    state.presentation = on;
    session_->set_interface(state);
    invite(on);
  }
  void invite(bool on) { panels_.set_invitation(on ? "Press or drag anywhere: it responds." : ""); }

  void draw(int frames = 2, double seconds = 1.0 / 60) {
    for (int i = 0; i < frames; ++i) {
      session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
      draw_panels(*session_, gui_, panels_, layout_, seconds);
    }
    if (inspect_) inspect_();
  }
  // Reading the drawn text takes longer than drawing it: done only if there is a tooltip.
  void draw_tooltip() {
    const std::function<void()> inspect = std::exchange(inspect_, nullptr);
    draw(1);
    draw(1, 1);
    inspect_ = inspect;
    std::string tooltips;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && (window->Flags & ImGuiWindowFlags_Tooltip)) tooltips += window->Name;
    if (inspect_ && !tooltips.empty()) inspect_();
  }
  void point_at(double x, double y) { ImGui::GetIO().MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y)); }
  // Hovers over everything on the panels, so that each item shows its tooltip.
  void hover_everything() {
    const double step = 22 * layout_.unit;
    for (const Rect& rect : {layout_.column, layout_.transport, layout_.status})
      for (double y = rect.y + 8; y < rect.y + rect.height; y += step)
        for (double x = rect.x + 12; x<rect.x + rect.width; x += rect.width> rect.height ? step : 6 * step) {
          point_at(x, y);
          draw_tooltip();
        }
    point_at(-1, -1);
  }
  // Opens everything that can be open in this scene, one after the other.
  void walk() {
    for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels}) {
      show(tab);
      draw();
    }
    ViewSettings view = session_->view().settings();
    view.automatic = false;
    execute(ChangeView{view, session_->view().centred()});
    show(Tab::view);
    draw();
    show(Tab::plots);
    for (const InstrumentKind kind : {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                      InstrumentKind::protractor, InstrumentKind::stopwatch}) {
      Instrument one;
      one.kind = kind;
      for (int k = 0; k < point_count(kind); ++k) one.places.push_back({0.2 + 0.3 * k, 0.3 + 0.2 * (k % 2)});
      session_->instrument_controller().add(one);
      execute(SelectInstrument{session_->instruments().all().back().id});
      draw();
      execute(SelectInstrument{});
    }
    session_->pace().forget();
    session_->advance();
    session_->observe(true);
    draw();
    for (const Tool& tool : session_->info().tools) {
      execute(ChooseTool{tool.id});
      draw();
    }
    for (const int page : {0, 1, lessons_help_page}) {
      execute(ShowHelpPage{page});
      draw();
    }
    for (const Overlay overlay : {Overlay::image_use, Overlay::save_preset, Overlay::export_files}) {
      show(overlay);
      draw();
    }
    show(Overlay::none);
    for (const CommandId command : {CommandId::browse, CommandId::open_file, CommandId::save_state_as,
                                    CommandId::output_folder, CommandId::describe, CommandId::undo}) {
      execute(command);
      draw();
      show(Overlay::none);
    }
    present(true);
    draw();
    present(false);
    for (const auto& lesson : all_lessons().lessons) {
      if (lesson->simulation != session_->info().id) continue;
      execute(OpenLesson{lesson->path()});
      draw(3);
      show(Tab::lesson);
      draw();
      execute(AnswerQuestion{"1", -1});
      draw();
      execute(CommandId::close_lesson);
      draw();
      break;
    }
    session_->playback().set_film(FilmProgress{3, 600, 12});
    draw();
    session_->playback().set_film(std::nullopt);
    leave_interrupted_run(path("sessions"), {"{} at step {}", std::string("wave/rain"), 20});
    session_->autosave_controller().enable(path("sessions"));
    draw();
    execute(AnswerRecovery{false});
    draw();
  }
  // One scene of each simulation. Hovers over everything; at small reach in the first.
  void walk_everywhere() {
    std::set<std::string> seen;
    for (const SceneEntry& scene : all_scenes()) {
      if (!seen.insert(scene.simulation).second) continue;
      SCOPED_TRACE(scene.path());
      open(scene.path());
      walk();
      show(Tab::physics);
      if (reach(true, seen.size() == 1)) hover_everything();
    }
  }

  Layout layout_ = make_layout(1280, 720, 1, 1, true);
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(2);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  std::function<void()> inspect_;
};

// Three Latin letters in a row.
bool has_latin_word(const std::string& text) {
  int row = 0;
  for (const char c : text) {
    row = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? row + 1 : 0;
    if (row == 3) return true;
  }
  return false;
}

// Names that are the same in every language: of files, folders, devices, kernels, papers, and of languages.
bool is_name(const std::string& text) {
  for (const LanguageName& one : languages())
    if (text == one.name) return true;
  for (const SimulationInfo* info : catalog()) {
    if (info->paper.find(text) != std::string::npos) return true;
    for (const KernelVariant& kernel : info->kernels)
      if (text == kernel.id) return true;
  }
  if (Backend::make_cpu(1)->device_name().find(text) != std::string::npos) return true;
  return text.find('/') != std::string::npos || text.find(".") != std::string::npos;
}

TEST_F(UiLanguage, TranslatesAllShownText) {
  SKIP_UNDER_SANITIZERS("every text, one by one");
  use_pseudo_locale();
  std::set<std::string> raw;
  inspect_ = [&] {
    for (const DrawnText& t : drawn_text()) {
      const bool equation = t.font == gui_.style().letters || t.font == gui_.style().signs ||
                            t.font == gui_.style().small_letters || t.font == gui_.style().small_signs;
      // Folders and files in the list of files are not translated.
      const bool files = session_->interface().overlay == Overlay::files;
      if (!equation && !files && has_latin_word(t.text) && !is_name(t.text)) raw.insert(t.text + " in " + t.window);
    }
  };
  walk_everywhere();
  for (const std::string& text : raw) ADD_FAILURE() << "shown as it is: " << text;
}

TEST_F(UiLanguage, FindsTheTextsOfTheWindowWhole) {
  SKIP_AT_SMALL_REACH("the walk of another test is the same");
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    use_language(one.id);
    take_untranslated();
    walk_everywhere();
    report_missing_texts("the window", is_name);
  }
}

TEST_F(UiLanguage, FindsTheTextsOfMeasurementsWhole) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    use_language(one.id);
    take_untranslated();
    for (const SceneEntry& scene : tested_scenes()) {
      open(scene.path());
      layout_ = make_layout(1280, 9000, 1, 1, true);
      for (const Tab tab : {Tab::plots, Tab::physics}) {
        show(tab);
        draw(2);
      }
      execute(CommandId::describe);
      draw();
      report_missing_texts(scene.path(), is_name);
    }
  }
}

TEST_F(UiLanguage, ClipsNothingAndHasAllGlyphs) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    use_language(one.id);
    std::set<std::string> cut;
    inspect_ = [&] {
      for (const DrawnText& t : drawn_text()) {
        const bool is_cut = t.cut_beside || (t.cut_above && !is_scrolling(t.window));
        if (is_cut || t.text.find("\u2026") != std::string::npos) cut.insert("\"" + t.text + "\" in " + t.window);
        // A character missing from a font is drawn as the replacement character.
        EXPECT_EQ(t.text.find("\ufffd"), std::string::npos) << t.text;
      }
    };
    std::set<std::string> seen;
    for (const SceneEntry& scene : all_scenes()) {
      if (!seen.insert(scene.simulation).second) continue;
      open(scene.path());
      const std::vector<ScreenSize> sizes = {{1280, 720, 1}, {1280, 720, 1.8}, {1024, 768, 2}, {3840, 2160, 2}};
      for (const ScreenSize& size : reach(sizes, {sizes.front()})) {
        for (const int height : {size.height, static_cast<int>(9000 * size.scale)}) {
          layout_ = make_layout(size.width, height, 1, size.scale, true);
          execute(ChangeInterface{&InterfaceState::drawer_open, layout_.is_drawer});
          for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels}) {
            show(tab);
            draw();
          }
        }
        layout_ = make_layout(size.width, size.height, 1, size.scale, true);
        for (const Overlay overlay : {Overlay::help, Overlay::save_preset, Overlay::export_files}) {
          show(overlay);
          draw(3);
        }
        show(Overlay::none);
      }
      show(Overlay::none);
    }
    for (const std::string& text : cut) ADD_FAILURE() << one.id << ": " << text;
  }
}

// When the language is changed in the window, the next frame shows it.
TEST_F(UiLanguage, TranslatesInvitation) {
  use_language("de");
  open("wave/droplet");
  invite(true);
  draw();
  const std::string all = drawn_lines();
  EXPECT_NE(all.find("Tropfen. Irgendwo"), std::string::npos) << all;
  EXPECT_EQ(all.find("Droplet"), std::string::npos);
}

TEST_F(UiLanguage, TranslatesValueUnderPointer) {
  use_language("de");
  open("particles/gas");
  InputEvent move;
  move.kind = InputEvent::Kind::move;
  // Finds a disc: its value has a text of its own, and ends with a number.
  for (int k = 0; k < 10'000 && !session_->pointer().value().english().starts_with("disc"); ++k) {
    move.x = layout_.view_rect.width * (0.2 + 0.006 * (k % 100));
    move.y = layout_.view_rect.height * 0.01 * (k / 100.0);
    session_->handle({move}, layout_, Session::Keyboard::free, panels_.feedback());
    session_->observe(true);
  }
  ASSERT_TRUE(session_->pointer().value().english().starts_with("disc"));
  draw();
  const std::string all = drawn_lines();
  EXPECT_NE(all.find(" bei ("), std::string::npos) << all;
  EXPECT_EQ(all.find(" at ("), std::string::npos) << all;
}

TEST_F(UiLanguage, ChangesInViewTab) {
  open("wave/droplet");
  show(Tab::view);
  layout_ = make_layout(1280, 1400, 1, 1, true);
  draw(3);
  const auto bounds_of = [](const std::string& text) {
    for (const DrawnText& t : drawn_text())
      if (t.text == text) return t.box;
    return Rect{};
  };
  for (const char* name : {"Deutsch", "English"}) {
    const Rect box = bounds_of(name);
    std::string all;
    for (const DrawnText& t : drawn_text()) all += "\n" + t.text;
    ASSERT_GT(box.width, 0) << name << " is not among" << all;
    for (const bool down : {false, false, true, false, false}) {
      point_at(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
      ImGui::GetIO().MouseDown[0] = down;
      draw(1);
    }
    const bool german = std::string(name) == "Deutsch";
    EXPECT_EQ(session_->interface().preferences.language, german ? "de" : "en");
    EXPECT_EQ(language(), session_->interface().preferences.language);
    EXPECT_GT(bounds_of(german ? "Ansicht" : "View").width, 0);
    EXPECT_GT(bounds_of(german ? "Farbbalken" : "Colour bar").width, 0);
  }
}

}  // namespace
}  // namespace perturb
