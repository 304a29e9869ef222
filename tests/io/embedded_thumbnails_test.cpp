// The thumbnails that are part of the program.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/browser/thumbnails.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

const std::filesystem::path folder_of_thumbnails = PERTURB_SOURCE_DIR "/assets/thumbnails";

class EmbeddedThumbnails : public ScratchFolder {};

// The scenes whose thumbnails are part of the program. A new simulation begins without: they are drawn in the
// background until scripts/thumbnails is run for it.
std::vector<SceneEntry> scenes_with_thumbnails() {
  std::vector<SceneEntry> scenes = all_scenes();
  std::erase_if(scenes, [](const SceneEntry& scene) {
    return !std::filesystem::is_directory(folder_of_thumbnails / scene.simulation);
  });
  return scenes;
}

// scripts/thumbnails makes those that are missing here.
TEST_F(EmbeddedThumbnails, ShowEveryPresetAsItIs) {
  const std::vector<SceneEntry> scenes = scenes_with_thumbnails();
  ASSERT_FALSE(scenes.empty());
  for (const SceneEntry& scene : scenes) {
    const std::optional<Picture> picture = embedded_thumbnail(scene.path());
    ASSERT_TRUE(picture) << scene.path() << " has none, or has changed since: run scripts/thumbnails";
    // 16:9, as it is drawn, and with more than one colour.
    EXPECT_NEAR(picture->width * 9.0 / picture->height, 16, 0.2) << scene.path();
    EXPECT_GE(picture->width, 192) << scene.path();
    EXPECT_GT(std::set<std::uint32_t>(picture->pixels.begin(), picture->pixels.end()).size(), 8U) << scene.path();
  }
}

TEST_F(EmbeddedThumbnails, AreSmallAndAllUsed) {
  std::uintmax_t bytes = 0;
  std::size_t images = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_of_thumbnails)) {
    if (!entry.is_regular_file()) continue;
    bytes += entry.file_size();
    if (entry.path().extension() == ".png") ++images;
  }
  EXPECT_LT(bytes, 1000000U);
  EXPECT_EQ(images, scenes_with_thumbnails().size());
}

TEST_F(EmbeddedThumbnails, KeyFollowsWhatIsDrawn) {
  const Scene scene = load_scene("wave/rain");
  const std::string key = thumbnail_key(scene);
  Scene other = scene;
  other.title = "Another title";
  other.hint = "Another hint";
  other.keywords = {"word"};
  other.simple.controls.clear();
  EXPECT_EQ(thumbnail_key(other), key) << "texts are not drawn";
  other = scene;
  other.setup.width += 1;
  EXPECT_NE(thumbnail_key(other), key);
  other = scene;
  other.setup.parameters["damping"] = 0.123;
  EXPECT_NE(thumbnail_key(other), key);
  other = scene;
  other.view.colormap = "grey";
  EXPECT_NE(thumbnail_key(other), key);
}

TEST_F(EmbeddedThumbnails, AreThereAtOnceAndNeedNoFolder) {
  ThumbnailStore store("");
  const std::string scene = "fibers/thousand";  // drawing it takes many seconds
  store.request(scene);
  std::vector<std::pair<std::string, Picture>> taken;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (taken.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    taken = store.take();
  }
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken.front().first, scene);
  const std::optional<Picture> embedded = embedded_thumbnail(scene);
  ASSERT_TRUE(embedded);
  EXPECT_EQ(taken.front().second.pixels, embedded->pixels);
}

TEST_F(EmbeddedThumbnails, UserPresetsHaveNone) {
  EXPECT_FALSE(embedded_thumbnail(write("mine.toml", "simulation = 'wave'\n")));
  EXPECT_FALSE(embedded_thumbnail("wave"));
}

}  // namespace
}  // namespace perturb
