// Files in a real window: chosen by keyboard, written to the desktop's folders, and their folder shown.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class WindowFiles : public RealWindow {
 protected:
  void type(const std::string& text) { ASSERT_EQ(xdotool({"type", "--delay", "20", text}), 0) << output(); }
};

TEST_F(WindowFiles, ChoosesFileByTypingItsName) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  fs::create_directories(folder_ / "presets/deep");
  std::ofstream(folder_ / "presets/deep/my-tank.toml")
      << "title = 'Tank'\nsimulation = 'wave'\nsize = [64, 64]\nhint = 'None.'\n";
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  key("ctrl+o");
  wait_for_typing();
  for (const char* name : {"presets", "deep", "tank"}) {
    type(name);
    wait_for_typing();
    key("Return");
    wait_for_typing();
  }
  EXPECT_TRUE(eventually([&] { return screenshot() && last_name_.find("perturb-wave-my-tank-") == 0; })) << last_name_;
}

TEST_F(WindowFiles, SavesStateUnderName) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  key("ctrl+shift+e");
  wait_for_typing();
  type("half-time");
  key("Return");
  EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "half-time.perturb") || program_->ended(); })) << output();
}

TEST_F(WindowFiles, SavesToDesktopFoldersAndShowsThem) {
  fs::create_directories(folder_ / "Bilder");
  fs::create_directories(folder_ / "Texte");
  fs::create_directories(folder_ / "config");
  std::ofstream(folder_ / "config/user-dirs.dirs") << "XDG_PICTURES_DIR=\"" << (folder_ / "Bilder").string() << "\"\n"
                                                   << "XDG_DOCUMENTS_DIR=\"" << (folder_ / "Texte").string() << "\"\n";
  // Records what the desktop would open.
  const fs::path program = folder_ / "bin/xdg-open";
  fs::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\nprintf '%s' \"$1\" > '" << (folder_ / "shown").string() << "'\n";
  fs::permissions(program, fs::perms::owner_all);
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (program.parent_path().string() + ":" + path).c_str(), 1);
  start_without_defaults({"wave/droplet", "--size", "64x64", "--backend", "cpu"});
  setenv("PATH", path.c_str(), 1);
  const auto has_file = [&](const char* folder) { return !fs::is_empty(folder_ / folder); };
  key("p");
  EXPECT_TRUE(eventually([&] { return has_file("Bilder") || program_->ended(); })) << output();
  key("ctrl+s");
  EXPECT_TRUE(eventually([&] { return has_file("Texte") || program_->ended(); })) << output();
  EXPECT_TRUE(eventually([&] {
    key("ctrl+shift+o");
    wait_for_typing();
    return text_of(folder_ / "shown") == (folder_ / "Texte").string() || program_->ended();
  })) << text_of(folder_ / "shown");
}

}  // namespace
}  // namespace perturb
