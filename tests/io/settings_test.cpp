// The window's settings: saved, read again, and the handling of damaged or newer files.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/io/files/failure_log.h"
#include "app/io/files/folders.h"
#include "app/io/files/settings_file.h"
#include "app/lessons/lesson_progress.h"
#include "cuda/core/backend/check.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

class SettingsKept : public ScratchFolder {
 protected:
  static Settings some() {
    Settings s;
    s.open = "wave/rain";
    s.recent = {"wave/rain", "lesson lbm/channel", "/home/a \"b\".toml"};
    s.place = WindowPlace{-20, 40, 900, 600};
    s.fullscreen = true;
    s.panels = false;
    s.color_bar = false;
    s.drawer_open = true;
    s.tab = "plots";
    s.language = "de";
    s.text_scale = 1.21;
    s.bar_across = 0;
    s.bar_down = 0.25;
    s.output_folder = "/home/a";
    s.simple = false;
    s.scene_units = false;
    s.edit_kernels = s.reduced_motion = true;
    return s;
  }
  // The defaults for a file of a version without the simple view: its user knows the full one.
  static Settings of_an_older_version() {
    Settings s;
    s.simple = s.scene_units = false;
    return s;
  }
  Settings from(const std::string& text) {
    Message note;
    const SettingsFile file(write("given.json", text), &note);
    EXPECT_EQ(note, "") << text;
    return file.settings();
  }
};

TEST_F(SettingsKept, AreReadAsTheyWereWritten) {
  const std::string file = path("new/folder/settings.json");
  Message note;
  SettingsFile first(file, &note);
  EXPECT_EQ(note, "") << "a missing file needs no message";
  EXPECT_EQ(first.settings(), Settings());
  first.keep(some());
  EXPECT_EQ(SettingsFile(file, &note).settings(), some());
  EXPECT_EQ(note, "");
  // Unchanged settings are not written again.
  std::filesystem::remove(file);
  first.keep(some());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SettingsKept, TwoWindowsKeepEachOthersChanges) {
  const std::string file = path("settings.json");
  SettingsFile(file).keep(some());
  SettingsFile first(file), second(file);
  Settings calm = first.settings();
  calm.reduced_motion = true;
  calm.theme = "light";
  calm.recent.insert(calm.recent.begin(), "lbm/channel");
  first.keep(calm);
  Settings large = second.settings();
  large.text_scale = 1.5;
  large.recent.insert(large.recent.begin(), "wave/lens");
  second.keep(large);
  const Settings both = SettingsFile(file).settings();
  EXPECT_TRUE(both.reduced_motion);
  EXPECT_EQ(both.theme, "light");
  EXPECT_EQ(both.text_scale, 1.5);
  EXPECT_EQ(both.recent.front(), "wave/lens");
  EXPECT_EQ(std::count(both.recent.begin(), both.recent.end(), "lbm/channel"), 1);
  // A window that has changed nothing since then writes nothing.
  Settings again = calm;
  again.theme = "dark";
  first.keep(again);
  EXPECT_EQ(SettingsFile(file).settings().text_scale, 1.5);
  EXPECT_EQ(SettingsFile(file).settings().theme, "dark");
}

// Two windows write whenever a setting changes: after any order of changes the file has the last one of each setting.
TEST_F(SettingsKept, WindowsThatWriteEachChangeTakeNothingBack) {
  const std::string file = path("settings.json");
  SettingsFile(file).keep(some());
  SettingsFile first(file), second(file);
  Settings of_first = first.settings(), of_second = second.settings();
  of_first.theme = "light";
  first.keep(of_first);
  of_second.text_scale = 1.5;
  second.keep(of_second);
  of_first.recent.insert(of_first.recent.begin(), "wave/lens");
  first.keep(of_first);
  of_second.scene_units = true;
  second.keep(of_second);
  of_second.theme = "dark";
  second.keep(of_second);
  of_first.panels = true;
  first.keep(of_first);
  of_second.language = "";
  second.keep(of_second);
  // The program crashes: nothing is written at the end.
  Settings last = some();
  last.theme = "dark";
  last.text_scale = 1.5;
  last.scene_units = true;
  last.panels = true;
  last.language = "";
  last.recent.insert(last.recent.begin(), "wave/lens");
  EXPECT_EQ(SettingsFile(file).settings(), last) << read("settings.json");
}

TEST_F(SettingsKept, LeaveWhatAnotherVersionWrote) {
  const std::string file = write("s.json", "{\"format\": 1, \"later\": 3, \"theme\": \"dark\"}");
  SettingsFile open(file);
  Settings light = open.settings();
  light.theme = "light";
  open.keep(light);
  EXPECT_NE(read("s.json").find("\"later\": 3"), std::string::npos) << read("s.json");
  EXPECT_EQ(SettingsFile(file).settings().theme, "light");
  // A newer version has written it since.
  write("s.json", "{\"format\": 2}");
  light.theme = "dark";
  open.keep(light);
  EXPECT_EQ(read("s.json"), "{\"format\": 2}");
}

TEST_F(SettingsKept, AFirstStartHasTheSimpleView) {
  const std::string file = path("settings.json");
  EXPECT_TRUE(SettingsFile(file).settings().simple);
  EXPECT_TRUE(SettingsFile(file).settings().scene_units);
  EXPECT_FALSE(from("{\"format\": 1}").simple);
  EXPECT_FALSE(from("{\"format\": 1}").scene_units);
  EXPECT_TRUE(from("{\"format\": 1, \"simple\": true}").simple);
}

TEST_F(SettingsKept, ReadsThemeUnderItsOldKeyToo) {
  EXPECT_EQ(from("{\"format\": 1, \"look\": \"light\"}").theme, "light");
  EXPECT_EQ(from("{\"format\": 1, \"theme\": \"dark\", \"look\": \"light\"}").theme, "dark");
  const std::string file = path("settings.json");
  Message note;
  Settings light;
  light.theme = "light";
  SettingsFile(file, &note).keep(light);
  EXPECT_NE(read("settings.json").find("\"theme\": \"light\""), std::string::npos);
}

TEST_F(SettingsKept, ReportsAndReplacesDamagedFile) {
  for (const char* text : {"", "{", "[]", "{}", "{\"format\": \"1\"}", "\xff\xfe", "null"}) {
    Message note;
    SettingsFile file(write("s.json", text), &note);
    EXPECT_EQ(file.settings(), Settings()) << text;
    EXPECT_NE(note.english().find("damaged"), std::string::npos) << text;
    file.keep(some());
    EXPECT_EQ(SettingsFile(path("s.json")).settings(), some()) << text;
  }
}

TEST_F(SettingsKept, ANewerFileIsLeftAsItIs) {
  const std::string text = "{\"format\": 2, \"panels\": {\"left\": true}}";
  Message note;
  SettingsFile file(write("s.json", text), &note);
  EXPECT_EQ(file.settings(), Settings());
  EXPECT_NE(note.english().find("newer version"), std::string::npos);
  file.keep(some());
  EXPECT_EQ(read("s.json"), text);
}

TEST_F(SettingsKept, IgnoresInvalidEntries) {
  EXPECT_EQ(from("{\"format\": 1}"), of_an_older_version());
  EXPECT_EQ(from("{\"format\": 1, \"panels\": 3, \"text_scale\": \"large\", \"recent\": [1, {}], \"open\": [], "
                 "\"window\": {\"x\": 1, \"y\": 2, \"width\": 0, \"height\": 5}, \"tab\": false}"),
            of_an_older_version());
  EXPECT_EQ(from("{\"format\": 1, \"text_scale\": -1, \"window\": {\"x\": 1e300, \"y\": 99999999999, \"width\": 4, "
                 "\"height\": 5}}"),
            of_an_older_version());
  EXPECT_EQ(from("{\"format\": 1, \"text_scale\": 2, \"later\": 3}").text_scale, 2);
}

TEST_F(SettingsKept, ReportsUnwritableFolder) {
  write("file", "");
  SettingsFile file(path("file/settings.json"));
  EXPECT_THROW(file.keep(some()), Error);
  SettingsFile nowhere("");
  nowhere.keep(some());
}

// Things in place of the file that cannot be read as one: a file with read errors, a pipe without a writer, an endless
// device, a folder, and a file of the wrong size.
class UnreadableFile : public ScratchFolder, public testing::WithParamInterface<const char*> {
 protected:
  std::string put(const std::string& name) const {
    const std::string kind = GetParam(), file = path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    if (kind == "fifo") {
      EXPECT_EQ(mkfifo(file.c_str(), 0600), 0);
    } else if (kind == "folder") {
      std::filesystem::create_directory(file);
    } else if (kind == "large") {
      std::ofstream(file).close();
      std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
    } else {
      std::filesystem::create_symlink(kind, file);
    }
    return file;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, UnreadableFile,
                         testing::Values("/proc/self/mem", "fifo", "/dev/zero", "folder", "large"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '/');
                           return name;
                         });

TEST_P(UnreadableFile, ReplacesSettingsWithDefaults) {
  Message note;
  SettingsFile file(put("settings.json"), &note);
  EXPECT_EQ(file.settings(), Settings());
  EXPECT_NE(note.english().find("settings file \""), std::string::npos) << note.english();
  Settings changed;
  changed.language = "de";
  file.keep(changed);  // neither waits for a reader nor replaces it
  EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path("settings.json"))) &&
               std::string(GetParam()) != "large");
}

TEST_P(UnreadableFile, ReplacesLessonProgressWithNone) {
  Message note;
  LessonProgress progress(put("lessons.json"), &note);
  EXPECT_NE(note.english().find("progress in lessons \""), std::string::npos) << note.english();
  progress.reach("wave/two-slits", 1, 2, 3);
  ASSERT_TRUE(progress.score_of("wave/two-slits"));
}

TEST_P(UnreadableFile, LeavesTheProgramWithoutKernelTimings) {
  put("cache/perturb/kernels.json");
  const Outcome outcome = run("wave --headless --backend cpu --size 32 --steps 2",
                              "XDG_CACHE_HOME='" + path("cache") + "' timeout -s KILL 600");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("file of kernel timings \""), std::string::npos) << outcome.err;
}

TEST_P(UnreadableFile, LeavesTheHomeFolderForPictures) {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const std::string before = config ? config : "";
  put("user-dirs.dirs");
  setenv("XDG_CONFIG_HOME", path("").c_str(), 1);
  Message note;
  EXPECT_NE(pictures_folder(&note), "");
  EXPECT_NE(note.english().find("desktop's folders \""), std::string::npos) << note.english();
  if (config)
    setenv("XDG_CONFIG_HOME", before.c_str(), 1);
  else
    unsetenv("XDG_CONFIG_HOME");
}

TEST_P(UnreadableFile, LeavesTheLogOfFailuresOut) {
  log_failures_in(put("failures.log"));
  log_failure("Cannot write a.png.");
  log_failures_in("");
}

// The environment is restored at the end.
TEST_F(SettingsKept, TheDesktopsFoldersAreAsked) {
  const char* home = std::getenv("HOME");
  const std::string before = home ? home : "";
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const std::string config_before = config ? config : "";
  setenv("HOME", path("home").c_str(), 1);
  unsetenv("XDG_CONFIG_HOME");
  std::filesystem::create_directories(path("home/Bilder"));
  std::filesystem::create_directories(path("home/.config"));
  EXPECT_EQ(config_folder(), path("home/.config/perturb"));
  EXPECT_EQ(pictures_folder(), path("home")) << "there is no folder for pictures";
  write("home/.config/user-dirs.dirs",
        "# a comment\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\nXDG_DOCUMENTS_DIR=\"/no/such/place\"\n");
  EXPECT_EQ(pictures_folder(), path("home/Bilder"));
  EXPECT_EQ(documents_folder(), path("home"));
  setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_EQ(config_folder(), path("home/.config/perturb")) << "no absolute path: as if not set";
  if (config_before.empty())
    unsetenv("XDG_CONFIG_HOME");
  else
    setenv("XDG_CONFIG_HOME", config_before.c_str(), 1);
  if (before.empty())
    unsetenv("HOME");
  else
    setenv("HOME", before.c_str(), 1);
}

TEST_F(SettingsKept, FailuresAreLoggedWithTheirTime) {
  const std::string log = path("state/failures.log");
  log_failures_in(log);
  log_failure("Cannot write a.png.");
  log_failure("Cannot write a.png.");
  log_failure("Cannot write b.png.");
  log_failures_in("");
  log_failure("Not logged.");
  std::ifstream file(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("20")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with("  Cannot write a.png.")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with("b.png.")) << lines[1];
}

}  // namespace
}  // namespace perturb
