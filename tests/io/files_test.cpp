// Everything written reads back bit for bit, and nothing old is lost when writing fails.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Output : public ScratchFolder {
 protected:
  static std::function<void(const std::string&)> writer(const std::string& text) {
    return [text](const std::string& temporary) { std::ofstream(temporary, std::ios::binary) << text; };
  }
};

TEST_F(Output, TakesThePlaceOfTheOldFileWhole) {
  write("a.txt", "old");
  replace_file(path("a.txt"), writer("new"));
  EXPECT_EQ(read("a.txt"), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, KeepsTheOldFileWheneverAnOperationFails) {
  write("a.txt", "old");
  int operations = 0;
  for (;; ++operations) {
    fail_output_after(operations);
    try {
      replace_file(path("a.txt"), writer("new"));
      break;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a.txt"), std::string::npos);
      EXPECT_EQ(read("a.txt"), "old");
      EXPECT_EQ(files(), 1u) << "a temporary file is left over";
    }
  }
  EXPECT_GE(operations, 3);
  EXPECT_EQ(read("a.txt"), "new");
}

TEST_F(Output, KeepsTheOldFileWhenTheWriterThrows) {
  write("a.txt", "old");
  EXPECT_THROW(replace_file(path("a.txt"),
                            [](const std::string& temporary) {
                              std::ofstream(temporary) << "half";
                              throw Error("the pen broke");
                            }),
               Error);
  EXPECT_EQ(read("a.txt"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, TemporaryFilesKeepTheEnding) {
  replace_file(path("film.mp4"), [](const std::string& temporary) {
    EXPECT_TRUE(temporary.ends_with(".mp4"));
    std::ofstream(temporary) << "x";
  });
}

TEST_F(Output, ALinkStaysALinkAndPermissionsStay) {
  write("real.txt", "old");
  ASSERT_EQ(chmod(path("real.txt").c_str(), 0640), 0);
  fs::create_symlink("real.txt", path("link.txt"));
  replace_file(path("link.txt"), writer("new"));
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(read("real.txt"), "new");
  struct stat status {};
  ASSERT_EQ(stat(path("real.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(Output, MakesTargetOfDanglingLink) {
  fs::create_directory(path("other"));
  fs::create_symlink("other/real.txt", path("link.txt"));
  fs::create_symlink("link.txt", path("second.txt"));
  require_writable(path("second.txt"));
  replace_file(path("second.txt"), writer("new"));
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_TRUE(fs::is_symlink(path("second.txt")));
  EXPECT_EQ(read("other/real.txt"), "new");
  fs::create_symlink("no/such/folder.txt", path("lost.txt"));
  EXPECT_NE(error_thrown_by<Error>([&] { require_writable(path("lost.txt")); }).find("no/such"), std::string::npos);
}

TEST_F(Output, UnusedStemSkipsNamesThatAreTaken) {
  EXPECT_EQ(unused_stem(path("a"), {".h5"}), path("a"));
  write("a.h5", "x");
  fs::create_symlink("nowhere", path("a-2.h5"));
  EXPECT_EQ(unused_stem(path("a"), {".h5"}), path("a-3"));
  EXPECT_EQ(unused_stem(path("a"), {".toml"}), path("a"));
  write("a-3-start.h5", "x");
  EXPECT_EQ(unused_stem(path("a"), {".h5", "-start.h5"}), path("a-4"));
}

TEST_F(Output, SpecialFilesAreWrittenDirectly) {
  replace_file("/dev/null", writer("nothing"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Output, RejectsWhatCannotBeWrittenBeforeAnythingIsDone) {
  EXPECT_NE(error_thrown_by<Error>([&] { require_writable(path("no/such/a.h5")); }).find("no folder"),
            std::string::npos);
  EXPECT_NE(error_thrown_by<Error>([&] { require_writable(path("")); }).find("folder"), std::string::npos);
  EXPECT_THROW(require_writable(""), InputError);
  EXPECT_THROW(require_writable(path("new/")), InputError);
  write("file", "x");
  EXPECT_THROW(require_writable(path("file/a.h5")), InputError);
  EXPECT_THROW(require_writable(path(std::string(300, 'a'))), InputError);
  EXPECT_EQ(error_thrown_by<Error>([&] { require_writable(path("fine.h5")); }), "");
  EXPECT_EQ(files(), 1u) << "asking leaves nothing behind";
  EXPECT_EQ(read("file"), "x");
}

TEST_F(Output, RejectsAFolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(path("locked"));
  fs::permissions(path("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(require_writable(path("locked/a.h5")), InputError);
  write("readonly.h5", "x");
  fs::permissions(path("readonly.h5"), fs::perms::owner_read);
  EXPECT_THROW(require_writable(path("readonly.h5")), InputError);
}

}  // namespace
}  // namespace perturb
