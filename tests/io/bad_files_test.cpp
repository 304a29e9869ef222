// Files that are not what they seem, as inputs and as outputs: one message, exit code 2, and nothing read or written.
#include <gtest/gtest.h>

#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

class BadFiles : public ScratchFolder {
 protected:
  // As a user sees it; a program that hangs is ended with code 124.
  void expect_error(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = run(arguments, "timeout 600");
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << arguments << "\n" << outcome.err;
  }
};

TEST_F(BadFiles, DoesNotReadEndlessFiles) {
  ASSERT_EQ(shell("mkfifo pipe pipe.toml && ln -s /dev/zero zero && ln -s /dev/zero zero.toml").code, 0);
  // Enough memory to run, but not enough to read a device until it fails.
  const std::string limit = "--headless --steps 1 --threads 1";
  for (const char* name : {"pipe.toml", "zero.toml"}) expect_error(name + (" " + limit), {"pipe or a device", name});
  for (const char* name : {"pipe", "zero", "/dev/zero"}) {
    expect_error("wave --script " + std::string(name) + " " + limit, {"script", "pipe or a device"});
    expect_error("particles --input " + std::string(name) + " " + limit, {"input file", "pipe or a device"});
    write("image.toml", "simulation = 'wave'\n[[action]]\nkind = 'wall-image'\nimage = '" +
                            std::string(name == std::string("/dev/zero") ? "zero" : name) + "'\n");
    expect_error("image.toml " + limit, {"image.toml:4:"});
  }
  expect_error(". --script . " + limit, {"."});
  expect_error("wave --script . " + limit, {"folder"});
  // A name without a known extension, and a very large file of zeros.
  ASSERT_EQ(shell("truncate -s 5G large.toml").code, 0);
  expect_error("large.toml " + limit, {"larger than 64.0 MiB"});
}

TEST_F(BadFiles, ReadsImagesOnlyFromFolderOfPreset) {
  ASSERT_EQ(shell("mkdir -p home/below elsewhere && ln -s ../elsewhere home/out && ln -s below home/in").code, 0);
  const Picture grey{1, 1, {0xff808080u}};
  for (const char* name : {"home/a.png", "home/below/a.png", "elsewhere/a.png"}) save_png(grey, path(name));
  const auto preset = [&](const std::string& image) {
    return write("home/mine.toml",
                 "simulation = 'wave'\nsize = [16, 16]\n[[action]]\nkind = 'speed-image'\nimage = '" + image + "'\n");
  };
  for (const char* image : {"a.png", "./a.png", "below/a.png", "below/../a.png", "in/a.png"})
    EXPECT_EQ(load_scene(preset(image)).setup.actions.size(), 1u) << image;
  for (const std::string& image : {std::string("../elsewhere/a.png"), path("elsewhere/a.png"), std::string("out/a.png"),
                                   std::string("/etc/passwd"), std::string("below/../../elsewhere/a.png"),
                                   std::string("../../../../../../etc/passwd")}) {
    preset(image);
    expect_error("home/mine.toml --headless --steps 1", {"home/mine.toml:5:", "outside the folder of this file"});
    expect_error("mine.toml --headless --steps 1 && false", {});  // there is none here
    const Outcome inside = shell("cd home && '" PERTURB_BINARY "' mine.toml --headless --steps 1");
    EXPECT_EQ(inside.code, 2) << image << inside.err;
    write("home/script.toml", "[[event]]\nstep = 0\naction = 'speed-image'\nimage = '" + image + "'\n");
    expect_error("wave --headless --steps 1 --script home/script.toml", {"home/script.toml:4:", "outside"});
  }
}

TEST_F(BadFiles, RejectsOneFileForTwoOutputsUnderAnyName) {
  const std::string wave = "wave --headless --size 2048 --steps 1000000000 ";
  expect_error(wave + "--save x.perturb --csv ./x.perturb", {"--csv", "--save", "x.perturb"});
  expect_error(wave + "--save x.perturb --csv \"$PWD/x.perturb\"", {"--csv", "--save"});
  ASSERT_EQ(shell("mkdir a && ln -s a b && echo old > one && ln one two && ln -s one three").code, 0);
  expect_error(wave + "--save a/x.perturb --csv b/x.perturb", {"--csv", "--save"});
  expect_error(wave + "--save one --csv two", {"--csv", "--save"});
  expect_error(wave + "--save one --csv three", {"--csv", "--save"});
  expect_error(wave + "--save a.png --screenshot a/../a.png", {"--screenshot", "--save"});
  EXPECT_EQ(read("one"), "old\n");
  EXPECT_EQ(run("wave --headless --size 16 --steps 1 --save a/x.perturb --csv a/y.perturb").code, 0);
}

}  // namespace
}  // namespace perturb
