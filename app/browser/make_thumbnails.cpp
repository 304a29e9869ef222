// Makes the thumbnails that become part of the program. scripts/thumbnails calls it.
//
//   make_thumbnails DIR [--all|SCENE...]    DIR/<simulation>/<preset>.png for each built-in scene without a current
//                                           thumbnail (for all, or for those named), and the keys of all scenes in
//                                           DIR/keys.csv
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "app/browser/thumbnails.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"

namespace {

// Processor time for each scene: what the slowest ones need to look like more than their start.
constexpr double seconds_per_scene = 10;

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("Usage: make_thumbnails DIR [--all|SCENE...]\n", stderr);
    return 2;
  }
  const std::string folder = arguments[1];
  const std::set<std::string> named(arguments + 2, arguments + count);
  try {
    std::string keys = "scene,key\n";
    const perturb::StopRequest stop;
    for (const perturb::SceneEntry& entry : perturb::all_scenes()) {
      const perturb::Scene scene = perturb::load_scene(entry.path());
      keys += entry.path() + "," + perturb::thumbnail_key(scene) + "\n";
      const bool is_named = named.contains("--all") || named.contains(entry.path());
      if (!is_named && perturb::embedded_thumbnail(entry.path())) continue;
      const std::filesystem::path file = folder + "/" + perturb::embedded_thumbnail_name(entry.path());
      std::filesystem::create_directories(file.parent_path());
      perturb::save_png(perturb::make_thumbnail(scene, seconds_per_scene, stop), file.string());
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
    }
    std::ofstream(folder + "/keys.csv") << keys;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_thumbnails: %s\n", error.what());
    return 1;
  }
}
