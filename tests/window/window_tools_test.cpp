// Every tool of every simulation in a real window: each effect that its help text states is visible after input by a
// real pointer.
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/io/image/recorder.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/state_file.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

bool says(const std::string& text, const char* pattern) { return std::regex_search(text, std::regex(pattern)); }

// A small scene of each, which restarts quickly for every input.
std::vector<std::string> scene_of(const std::string& simulation) {
  const std::map<std::string, std::vector<std::string>> scenes = {
      {"wave", {"wave/droplet", "--size", "128x128", "--steps-per-frame", "1"}},
      {"lbm", {"lbm/cylinder", "--size", "200x100", "--steps-per-frame", "1"}},
      {"particles", {"particles/break", "--steps-per-frame", "1"}},
      {"fibers", {"fibers/cloud", "--size", "30x1", "--set", "views=side", "--set", "follow=0"}},
      {"membrane", {"membrane/load", "--set", "level=3", "--set", "frequency=2"}}};
  const auto found = scenes.find(simulation);
  return found == scenes.end() ? std::vector<std::string>{simulation} : found->second;
}

// One input for a tool: a drag with a button and held keys, a letter or a digit, or the wheel.
struct ToolInput {
  std::string what;
  int button = 0;  // 1 left, 3 right, 4 the wheel, 0 a letter or a digit
  std::string held;
  std::string letter;
};

// `digit`: the key that chooses the tool.
std::vector<ToolInput> inputs_of(const Tool& tool, const std::string& digit) {
  std::vector<ToolInput> inputs;
  if (tool.immediate) inputs.push_back({"the digit " + digit, 0, "", digit});
  if (says(tool.help, "Left|[Dd]rag")) inputs.push_back({"left", 1, "", ""});
  if (says(tool.help, "Ctrl[^ ]|Ctrl$")) inputs.push_back({"Ctrl and left", 1, "ctrl", ""});
  if (says(tool.help, "Right")) inputs.push_back({"right", 3, "", ""});
  if (says(tool.help, "Shift")) inputs.push_back({"Shift and right", 3, "shift", ""});
  if (!tool.key.empty()) inputs.push_back({"the letter " + tool.key, 0, "", tool.key});
  if (tool.wheel) inputs.push_back({"Ctrl and the wheel", 4, "ctrl", ""});
  return inputs;
}

class WindowTools : public RealWindow, public testing::WithParamInterface<std::string> {
 protected:
  struct Place {
    double x, y;
  };
  // The scene from its start, with the first `count` inputs, a step within each, and one step after them.
  void play(const std::vector<ToolInput>& inputs, std::size_t count, Place at) {
    key("r");
    for (std::size_t k = 0; k < count; ++k) act(inputs[k], at);
    key("n");
  }
  void act(const ToolInput& input, Place at) {
    move_to(at.x, at.y);
    if (!input.letter.empty()) {
      key(input.letter);
      return key("n");
    }
    std::vector<std::string> words;
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    if (!input.held.empty()) add({"keydown", input.held});
    if (input.button == 4) {
      add({"click", "--repeat", "3", "4"});
      if (!input.held.empty()) add({"keyup", input.held});
      ASSERT_EQ(xdotool(words), 0);
      return key("n");
    }
    add({"mousedown", std::to_string(input.button)});
    for (int k = 1; k <= 4; ++k)
      add({"mousemove", std::to_string(static_cast<int>(at.x) + 12 * k),
           std::to_string(static_cast<int>(at.y) - 6 * k)});
    if (!input.held.empty()) add({"keyup", input.held});
    add({"key", "n", "mouseup", std::to_string(input.button)});
    ASSERT_EQ(xdotool(words), 0);
  }
  // Positions to try: the middle, the middles of bodies (areas of one colour), and others on visible objects.
  std::vector<Place> places(const GreyImage& picture) const {
    std::vector<Place> list = {{0.4 * picture.width, 0.45 * picture.height},
                               {0.5 * picture.width, 0.5 * picture.height}};
    const auto grey_at = [&](int x, int y) {
      const auto across = static_cast<std::size_t>(picture.width);
      const float value =
          picture.values[static_cast<std::size_t>(picture.height - 1 - y) * across + static_cast<std::size_t>(x)];
      return static_cast<int>(255 * value);
    };
    std::map<int, int> greys;
    for (const float v : picture.values) ++greys[static_cast<int>(255 * v)];
    int common = 0;
    for (const auto& [grey, count] : greys)
      if (count > greys[common]) common = grey;
    struct Patch {
      double x = 0, y = 0;
      int count = 0;
    };
    std::map<int, Patch> bodies;
    std::vector<Place> things;
    for (int y = 60; y < picture.height - 60; ++y)
      for (int x = 100; x < picture.width - 100; ++x) {
        const int grey = grey_at(x, y);
        if (std::abs(grey - common) <= 8) continue;
        things.push_back({static_cast<double>(x), static_cast<double>(y)});
        bool is_flat = true;
        for (int k = -10; is_flat && k <= 10; k += 2)
          is_flat = grey_at(x + k, y) == grey && grey_at(x, y + k) == grey && grey_at(x + k, y + k) == grey;
        Patch& patch = bodies[grey];
        if (is_flat) patch = {patch.x + x, patch.y + y, patch.count + 1};
      }
    // The middle of a border is not on the border.
    for (const auto& [grey, patch] : bodies)
      if (patch.count > 0 &&
          grey_at(static_cast<int>(patch.x / patch.count), static_cast<int>(patch.y / patch.count)) == grey)
        list.push_back({patch.x / patch.count, patch.y / patch.count});
    constexpr std::size_t tries = 12;
    for (std::size_t k = 0; k < tries && !things.empty(); ++k)
      list.push_back(things[(2 * k + 1) * things.size() / (2 * tries)]);
    return list;
  }
  // Number of the first inputs, one after the other, that each have an effect at this position: in the view or, if
  // `thoroughly`, in a parameter or a message.
  std::size_t count_handled(const std::vector<ToolInput>& inputs, Place place, bool thoroughly) {
    play(inputs, 0, place);
    for (std::size_t answered = 0; answered < inputs.size(); ++answered) {
      // The same steps without the input: one more after the inputs so far.
      key("n");
      move_to(place.x, place.y);
      const auto before = screenshot();
      play(inputs, answered + 1, place);
      move_to(place.x, place.y);
      const auto after = screenshot();
      EXPECT_TRUE(before && after);
      if (!before || !after) return answered;
      const bool wheel = inputs[answered].button == 4;  // must not only zoom the view
      if (!wheel && !(before->values == after->values)) continue;
      if (!wheel && !thoroughly) return answered;
      // No visible effect: there may be one in a parameter or a message. Selections persist across a restart, so the
      // values without the input are read first.
      play(inputs, answered, place);
      key("n");
      const auto values_before = values();
      play(inputs, answered + 1, place);
      bool changed = values() != values_before;
      if (!wheel && !changed) {
        // A new message, not that of an earlier input.
        play({}, 0, place);
        wait_for_frame();
        const auto silence = said();
        play({inputs[answered]}, 1, place);
        wait_for_frame();
        changed = said() != silence;
      }
      play(inputs, answered + 1, place);
      if (!changed) return answered;
    }
    return inputs.size();
  }
  std::map<std::string, std::string> values() {
    const auto file = saved_state();
    return file.empty() ? std::map<std::string, std::string>{} : load_state(file.string()).parameters;
  }
  // The part of the window with the message that an effect is visible in another quantity.
  std::vector<std::uint8_t> said() {
    const auto rgb = capture_window();
    return {rgb.begin(), rgb.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rgb.size(), 3 * width * 60))};
  }
};

TEST_P(WindowTools, ShowsEffectOfEveryInputOfEveryTool) {
  SKIP_UNDER_SANITIZERS("goes through all controls; tests of single ones remain");
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  const SimulationInfo& info = find_simulation(GetParam());
  // A small window: drawing takes most of the time.
  std::vector<std::string> words = scene_of(GetParam());
  words.insert(words.end(), {"--colormap", "grey"});
  start_command(words, 900, 600);
  ASSERT_TRUE(paused_image());
  key("Escape");  // the hint
  for (std::size_t t = 0; t < info.tools.size() && t < 9; ++t) {
    const Tool& tool = info.tools[t];
    const std::string digit = std::to_string(t + 1);
    const std::vector<ToolInput> inputs = inputs_of(tool, digit);
    EXPECT_FALSE(inputs.empty()) << tool.id << " does not say what it does";
    key(digit);
    key("r");
    const auto begin = screenshot();
    ASSERT_TRUE(begin);
    // Tries positions until every input has an effect at one; otherwise reports the first input without an effect at
    // the best position. Effects without a visible change are checked at the first position, and elsewhere only if
    // needed.
    const std::vector<Place> list = places(*begin);
    std::size_t most = 0;
    for (const bool thoroughly : {false, true})
      for (const Place& place : list)
        if (most < inputs.size())
          most = std::max(most, count_handled(inputs, place, thoroughly || &place == &list.front()));
    EXPECT_EQ(most, inputs.size()) << tool.id << ": no answer to " << inputs[std::min(most, inputs.size() - 1)].what
                                   << "; the program said: " << output();
  }
  quit();
}

std::vector<std::string> simulations() {
  std::vector<std::string> ids;
  for (const SimulationInfo* info : catalog()) ids.push_back(info->id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(All, WindowTools, testing::ValuesIn(simulations()),
                         [](const testing::TestParamInfo<std::string>& one) { return one.param; });

// Every effect stated in the help text is in the tables.
TEST(ToolTables, MatchTheirHelpText) {
  for (const SimulationInfo* info : catalog()) {
    bool wheel = false;
    std::string keys;
    for (const Tool& tool : info->tools) {
      wheel = wheel || tool.wheel;
      keys += tool.key;
      EXPECT_EQ(says(tool.help, "[Ww]heel"), tool.wheel) << info->id << ": " << tool.id;
    }
    for (const ActionKind& kind : info->actions) {
      for (const std::string& id : kind.visible_in)
        EXPECT_TRUE(std::any_of(info->quantities.begin(), info->quantities.end(),
                                [&](const Quantity& q) { return q.id == id; }))
            << kind.id << ": " << id;
      for (const std::string& id : kind.visible_with)
        EXPECT_TRUE(std::any_of(info->parameters.begin(), info->parameters.end(),
                                [&](const Parameter& p) { return p.id == id; }))
            << kind.id << ": " << id;
    }
    for (const std::string& preset : preset_ids(info->id)) {
      const std::string hint = load_scene(info->id + "/" + preset).hint;
      EXPECT_TRUE(wheel || !says(hint, "wheel")) << info->id << '/' << preset << ": " << hint;
      const std::regex named("[Kk]ey ([A-Z])|or ([A-Z]) to");
      for (std::sregex_iterator it(hint.begin(), hint.end(), named), end; it != end; ++it) {
        std::string letter = (*it)[1].matched ? (*it)[1] : (*it)[2];
        letter[0] = static_cast<char>(letter[0] - 'A' + 'a');
        EXPECT_TRUE(keys.find(letter) != std::string::npos || find_command(letter)) << info->id << '/' << preset;
      }
    }
  }
}

}  // namespace
}  // namespace perturb
