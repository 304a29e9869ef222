// Colours from a user's file.
#include "app/io/files/colormap_file.h"

#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/file_kind.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

std::vector<std::uint32_t> colors_of(const std::string& text) { return parse_colormap("own.csv", text).colors; }

TEST(OwnColormaps, InterpolateBetweenRows) {
  const std::vector<std::uint32_t> colors = colors_of("0 0 0\n255 100 0\n");
  ASSERT_EQ(colors.size(), 256u);
  for (unsigned k = 0; k < 256; ++k)
    EXPECT_EQ(colors[k], rgba(k, static_cast<unsigned>(std::lround(100 * k / 255.0)), 0)) << k;
}

TEST(OwnColormaps, KeepManyRowsAsTheyAre) {
  std::string text;
  for (int k = 0; k < 1024; ++k) text += std::to_string(k / 4) + " 7 " + std::to_string(255 - k / 4) + "\n";
  const std::vector<std::uint32_t> colors = colors_of(text);
  ASSERT_EQ(colors.size(), 1024u);
  for (unsigned k = 0; k < 1024; ++k) EXPECT_EQ(colors[k], rgba(k / 4, 7, 255 - k / 4));
}

TEST(OwnColormaps, ReadEveryWayOfWriting) {
  const std::vector<std::uint32_t> colors = colors_of("0 0 0\n255 51 102\n");
  for (const char* text : {"0,0,0\n255,51,102\n", "red,green,blue\n0,0,0\n255,51,102", "0;0;0\r\n255;51;102\r\n",
                           "\n# mine\n0\t0\t0\n\n255 51 102 # the end\n", "0 0 0\n1 0.2 0.4\n",
                           "Rot;Gr\xc3\xbcn;Blau\n0,0;0;0\n1;0,2;0,4\n", " 0 , 0 , 0 \n 1.0 , 0.2 , 0.4 \n"})
    EXPECT_EQ(colors_of(text), colors) << text;
}

TEST(OwnColormaps, RejectBadInputByLine) {
  const auto expect_rejected = [](const std::string& text, const std::string& where, const std::string& why) {
    const std::string error = error_thrown_by([&] { colors_of(text); });
    EXPECT_EQ(error.find(where), 0u) << error;
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  expect_rejected("", "own.csv:0: ", "At least 2 colours");
  expect_rejected("1 1 1\n", "own.csv:1: ", "At least 2 colours");
  expect_rejected("red green blue\n0 0 0\nlight\n", "own.csv:3: ", "Found here: 1.");
  expect_rejected("a\nb\n", "own.csv:2: ", "Found here: 1.");
  expect_rejected("0 0 0\n1 1\n", "own.csv:2: ", "Found here: 2.");
  expect_rejected("0 0 0\n1 1 1 1\n", "own.csv:2: ", "Found here: 4.");
  expect_rejected("0 0 0\n\n1 x 1\n", "own.csv:3: ", "\"x\" is not a colour");
  expect_rejected("0 0 0\n256 0 0\n", "own.csv:2: ", "\"256\" is not a colour");
  expect_rejected("0 0 0\n-1 0 0\n", "own.csv:2: ", "\"-1\" is not a colour");
  expect_rejected("0 0 0\nnan 0 0\n", "own.csv:2: ", "not a colour");
  expect_rejected("0 0 0\n1.01 0.5 0\n0 0 0\n", "own.csv:2: ", "1.01 is above 1");
  std::string many;
  for (int k = 0; k < 1025; ++k) many += "0 0 0\n";
  expect_rejected(many, "own.csv:1025: ", "At most 1024");
}

class OwnColormapFiles : public ScratchFolder {};

TEST_F(OwnColormapFiles, AreFoundByTheirName) {
  const std::string dusk = write("dusk.csv", "0 0 0\n255 0 0\n");
  EXPECT_EQ(kind_of_file(dusk), FileKind::colormap);
  EXPECT_FALSE(missing_colormap("dusk.csv").empty());
  EXPECT_EQ(&find_colormap("dusk.csv"), &find_colormap("viridis"));
  const Colormap& first = colormap_of_option(dusk);
  EXPECT_EQ(&find_colormap("dusk.csv"), &first);
  EXPECT_TRUE(missing_colormap("dusk.csv").empty());
  // Another file of this name takes its place; the same colours again change nothing.
  EXPECT_EQ(&load_colormap_file(dusk), &first);
  write("dusk.csv", "0 0 0\n0 255 0\n");
  load_colormap_file(dusk);
  EXPECT_EQ(find_colormap("dusk.csv").colors.back(), rgba(0, 255, 0));
  EXPECT_EQ(first.colors.back(), rgba(255, 0, 0)) << "still in use elsewhere";
  EXPECT_EQ(own_colormaps().size(), 1u);
  auto cpu = Backend::make_cpu(1);
  EXPECT_FALSE(ColorTable(*cpu, first).holds(find_colormap("dusk.csv")));
  EXPECT_EQ(colormap_of_option("grey").id, "grey");
  EXPECT_THROW(colormap_of_option(path("none.csv")), InputError);
  EXPECT_THROW(find_colormap("dusk"), InputError);
}

TEST_F(OwnColormapFiles, AreReadFromNextToAPreset) {
  const std::string preset = "simulation = \"wave\"\ntitle = \"t\"\n[view]\ncolormap = ";
  const std::string alone = write("alone.toml", preset + "\"dawn.csv\"\n");
  EXPECT_EQ(load_scene(alone).view.colormap, "dawn.csv") << "named, although it is not here";
  EXPECT_FALSE(missing_colormap("dawn.csv").empty());
  write("dawn.csv", "0 0 1\n1 1 0\n");
  load_scene(alone);
  EXPECT_TRUE(missing_colormap("dawn.csv").empty());
  EXPECT_EQ(find_colormap("dawn.csv").colors.front(), rgba(0, 0, 255));
  // One that is there and wrong is an error, with its own line and that of the preset.
  write("night.csv", "0 0\n");
  const std::string error = error_thrown_by([&] { load_scene(write("bad.toml", preset + "\"night.csv\"\n")); });
  EXPECT_NE(error.find("bad.toml:4:"), std::string::npos) << error;
  EXPECT_NE(error.find("night.csv:1: "), std::string::npos) << error;
  EXPECT_THROW(load_scene(write("outside.toml", preset + "\"../dawn.csv\"\n")), InputError);
}

}  // namespace
}  // namespace perturb
