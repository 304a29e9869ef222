// The load dragged with a real pointer in a real window: an X server without a screen (Xvfb), xdotool for the hand, and the
// state that the program saves for eyes. Skipped, visibly, where these are missing.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/files/recorder.h"
#include "app/files/state_file.h"
#include "app/ui/layout.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

TEST(MembraneWindow, ADraggedLoadIsWhereThePointerLetItGo) {
  for (const char* program : {"Xvfb", "xdotool"})
    if (find_program(program).empty()) GTEST_SKIP() << program << " is not installed";
  const fs::path folder = fs::temp_directory_path() / ("perturb-membrane-window-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const VirtualScreen screen(folder);
  if (screen.display().empty()) GTEST_SKIP() << "Xvfb does not start here";
  const auto output = [&] {
    std::ifstream file(folder / "output.txt");
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::vector<std::pair<std::string, std::string>> environment = {{"DISPLAY", screen.display()},
                                                                        {"LIBGL_ALWAYS_SOFTWARE", "1"},
                                                                        {"WAYLAND_DISPLAY", ""},
                                                                        {"XDG_SESSION_TYPE", "x11"},
                                                                        {"ASAN_OPTIONS", "detect_leaks=0"}};
  constexpr int width = 1000, height = 640;
  Process program({PERTURB_BINARY, "membrane/load", "--backend", "cpu", "--set", "level=3", "--window-size",
                   std::to_string(width) + "x" + std::to_string(height), "--ui-scale", "1"},
                  folder, environment);
  const auto xdotool = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "xdotool");
    Process hand(arguments, folder, environment);
    return eventually([&] { return hand.ended(); }) ? hand.code() : -1;
  };
  ASSERT_TRUE(eventually([&] {
    return program.ended() || xdotool({"search", "--onlyvisible", "--class", "perturb"}) == 0;
  }));
  ASSERT_FALSE(program.ended()) << output();
  const Layout layout = make_layout(width, height, 1, 1, true);
  const auto screen_x = [&](double x) {
    const Camera::Point p = Camera{}.to_pixel(x, 0.5, layout.viewport().width, layout.viewport().height, 1, 1);
    return std::to_string(static_cast<int>(layout.picture.x + p.x));
  };
  const auto screen_y = [&](double y) {
    const Camera::Point p = Camera{}.to_pixel(0.5, y, layout.viewport().width, layout.viewport().height, 1, 1);
    return std::to_string(static_cast<int>(layout.picture.y + layout.viewport().height - p.y));
  };
  ASSERT_EQ(xdotool({"mousemove", screen_x(0.3), screen_y(0.4)}), 0) << output();
  // Pressed, drawn across, and let go elsewhere.
  ASSERT_EQ(xdotool({"mousedown", "1"}), 0);
  ASSERT_EQ(xdotool({"mousemove", screen_x(0.5), screen_y(0.5)}), 0);
  ASSERT_EQ(xdotool({"mousemove", screen_x(0.72), screen_y(0.3)}), 0);
  ASSERT_EQ(xdotool({"mouseup", "1"}), 0);
  const auto saved = [&]() -> fs::path {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".h5" && entry.path().filename().string().front() != '.') return entry.path();
    return {};
  };
  // The frames of a busy machine may be long: saved until the move has arrived.
  State state;
  double x = 0, y = 0;
  ASSERT_TRUE(eventually([&] {
    if (const fs::path old = saved(); !old.empty()) fs::remove(old);
    if (xdotool({"key", "ctrl+s"}) != 0 || !eventually([&] { return !saved().empty() || program.ended(); }))
      return false;
    if (program.ended()) return true;
    state = load_state(saved().string());
    x = std::stod(state.parameters.at("source_x")), y = std::stod(state.parameters.at("source_y"));
    return std::abs(x - 0.72) < 0.01;
  })) << x
      << ' ' << output();
  ASSERT_FALSE(program.ended()) << output();
  EXPECT_NEAR(x, 0.72, 0.005) << "a pixel is 0.002";
  EXPECT_NEAR(y, 0.30, 0.005);
  // And the membrane is highest there.
  const auto rows = static_cast<std::size_t>(state.height), columns = static_cast<std::size_t>(state.width);
  const std::vector<double> u = state.get<double>("u", {rows, columns});
  const auto highest = static_cast<std::size_t>(std::max_element(u.begin(), u.end()) - u.begin());
  EXPECT_NEAR((static_cast<double>(highest % columns) + 0.5) / state.width, x, 0.06)
      << "drawn towards the middle a little";
  EXPECT_NEAR((static_cast<double>(highest / columns) + 0.5) / state.height, y, 0.06);
  EXPECT_EQ(xdotool({"key", "ctrl+q"}), 0);
  EXPECT_TRUE(eventually([&] { return program.ended(); }));
  EXPECT_EQ(program.code(), 0) << output();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace
}  // namespace perturb
