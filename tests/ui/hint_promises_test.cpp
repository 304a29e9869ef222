// A scene's hint names only what is on the screen: its tools, controls and readings, and the plot that it leads to.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/ui/plots/plot_list.h"
#include "tests/contract/small_scene.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Words of a text, in lower case.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_letter(c))
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

// Whether one of these words is the other's stem: "frequencies" and "frequency", "mode" and "modes".
bool is_same_word(const std::string& a, const std::string& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  const auto same = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first - a.begin());
  return shorter >= 4 && same >= std::min<std::size_t>(shorter, 6);
}

// The numbers in a text; "24 000" is one.
std::vector<double> numbers_of(const std::string& text) {
  const auto is_digit = [&](std::size_t k) {
    return k < text.size() && std::isdigit(static_cast<unsigned char>(text[k])) != 0;
  };
  std::vector<double> numbers;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (!is_digit(k)) continue;
    std::string digits;
    for (; is_digit(k) || (k < text.size() && (text[k] == '.' || text[k] == ' ') && is_digit(k + 1)); ++k)
      if (text[k] != ' ') digits += text[k];
    numbers.push_back(std::stod(digits));
  }
  return numbers;
}

// The first word that names the subject of both texts; empty: there is none. Words about plots name no subject.
std::string common_subject(const std::string& hint, const std::string& title) {
  const std::set<std::string> others = {"theory", "tab",  "plots", "compares", "shows", "curve", "curves", "with",
                                        "from",   "that", "their", "them",     "this",  "along", "middle", "first"};
  for (const std::string& a : words_of(hint))
    for (const std::string& b : words_of(title))
      if (!others.contains(a) && is_same_word(a, b)) return a;
  return "";
}

// Texts in quotation marks.
std::vector<std::string> quoted(const std::string& hint) {
  std::vector<std::string> found;
  for (std::size_t at = hint.find('"'); at != std::string::npos; at = hint.find('"', at + 1)) {
    const std::size_t end = hint.find('"', at + 1);
    if (end == std::string::npos) break;
    found.push_back(hint.substr(at + 1, end - at - 1));
    at = end;
  }
  return found;
}

// Whether the hint names this label as a whole, with its capital.
bool names(const std::string& hint, const std::string& label) {
  for (std::size_t at = hint.find(label); at != std::string::npos; at = hint.find(label, at + 1)) {
    const std::size_t end = at + label.size();
    if ((at == 0 || !is_letter(hint[at - 1])) && (end == hint.size() || !is_letter(hint[end]))) return true;
  }
  return false;
}

bool sends_to_plots(const std::string& hint) {
  return names(hint, "tab Plots") || names(hint, "curve") || names(hint, "curves");
}

class HintPromises : public testing::Test, protected DrawnPanels {
 protected:
  HintPromises() : DrawnPanels(tall()) {}
  static Layout tall(double dock = 0) { return make_layout(1280, 2000, 1, 1, true, dock); }
  // The simple view of a scene, after some steps, without its hint.
  void show(const SceneEntry& entry) {
    layout_ = tall();
    // Measurements on grids need the scene's own size; the duration of a step of fibers grows with their square.
    open(small_scene(entry.simulation, entry.preset, entry.simulation == "fibers" ? 64 : reach(1024, 64)));
    Preferences preferences = session_->interface().preferences;
    preferences.simple = preferences.scene_units = true;
    session_->execute(ChangeInterface{&InterfaceState::preferences, preferences});
    session_->execute(CommandId::hide_hint);
    advance(4);
    frame();
  }
  // As the program does, which keeps the numbers of these steps for plots.
  void advance(int steps) {
    Pace& pace = session_->pace();
    pace.set_unit(Pace::Unit::per_frame);
    for (int k = 0; k < 2; ++k) {
      pace.set_requested(steps / 2);
      pace.forget();
      session_->advance();
      frame();
    }
  }
  // All that is drawn beside and below the view.
  std::string screen() const {
    std::string all;
    for (const DrawnText& text : drawn_text())
      if (!layout_.view_rect.contains(text.box.x, text.box.y)) all += text.text + "\n";
    return all;
  }
  // Titles and lines of the plot that the dock opens with.
  std::string first_plot() {
    session_->execute(ShowTab{Tab::plots});
    frame();
    layout_ = tall(session_->interface().dock_height());
    for (int k = 0; k < 2; ++k) frame();
    const Panel panel = panels_.arguments(*session_, gui_.style(), layout_, display_);
    for (const PlotData& plot : current_plots(panel).plots) {
      if (!plot.shown) continue;
      EXPECT_NE(screen().find(plot.frame.title.english().substr(0, 12)), std::string::npos) << "it is drawn";
      std::string all = plot.frame.title.english();
      for (const PlotLine& line : plot.lines) all += "\n" + Message(line.label).english();
      return all;
    }
    return "";
  }

  DisplayInfo display_{"host-mapped", ""};
};

TEST_F(HintPromises, NamedToolsControlsAndReadingsAreInTheSimpleView) {
  for (const SceneEntry& entry : tested_scenes()) {
    SCOPED_TRACE(entry.path());
    const Scene scene = load_scene(entry.path());
    show(entry);
    const std::string seen = screen();
    const std::vector<Parameter>& table = session_->info().parameters;
    for (const Parameter& parameter : table) {
      const std::string& label = parameter.label;
      // "Change Sweep to 0" does not name "Sweep to".
      const bool extends_another = std::any_of(table.begin(), table.end(), [&](const Parameter& other) {
        return label.starts_with(other.label + " ") && names(scene.hint, other.label);
      });
      const bool is_named = label.size() >= 4 && !extends_another && names(scene.hint, label);
      EXPECT_TRUE(!is_named || seen.find(label) != std::string::npos) << label << " in:\n" << scene.hint;
    }
    for (const std::string& name : quoted(scene.hint))
      EXPECT_TRUE(seen.find(name) != std::string::npos || first_plot().find(name) != std::string::npos)
          << name << " in:\n"
          << scene.hint;
    // Fingers get the names of tools where a mouse has buttons and keys.
    for (const std::string& name : quoted(scene.touch_hint)) {
      const std::vector<Tool>& tools = session_->info().tools;
      EXPECT_TRUE(std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.label == name; }) ||
                  seen.find(name) != std::string::npos)
          << name << " in:\n"
          << scene.touch_hint;
    }
  }
}

TEST_F(HintPromises, PlotsOpenWithTheSubjectOfTheHint) {
  int sent = 0;
  for (const SceneEntry& entry : tested_scenes()) {
    SCOPED_TRACE(entry.path());
    const std::string hint = load_scene(entry.path()).hint;
    if (!sends_to_plots(hint)) continue;
    ++sent;
    show(entry);
    if (entry.preset == "adaptive") experiment_->perform(Action{"refine", {{"by", 2}, {"share", 0.6}}, "", nullptr});
    advance(40);
    const std::string plot = first_plot();
    EXPECT_NE(common_subject(hint, plot), "") << hint << "\nand the plot:\n" << plot;
  }
  EXPECT_GE(sent, reach(15, 1));
}

// A slow machine opens some scenes with fewer fibers, discs or cells: a hint must be true there too. The window and the
// page state the number that is open (count_text).
TEST(HintNumbers, AreNotOfWhatAMachineMayLower) {
  int lowered = 0;
  for (const SceneEntry& entry : tested_scenes()) {
    const Scene scene = load_scene(entry.path());
    std::set<double> numbers;
    if (!scene.count.label.empty()) numbers.insert(scene.setup.width);
    for (const std::shared_ptr<const Scene>& lighter : scene.lightness.lighter) {
      if (lighter->setup.width != scene.setup.width)
        numbers.insert({scene.setup.width * 1.0, scene.setup.height * 1.0});
      const auto count = scene.setup.parameters.find("count"), fewer = lighter->setup.parameters.find("count");
      if (count != scene.setup.parameters.end() && fewer != lighter->setup.parameters.end() &&
          count->second != fewer->second)
        numbers.insert(count->second);
    }
    lowered += !numbers.empty();
    for (const std::string& hint : {scene.hint, scene.touch_hint, scene.kiosk_hint})
      for (const double stated : numbers_of(hint))
        EXPECT_FALSE(numbers.contains(stated)) << entry.path() << ": " << hint;
  }
  EXPECT_GT(lowered, reach(10, 0));
}

TEST(HintNumbers, AreFoundInATextByTheirDigits) {
  EXPECT_EQ(numbers_of("A ball of 700 fibers, radius 6.5; 24 000 steps"), (std::vector<double>{700, 6.5, 24000}));
  EXPECT_TRUE(numbers_of("no number").empty());
}

TEST(HintSubject, IsAWordOfBothInAnyForm) {
  EXPECT_EQ(common_subject("Compares the frequencies with theory", "Frequency of the mode, theory"), "frequencies");
  EXPECT_EQ(common_subject("in its second mode.", "theory: the standing modes"), "mode");
  EXPECT_EQ(common_subject("The tab Plots shows the temperature.", "Speeds; theory: Maxwell"), "");
  EXPECT_EQ(common_subject("The waves are shorter", "Wavelength"), "");
}

}  // namespace
}  // namespace perturb
