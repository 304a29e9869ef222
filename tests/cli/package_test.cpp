// The results of `cmake --install` and `cpack`: a program that works wherever it is installed, with all files that a
// desktop needs.
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

class Package : public ScratchFolder {
 protected:
  static std::filesystem::path build() { return std::filesystem::path(PERTURB_BINARY).parent_path().parent_path(); }
  // Everything needed is below `root`, nothing in the build folder.
  void expect_it_works(const std::string& root) {
    const Outcome outcome = shell("cd / && '" + root +
                                  "/bin/perturb' wave/rain --headless --size 64x64 --steps 1 --backend cpu"
                                  " --save '" +
                                  path("rain.perturb") + "'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(path("rain.perturb")));
    for (const char* file :
         {"/share/applications/perturb.desktop", "/share/mime/packages/perturb.xml",
          "/share/icons/hicolor/256x256/apps/perturb.png", "/share/man/man1/perturb.1", "/share/doc/perturb/copyright",
          "/share/doc/perturb/manual.md", "/share/doc/perturb/manual/wave.md"})
      EXPECT_TRUE(std::filesystem::exists(root + file)) << file;
  }
};

TEST_F(Package, InstalledProgramWorks) {
  const Outcome outcome = shell("cmake --install '" + build().string() + "' --prefix '" + path("usr") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_it_works(path("usr"));
  const std::string desktop = read("usr/share/applications/perturb.desktop");
  EXPECT_NE(desktop.find("\nExec=perturb %f\n"), std::string::npos);
  EXPECT_NE(desktop.find("\nMimeType=application/x-perturb-state;application/x-perturb-preset;\n"), std::string::npos);
  EXPECT_NE(desktop.find("\nIcon=perturb\n"), std::string::npos);
}

TEST_F(Package, TheManPageNamesEveryCommand) {
  const Outcome outcome = shell("cmake --install '" + build().string() + "' --prefix '" + path("usr") + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = read("usr/share/man/man1/perturb.1");
  EXPECT_EQ(page.find('@'), std::string::npos) << "a name that was not filled in";
  // Each command has a line at the beginning of the help: "  perturb verify [SIM]   checks ...".
  std::istringstream help(run("--help").out);
  int commands = 0;
  for (std::string line; std::getline(help, line) && line.rfind("Options", 0) != 0;) {
    std::istringstream words(line);
    std::string program, word;
    if (!(words >> program >> word) || program != "perturb" || line.rfind("  ", 0) != 0) continue;
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos) continue;  // a scene or an option
    if (line.rfind("  perturb " + word + "    ", 0) != 0 && line.find('[') == std::string::npos) continue;
    ++commands;
    EXPECT_NE(page.find(".B " + word + "\n"), std::string::npos) << word;
  }
  EXPECT_GE(commands, 4);
}

TEST_F(Package, UnpackedDebianPackagesWork) {
  SKIP_AT_SMALL_REACH("packs the program; another test installs the same files");
  if (shell("command -v dpkg-shlibdeps").code != 0) GTEST_SKIP() << "this system makes no Debian packages";
  const Outcome made = shell("cpack --config '" + (build() / "CPackConfig.cmake").string() + "' -B '" + path("made") +
                             "' && for each in '" + path("made") + "'/*.deb; do dpkg-deb -x \"$each\" '" +
                             path("system") + "' || exit; done");
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  expect_it_works(path("system") + "/usr");
  const std::string program = "'" + path("made") + "'/perturb_*.deb",
                    manual = "'" + path("made") + "'/perturb-doc_*.deb";
  EXPECT_NE(shell("dpkg-deb -f " + program + " Depends").out.find("libglfw3"), std::string::npos);
  EXPECT_EQ(shell("dpkg-deb -c " + program).out.find("/pictures/"), std::string::npos);
  EXPECT_NE(shell("dpkg-deb -c " + manual).out.find("/doc/perturb/manual/wave.md"), std::string::npos);
}

}  // namespace
}  // namespace perturb
