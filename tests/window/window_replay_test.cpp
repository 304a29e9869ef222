// A run made with mouse and keyboard in a real window, saved as a script, and repeated without a window.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/state_file.h"
#include "tests/support/laid_out_panels.h"
#include "tests/support/real_window.h"
#include "tests_places.h"

namespace perturb {
namespace {

class WindowReplay : public RealWindow {
 protected:
  void press(const std::string& chord, int times) {
    std::vector<std::string> words = {"key", "--delay", "40"};
    for (int k = 0; k < times; ++k) words.push_back(chord);
    ASSERT_EQ(xdotool(words), 0) << output();
  }
  // Held for several frames: a panel's button needs the press and the release in different frames.
  void press_button(const Camera::Point& at) {
    move_to(at.x, at.y);
    wait_for_frame();
    ASSERT_EQ(xdotool({"mousedown", "1"}), 0) << output();
    wait_for_frame();
    ASSERT_EQ(xdotool({"mouseup", "1"}), 0) << output();
    wait_for_frame();
  }
  // A position in the view, different for each number.
  void poke(int number) {
    move_to(layout_.view_rect.width * (0.25 + 0.01 * (number % 50)), layout_.view_rect.height * (0.3 + 0.007 * number));
    click(number % 3 == 0 ? 3 : 1);
  }
  std::filesystem::path file(const std::string& extension) {
    std::filesystem::path found;
    EXPECT_TRUE(eventually([&] {
      for (const auto& entry : std::filesystem::directory_iterator(folder_))
        if (entry.path().extension() == extension && entry.path().filename().string().front() != '.')
          found = entry.path();
      return !found.empty() || program_->ended();
    })) << output();
    return found;
  }
};

TEST_F(WindowReplay, RebuildsRunFromScriptBitForBit) {
  const std::vector<std::string> scene = {"wave/droplet", "--size", "96x96", "--set", "damping=0.01"};
  std::vector<std::string> window = scene;
  window.insert(window.end(), {"--steps-per-frame", "4", "--colormap", "grey"});
  start_command(window, width, 880);  // so high that a kernel's card is in view
  // Position of the kernel's card, found on panels of the same layout.
  Scene begun = load_scene("wave/droplet");
  begun.setup.width = begun.setup.height = 96;
  LaidOutPanels panels(begun, layout_);
  const double right = layout_.column.x + 0.85 * layout_.column.width;
  const auto tab = panels.search_click({}, right, [](const Session& s) { return s.interface().tab == Tab::kernels; });
  ASSERT_TRUE(tab);
  auto card = panels.search_click({*tab}, layout_.column.x + 0.5 * layout_.column.width,
                                  [](const Session& s) { return s.run().kernel == "fused"; });
  ASSERT_TRUE(card);
  card->y += 40;  // in its middle: the card above is higher or lower with what is known about the choice

  for (int k = 0; k < 15; ++k) poke(k);
  press("r", 1);  // with the pointer over the view
  for (int k = 15; k < 35; ++k) poke(k);
  press_button(*tab);
  press_button(*card);
  for (int k = 35; k < 50; ++k) poke(k);
  press("ctrl+z", 10);
  press("ctrl+shift+z", 3);
  press("ctrl+y", 2);
  drag(1, layout_.view_rect.width * 0.3, layout_.view_rect.height * 0.8, layout_.view_rect.width * 0.7,
       layout_.view_rect.height * 0.7);
  press("period", 1);  // one step, which pauses
  press("ctrl+shift+s", 1);
  const std::filesystem::path script = file(".toml");
  ASSERT_FALSE(script.empty());
  const std::filesystem::path saved = saved_state();
  ASSERT_FALSE(saved.empty());

  // Ten of the fifty were undone and five redone; fifteen are before the restart; one is a drag.
  const std::string text = [&] {
    std::ifstream stream(script);
    return std::string((std::istreambuf_iterator<char>(stream)), {});
  }();
  int kernels = 0, droplets = 0;
  for (const Event& event : parse_script(text, "run.toml", "wave")) {
    kernels += std::holds_alternative<ChooseKernel>(event.change);
    if (const auto* action = std::get_if<Action>(&event.change)) droplets += action->kind == "droplet";
  }
  EXPECT_EQ(kernels, 1) << text;
  EXPECT_GE(droplets, 30) << text;

  const char* binary = std::getenv("PERTURB_TEST_BINARY");
  const char* backend = std::getenv("PERTURB_TEST_BACKEND");
  const std::filesystem::path again = folder_ / "again.perturb";
  Process replay({binary ? binary : PERTURB_BINARY, "--script", script.string(), "--headless", "--backend",
                  backend ? backend : "cpu", "--save", again.string()},
                 folder_, {});
  ASSERT_TRUE(eventually([&] { return replay.ended(); }));
  ASSERT_EQ(replay.code(), 0) << output();
  const State first = load_state(saved.string()), second = load_state(again.string());
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.parameters, second.parameters);
  ASSERT_EQ(first.datasets.size(), second.datasets.size());
  for (const auto& [name, data] : first.datasets) EXPECT_TRUE(data.bytes == second.datasets.at(name).bytes) << name;
}

}  // namespace
}  // namespace perturb
