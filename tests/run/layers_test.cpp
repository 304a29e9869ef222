// A second quantity drawn over the first: the positions of its lines, the pixels that it does not change, and the
// option that selects it.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/toml_text.h"
#include "app/io/state/script_file.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/simulation.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

constexpr int picture_width = 512, picture_height = 256;

Scene scene_of_size(const std::string& path, int width, int height) {
  Scene scene = load_scene(path);
  scene.setup.width = width;
  scene.setup.height = height;
  return scene;
}

std::vector<std::uint32_t> picture_of(Backend& backend, Simulation& simulation, ViewSettings view) {
  const Quantity& quantity = simulation.info().quantities[quantity_index(simulation.info(), view.quantity)];
  if (view.colormap.empty()) view.colormap = quantity.colormap;
  const ColorTable table(backend, find_colormap(view.colormap));
  Array<std::uint32_t> memory(backend, picture_width * picture_height, "picture");
  simulation.paint_view({memory.data(), picture_width, picture_height, picture_width}, Camera{}, view, table);
  backend.synchronize();
  return memory.download();
}

ViewSettings with_layer(const std::string& quantity, const std::string& words) {
  ViewSettings view;
  view.quantity = quantity;
  view.layer = parse_layer(words);
  return view;
}

class Layers : public OnEachBackend {
 protected:
  std::vector<std::uint32_t> picture(Experiment& run, const ViewSettings& view) {
    return picture_of(backend(), run.simulation(), view);
  }
};
PERTURB_ON_EACH_BACKEND(Layers);

TEST_P(Layers, LinesOfTheSpeedMapAreTheOutlineOfTheLens) {
  const Scene scene = scene_of_size("wave/lens", 512, 256);
  Experiment run(backend(), scene);
  run.advance(40);
  const std::vector<std::uint32_t> plain = picture(run, with_layer("height", "none")),
                                   lined = picture(run, with_layer("height", "speed,lines,7"));
  const Action* lens = nullptr;
  for (const Action& action : scene.setup.actions)
    if (action.kind == "lens") lens = &action;
  ASSERT_TRUE(lens);
  const double middle_x = lens->get("x") * picture_width, middle_y = lens->get("y") * picture_height,
               a = lens->get("radius_x") * picture_width, b = lens->get("radius_y") * picture_height;
  // Distance of a pixel from the outline, to first order.
  const auto away = [&](double x, double y) {
    const double u = (x - middle_x) / a, v = (y - middle_y) / b, r = std::hypot(u, v);
    return std::abs(r - 1) * r / std::max(1e-9, std::hypot(u / a, v / b));
  };
  std::vector<bool> inked(plain.size(), false);
  for (std::size_t k = 0; k < plain.size(); ++k) {
    if (plain[k] == lined[k]) continue;
    inked[k] = true;
    const double x = static_cast<double>(k % picture_width) + 0.5, y = static_cast<double>(k / picture_width) + 0.5;
    EXPECT_LT(away(x, y), 3) << "pixel " << x << ", " << y;
  }
  int met = 0;
  constexpr int places = 360;
  for (int i = 0; i < places; ++i) {
    const double angle = 2 * std::numbers::pi * i / places;
    const auto x = static_cast<int>(middle_x + a * std::cos(angle)),
               y = static_cast<int>(middle_y + b * std::sin(angle));
    bool near = false;
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx)
        near = near || inked[static_cast<std::size_t>((y + dy) * picture_width + x + dx)];
    met += near ? 1 : 0;
  }
  EXPECT_GT(met, 0.98 * places) << "the line is whole";
}

// In a standing mode sin(m π x) sin(n π y), the line of value v is where theory predicts.
TEST_P(Layers, LinesLieWhereTheFieldHasTheirValue) {
  Scene scene = scene_of_size("wave/modes", 256, 128);
  scene.setup.actions.clear();
  scene.setup.actions.push_back({"mode", {{"m", 1}, {"n", 1}, {"amplitude", 1}}, "", nullptr});
  Experiment run(backend(), scene);
  // One line in the middle of 0 to 1: at 0.5.
  const std::vector<std::uint32_t> plain = picture(run, with_layer("velocity", "none")),
                                   lined = picture(run, with_layer("velocity", "height,lines,1,0,1"));
  int count = 0;
  for (std::size_t k = 0; k < plain.size(); ++k) {
    if (plain[k] == lined[k]) continue;
    ++count;
    const double x = (static_cast<double>(k % picture_width) + 0.5) / picture_width,
                 y = (static_cast<double>(k / picture_width) + 0.5) / picture_height;
    EXPECT_NEAR(std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y), 0.5, 0.03) << x << ", " << y;
  }
  EXPECT_GT(count, 600) << "about its length in pixels, once or twice";
  EXPECT_LT(count, 2400);
}

TEST_P(Layers, DyeLiesOverVorticityWhereThereIsDye) {
  Scene scene = scene_of_size("lbm/sheet", 128, 64);
  scene.setup.actions = {{"dye", {{"x0", 0.5}, {"y0", 0.5}, {"x1", 0.5}, {"y1", 0.5}, {"radius", 8}}, "", nullptr}};
  Experiment run(backend(), scene);
  const std::vector<std::uint32_t> plain = picture(run, with_layer("vorticity", "none")),
                                   dyed = picture(run, with_layer("vorticity", "dye,colors"));
  const auto at = [](double x, double y) {
    return static_cast<std::size_t>(y * picture_height) * picture_width + static_cast<std::size_t>(x * picture_width);
  };
  EXPECT_NE(plain[at(0.5, 0.5)], dyed[at(0.5, 0.5)]);
  EXPECT_EQ(plain[at(0.1, 0.5)], dyed[at(0.1, 0.5)]);
  EXPECT_EQ(plain[at(0.5, 0.9)], dyed[at(0.5, 0.9)]);
}

TEST_P(Layers, EveryQuantityThatCanLieOverAnotherDoesSoAlikeOnBothBackends) {
  const auto cpu = Backend::make_cpu(1);
  for (const SimulationInfo* info : catalog()) {
    Scene scene = load_scene(info->id);
    if (info->quantities.front().can_overlay) {
      scene.setup.width = 64;
      scene.setup.height = 32;
    }
    if (info->id == "membrane" || !info->quantities.front().can_overlay) continue;  // rounding, and bodies
    Experiment here(backend(), scene), there(*cpu, scene);
    here.choose_kernel("auto");
    for (const Quantity& quantity : info->quantities) {
      if (!quantity.can_overlay) continue;
      for (const char* way : {",lines,5", ",colors"}) {
        const ViewSettings view = with_layer(info->quantities.front().id, quantity.id + way);
        EXPECT_EQ(picture_of(backend(), here.simulation(), view), picture_of(*cpu, there.simulation(), view))
            << info->id << ": " << quantity.id << way;
      }
    }
  }
}

TEST(LayerWords, SayWhatCannotLieOverWhat) {
  const auto error_of = [](const std::string& simulation, const std::string& quantity, const std::string& words) {
    return layer_error(find_simulation(simulation), with_layer(quantity, words));
  };
  EXPECT_EQ(error_of("wave", "height", "speed"), "");
  EXPECT_EQ(error_of("wave", "surface", "none"), "");
  EXPECT_NE(error_of("wave", "surface", "speed").english().find("depth"), std::string::npos);
  EXPECT_NE(error_of("wave", "height", "water").english().find("as a layer"), std::string::npos);
  EXPECT_NE(error_of("particles", "speed", "speed").english().find("bodies"), std::string::npos);
  EXPECT_NE(error_of("fibers", "speed", "speed"), "");
  EXPECT_THROW(error_of("wave", "height", "depth"), InputError);
}

TEST(LayerWords, AreReadAndWrittenAlike) {
  for (const char* words :
       {"none", "dye,colors", "dye,colors,0,0.5", "speed,lines,7", "height,lines,12,-0.1,0.1", "height,lines,99"})
    EXPECT_EQ(layer_option(parse_layer(words)), words);
  EXPECT_EQ(layer_option(parse_layer("speed")), "speed,lines,7");
  for (const char* wrong : {"", ",", "dye,lots", "dye,lines,0", "dye,lines,100", "dye,lines,2.5", "dye,lines,3,1",
                            "dye,lines,3,1,1", "dye,colors,a,b", "dye,colors,0,1,2", "dye,lines,nan"})
    EXPECT_THROW(parse_layer(wrong), InputError) << wrong;
}

TEST(LayerWords, StandInPresetsAndScripts) {
  const std::string text = "title = 'x'\n[view]\nquantity = 'vorticity'\nlayer = { quantity = 'dye', as = 'colors' }\n";
  const Scene scene = parse_scene(text, "mine.toml", "lbm", "mine");
  EXPECT_EQ(layer_option(scene.view.layer), "dye,colors");
  EXPECT_EQ(parse_scene(text_of_preset(scene), "again.toml", "lbm", "again").view.layer, scene.view.layer);
  for (const char* layer : {"{ as = 'lines' }", "{ quantity = 'die' }", "{ quantity = 'dye', as = 'dots' }",
                            "{ quantity = 'dye', lines = 0 }", "{ quantity = 'dye', range = [1, 0] }"})
    EXPECT_THROW(parse_scene("[view]\nlayer = " + std::string(layer), "mine.toml", "lbm", "mine"), InputError) << layer;
  // A restarted run keeps the layer, and so does one that removed the layer of its preset.
  const auto backend = Backend::make_cpu(1);
  Experiment run(*backend, scene_of_size("lbm/sheet", 64, 32));
  ViewChange shown = run.shown();
  shown.view.layer = parse_layer("speed,lines,3");
  run.advance(1);
  run.show(shown);
  EXPECT_NE(command_line_of(run).find("--layer speed,lines,3"), std::string::npos) << command_line_of(run);
  EXPECT_NE(script_of(run).find("lines = 3"), std::string::npos) << script_of(run);
}

}  // namespace
}  // namespace perturb
