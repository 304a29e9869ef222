// The scene browser: its entries, its search, its thumbnails, and its cards at common window sizes.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/browser/browser_entry.h"
#include "app/browser/thumbnails.h"
#include "app/i18n/language.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/keyboard_navigation.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

class SceneBrowser : public ScratchFolder {
 protected:
  std::string user_preset(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(path("presets/wave"));
    return write("presets/wave/" + name, text);
  }
};

TEST_F(SceneBrowser, ListsEveryScenePresetRaceAndLesson) {
  const std::string mine = user_preset("my-tank.toml", "title = 'My tank'\nhint = 'Look at v. 2. Then stop.'\n");
  user_preset("broken.toml", "title = 3\n");
  user_preset(".hidden.toml", "title = 3\n");
  user_preset("notes.txt", "no preset");
  const BrowserEntries listing = find_browser_entries(path("presets"));
  std::set<std::string> paths;
  for (const BrowserEntry& entry : listing.entries) {
    EXPECT_TRUE(paths.insert(entry.key()).second) << entry.path;
    EXPECT_NE(entry.title, "") << entry.path;
    EXPECT_NE(entry.subtitle, "") << entry.path;
    EXPECT_NE(entry.simulation_title, "") << entry.path;
    EXPECT_NE(preset_text(entry.thumbnail), "") << entry.path << " has no scene to be drawn";
  }
  for (const SceneEntry& scene : all_scenes()) EXPECT_TRUE(paths.count(scene.path())) << scene.path();
  for (const auto& lesson : all_lessons().lessons)
    EXPECT_TRUE(paths.count(BrowserEntry::lesson_key(lesson->path()))) << lesson->path();
  for (const PreparedRace& race : prepared_races()) EXPECT_TRUE(paths.count(path_of_race(race.id))) << race.id;
  EXPECT_EQ(paths.size(), all_scenes().size() + prepared_races().size() + all_lessons().lessons.size() + 1);
  ASSERT_EQ(listing.problems.size(), 1u);
  EXPECT_NE(listing.problems.front().english().find("broken.toml"), std::string::npos);
  const auto found = std::find_if(listing.entries.begin(), listing.entries.end(),
                                  [&](const BrowserEntry& entry) { return entry.path == mine; });
  ASSERT_NE(found, listing.entries.end());
  EXPECT_EQ(found->title, "My tank");
  EXPECT_EQ(first_sentence(found->subtitle), "Look at v.");
  EXPECT_EQ(load_scene(found->path).title, "My tank");
}

TEST_F(SceneBrowser, FindsEntriesThatContainAllWords) {
  const BrowserEntry entry{BrowserEntry::Kind::scene, "Wave tank", "wave/double-slit", "Double slit", "See fringes.",
                           "wave/double-slit"};
  for (const char* words : {"", "  ", "slit", "SLIT double", "tank fringes", "wave/dou"})
    EXPECT_TRUE(matches_search(entry, words)) << words;
  for (const char* words : {"slits", "slit rain", "lesson"}) EXPECT_FALSE(matches_search(entry, words)) << words;
}

TEST_F(SceneBrowser, RanksWholeWordsOfTitlesAndKeywordsFirst) {
  const auto entry = [](const char* title, std::vector<std::string> keywords) {
    BrowserEntry one;
    one.title = title;
    one.keywords = std::move(keywords);
    return one;
  };
  const std::vector<BrowserEntry> in_order = {
      entry("Light and shadow", {}), entry("Lens", {"Light"}),  entry("Gap", {"Waves", "Light waves"}),
      entry("Lighter", {}),          entry("Bird", {"Flight"}), entry("Rain", {})};
  for (std::size_t k = 1; k < in_order.size(); ++k)
    EXPECT_LT(search_rank(in_order[k - 1], "LIGHT"), search_rank(in_order[k], "LIGHT")) << in_order[k].title;
  use_language("de");
  EXPECT_LT(search_rank(entry("Lens", {"Light waves"}), "licht"),
            search_rank(entry("Gap", {"Mixing", "Light waves"}), "licht"));
  use_language("en");
}

TEST_F(SceneBrowser, FindsScenesAndLessonsByTheirKeywords) {
  user_preset("tank.toml", "title = 'Tank'\nkeywords = ['sloshing']\n");
  const BrowserEntries listing = find_browser_entries(path("presets"));
  const auto count = [&](const std::string& words, BrowserEntry::Kind kind) {
    return std::count_if(listing.entries.begin(), listing.entries.end(),
                         [&](const BrowserEntry& entry) { return entry.kind == kind && matches_search(entry, words); });
  };
  for (const char* word : {"interference", "diffraction", "heat", "turbulence", "light", "resonance", "sound"})
    EXPECT_GT(count(word, BrowserEntry::Kind::scene), 0) << word;
  EXPECT_GT(count("diffraction", BrowserEntry::Kind::lesson), 0) << "a lesson is found by its scene's keywords";
  EXPECT_EQ(count("sloshing", BrowserEntry::Kind::user_preset), 1);
  EXPECT_EQ(count("sloshing", BrowserEntry::Kind::scene), 0);
  for (const SceneEntry& scene : all_scenes()) {
    EXPECT_FALSE(scene.keywords.empty()) << scene.path();
    // In lower case it could be an id in a message, and would be translated there.
    for (const std::string& word : scene.keywords)
      EXPECT_TRUE(word.front() >= 'A' && word.front() <= 'Z') << scene.path() << ": " << word;
  }
}

TEST_F(SceneBrowser, FindsKeywordsInTheChosenLanguageInLargeOrSmallLetters) {
  use_language("de");
  const BrowserEntry entry{BrowserEntry::Kind::scene, "Colliding discs", "particles/shock", "Shock", "See it.",
                           "particles/shock",         {"Supersonic"}};
  for (const char* words : {"supersonic", "Überschall", "überschall", "ÜBERSCHALL"})
    EXPECT_TRUE(matches_search(entry, words)) << words;
  use_language("en");
}

TEST_F(SceneBrowser, KeepsKeywordsInASavedPreset) {
  Scene scene = load_scene("wave/double-slit");
  ASSERT_FALSE(scene.keywords.empty());
  const Scene again = parse_scene(text_of_preset(scene), "again.toml", "wave", "again");
  EXPECT_EQ(again.keywords, scene.keywords);
}

TEST(SceneBrowserText, EndsFirstSentenceAtPunctuation) {
  EXPECT_EQ(first_sentence("One. Two."), "One.");
  EXPECT_EQ(first_sentence("Speed 0.5 is slow. Two."), "Speed 0.5 is slow.");
  EXPECT_EQ(first_sentence("no stop"), "no stop");
  EXPECT_EQ(first_sentence(""), "");
}

TEST(SceneBrowserText, MakesFileNameFromTitle) {
  EXPECT_EQ(preset_file_stem("My tank!"), "my-tank");
  EXPECT_EQ(preset_file_stem("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(preset_file_stem("  "), "preset");
  EXPECT_EQ(preset_file_stem("Drei Spalte \u00fc"), "drei-spalte-\u00fc");
}

TEST_F(SceneBrowser, ThumbnailShowsScene) {
  Scene scene = scene_of_width("wave/double-slit", 96);
  StopRequest stop;
  const Picture picture = make_thumbnail(scene, 0.2, stop);
  ASSERT_EQ(picture.width, thumbnail_width);
  ASSERT_EQ(picture.pixels.size(), std::size_t{thumbnail_width} * thumbnail_height);
  EXPECT_GT(std::set<std::uint32_t>(picture.pixels.begin(), picture.pixels.end()).size(), 20u) << "waves have colours";
  save_png(picture, path("picture.png"));
  const std::optional<Picture> again = load_picture(path("picture.png"), thumbnail_width);
  ASSERT_TRUE(again);
  // Opaque, as in the file.
  for (std::size_t k = 0; k < picture.pixels.size(); ++k)
    ASSERT_EQ(again->pixels[k] & 0xFFFFFFu, picture.pixels[k] & 0xFFFFFFu);
  EXPECT_FALSE(load_picture(path("picture.png"), thumbnail_width - 1)) << "larger than asked for";
  EXPECT_FALSE(load_picture(write("bad.png", "\x89PNG no"), 4096));
  EXPECT_FALSE(load_picture(path("none.png"), 4096));
  stop.request_stop();
  EXPECT_THROW(make_thumbnail(scene, 0.2, stop), Stopped);
}

TEST_F(SceneBrowser, MakesThumbnailsInBackgroundAndCachesThem) {
  const std::string mine = user_preset("small.toml", "title = 'A'\nsize = [64, 64]\n");
  const auto wait_for = [&](ThumbnailStore& store, const std::string& scene) -> std::optional<Picture> {
    std::optional<Picture> found;
    eventually([&] {
      store.request(scene);
      for (auto& [name, picture] : store.take())
        if (name == scene) found = std::move(picture);
      return found.has_value();
    });
    return found;
  };
  const auto kept = [&] {
    std::vector<std::string> names;
    std::error_code none;
    for (std::filesystem::directory_iterator entry(path("cache"), none), end; !none && entry != end; ++entry)
      names.push_back(entry->path().filename().string());
    return names;
  };
  {
    ThumbnailStore store(path("cache"), 0.02);
    ASSERT_TRUE(wait_for(store, mine)) << "the quick one";
    ASSERT_TRUE(wait_for(store, mine)) << "the good one";
    EXPECT_EQ(kept(), std::vector<std::string>{thumbnail_file_name(mine, preset_text(mine))});
  }
  // A mark in the cached file shows that the file is used.
  Picture marked{2, 1, {0xFF0000FFu, 0xFF00FF00u}};
  save_png(marked, path("cache/" + thumbnail_file_name(mine, preset_text(mine))));
  {
    ThumbnailStore store(path("cache"), 0.02);
    const auto picture = wait_for(store, mine);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->pixels, marked.pixels);
  }
  // Another text, another thumbnail; the old one is removed.
  user_preset("small.toml", "title = 'B'\nsize = [64, 64]\n");
  {
    ThumbnailStore store(path("cache"), 0.02);
    ASSERT_TRUE(wait_for(store, mine));
    const auto picture = wait_for(store, mine);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, thumbnail_width);
    EXPECT_EQ(kept(), std::vector<std::string>{thumbnail_file_name(mine, preset_text(mine))});
  }
  // Thumbnails that cannot be drawn or stored do not block the others.
  write("file", "");
  ThumbnailStore store(path("file/cache"), 0.02);
  store.request("wave/none");
  EXPECT_TRUE(wait_for(store, mine));
}

class BrowserPanels : public testing::Test {
 protected:
  static Scene tank() { return scene_of_width("wave/droplet", 32); }
  void draw(const Layout& layout, int frames = 3) {
    lay_out(session_, gui_, panels_, layout, frames, Session::Keyboard::typing);
  }
  static std::vector<std::string> words_in_browser() {
    std::vector<std::string> all;
    for (const DrawnText& t : drawn_text())
      if (t.window.find("browser") != std::string::npos) all.push_back(t.text);
    return all;
  }
  bool has(const std::string& text) {
    const auto all = words_in_browser();
    return std::find(all.begin(), all.end(), text) != all.end();
  }
  void tap(ImGuiKey key) {
    for (const bool down : {true, false}) {
      set_imgui_key(key, down);
      draw(layout_, 1);
    }
  }
  void search(const std::string& words) {
    // Clears the previous text first: the field has the focus.
    for (std::size_t k = std::strlen(panels_.states().browser.search); k > 0; --k) tap(ImGuiKey_Backspace);
    ImGui::GetIO().AddInputCharactersUTF8(words.c_str());
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 1};
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  Layout layout_ = make_layout(1280, 12000, 1, 1, true);
};

TEST_F(BrowserPanels, ClipsNoTextAtAnySize) {
  session_.playback().set_playing(false);
  session_.post(CommandId::browse);
  for (const ScreenSize& size : {ScreenSize{1280, 720, 1}, ScreenSize{1024, 768, 2}, ScreenSize{1280, 720, 1.8},
                                 ScreenSize{2560, 1440, 1}, ScreenSize{3840, 2160, 2}, ScreenSize{500, 300, 2}})
    for (const int height : {size.height, static_cast<int>(20000 * size.scale)}) {
      SCOPED_TRACE(words(size));
      const Layout layout = make_layout(size.width, height, 1, size.scale, true);
      draw(layout);
      ASSERT_EQ(session_.interface().overlay, Overlay::browser);
      EXPECT_TRUE(has("Scenes"));
      int lines = 0;
      for (const DrawnText& t : drawn_text()) {
        if (t.window.find("browser") == std::string::npos) continue;
        ++lines;
        EXPECT_FALSE(t.cut_beside) << t.text;
        EXPECT_FALSE(t.cut_above && !is_scrolling(t.window)) << t.text;
        EXPECT_EQ(t.text.find("\u2026"), std::string::npos) << t.text;
        EXPECT_LE(t.box.y + t.box.height, layout.status.y) << t.text;
      }
      // If the window is high enough, all of them are drawn.
      if (height > size.height) {
        EXPECT_GE(lines, 2 * static_cast<int>(all_scenes().size()));
      }
    }
}

TEST_F(BrowserPanels, ShowsRecentEntriesFirstAndSearchResults) {
  session_.playback().set_playing(false);
  session_.post(OpenScene{"wave/rain"});
  session_.post(OpenScene{"wave/lens"});
  session_.post(CommandId::browse);
  draw(layout_);
  EXPECT_EQ(session_.interface().browsing.recent.front(), "wave/lens");
  EXPECT_EQ(session_.interface().browsing.recent.at(1), "wave/rain");
  ASSERT_TRUE(has("Recent"));
  const auto all = words_in_browser();
  EXPECT_LT(std::find(all.begin(), all.end(), "Lens"), std::find(all.begin(), all.end(), "Rain"));
  search("rain");
  draw(layout_);
  EXPECT_FALSE(has("Recent"));
  EXPECT_TRUE(has("Rain"));
  EXPECT_FALSE(has("Lens"));
  // A scene's subject comes before its other contents.
  search("interference");
  draw(layout_);
  const auto about = words_in_browser();
  EXPECT_LT(std::find(about.begin(), about.end(), "Double slit"), std::find(about.begin(), about.end(), "Rain"));
  // Arrow keys choose, whatever has been typed; there is no entry after the last one.
  search("slit wave");
  EXPECT_EQ(panels_.states().browser.chosen, 0u);
  tap(ImGuiKey_RightArrow);
  EXPECT_EQ(panels_.states().browser.chosen, 1u);
  for (int k = 0; k < 9; ++k) tap(ImGuiKey_DownArrow);
  for (int k = 0; k < 9; ++k) tap(ImGuiKey_RightArrow);
  EXPECT_LT(panels_.states().browser.chosen, 6u);
  for (int k = 0; k < 9; ++k) tap(ImGuiKey_UpArrow);
  for (int k = 0; k < 9; ++k) tap(ImGuiKey_LeftArrow);
  EXPECT_EQ(panels_.states().browser.chosen, 0u);
  search("no such scene");
  draw(layout_);
  EXPECT_TRUE(has("No matches. Try fewer or shorter words."));
  session_.post(CommandId::close_overlay);
  draw(layout_);
  EXPECT_TRUE(words_in_browser().empty());
}

}  // namespace
}  // namespace perturb
