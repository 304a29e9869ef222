// The window opens as in the last session.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/io/files/settings_file.h"
#include "tests/support/real_window.h"

namespace perturb {
namespace {

class WindowRestore : public RealWindow {
 protected:
  // Without the size that other tests request.
  void start_restored(std::vector<std::string> words = {}) {
    words.insert(words.end(), {"--backend", "cpu", "--ui-scale", "1", "--output-folder", "."});
    start_without_defaults(words);
  }
  std::string settings() const {
    std::ifstream file(folder_ / "config/perturb/settings.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool shows(const std::string& scene) {
    return eventually([&] { return screenshot() && last_name_.find("perturb-" + scene + "-") == 0; });
  }
  // Saved images contain the domain, which fills the view in one direction.
  bool image_fills(int view_width, int view_height) {
    if (!screenshot()) return false;
    const auto image = load_grey_image((folder_ / last_name_).string());
    return image->width <= view_width && image->height <= view_height &&
           (image->width == view_width || image->height == view_height);
  }
};

TEST_F(WindowRestore, RestoresSceneSizeTextAndPanels) {
  start_restored({"wave/lens"});
  ASSERT_TRUE(screenshot());
  key("bracketright");
  ASSERT_TRUE(shows("wave-ellipse"));
  ASSERT_EQ(
      xdotool({"search", "--onlyvisible", "--class", "perturb", "windowsize", "900", "560", "windowmove", "30", "20"}),
      0);
  key("ctrl+plus");
  key("Tab");  // no panels: the view fills the window
  ASSERT_TRUE(eventually([this] { return image_fills(900, 560); }));
  quit();
  EXPECT_NE(settings().find("\"open\": \"wave/ellipse\""), std::string::npos) << settings();
  EXPECT_NE(settings().find("\"text_scale\": 1.1"), std::string::npos) << settings();
  EXPECT_NE(settings().find("\"x\": 30"), std::string::npos) << settings();

  start_restored();
  ASSERT_TRUE(shows("wave-ellipse")) << last_name_;
  EXPECT_TRUE(image_fills(900, 560));
  quit();

  // The command line takes precedence, and --fresh changes nothing in the settings.
  const std::string before = settings();
  start_restored({"wave/rain", "--fresh", "--window-size", "700x500"});
  ASSERT_TRUE(shows("wave-rain")) << last_name_;
  EXPECT_FALSE(image_fills(700, 500)) << "panels are there";
  quit();
  EXPECT_EQ(settings(), before);
}

// A crash loses no setting, and the end takes back nothing that another window has written.
TEST_F(WindowRestore, WritesASettingWhenItChanges) {
  start_restored({"wave/lens"});
  ASSERT_TRUE(screenshot());
  key("ctrl+plus");
  ASSERT_TRUE(eventually([this] { return settings().find("\"text_scale\": 1.1") != std::string::npos; })) << settings();
  {
    SettingsFile other((folder_ / "config/perturb/settings.json").string());
    Settings light = other.settings();
    light.theme = "light";
    light.text_scale = 1.5;
    other.keep(light);
  }
  key("Tab");
  ASSERT_TRUE(eventually([this] { return settings().find("\"panels\": false") != std::string::npos; })) << settings();
  quit();
  EXPECT_NE(settings().find("\"theme\": \"light\""), std::string::npos) << settings();
  EXPECT_NE(settings().find("\"text_scale\": 1.5"), std::string::npos) << settings();
}

TEST_F(WindowRestore, OpensTheOpeningSceneWhenSettingsAreInvalid) {
  std::filesystem::create_directories(folder_ / "config/perturb");
  for (const char* text :
       {"{\"format\": 1, \"open\": \"/none/gone.toml\"}", "{\"format\": 1, \"open\": \"lesson gone\"}", "rubbish"}) {
    std::ofstream(folder_ / "config/perturb/settings.json") << text;
    start_restored();
    ASSERT_TRUE(shows("wave-surface")) << text << last_name_;
    quit();
    EXPECT_NE(settings().find("\"open\": \"wave/surface\""), std::string::npos) << settings();
  }
}

// On a screen of 1280 x 900: the usual size, with as much room above as below.
TEST_F(WindowRestore, FirstWindowSuitsTheScreen) {
  start_restored();
  ASSERT_TRUE(shows("wave-surface")) << last_name_;
  quit();
  EXPECT_NE(settings().find("\"width\": 1280"), std::string::npos) << settings();
  EXPECT_NE(settings().find("\"height\": 720"), std::string::npos) << settings();
  EXPECT_NE(settings().find("\"y\": 90"), std::string::npos) << settings();
}

}  // namespace
}  // namespace perturb
