// Full disks, killed runs and unwritable locations: the faults are real ones.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

const std::string small_wave = "'" PERTURB_BINARY "' wave --size 256 --headless --backend cpu --steps 2 ";

class OutputFaults : public ScratchFolder {
 protected:
  // Runs the commands in this folder, in which "full" is a disk of 256 KiB; false without permission to mount one.
  bool with_small_disk(const std::string& commands, Outcome& outcome) const {
    fs::create_directory(path("full"));
    const std::string space = geteuid() == 0 ? "unshare --mount" : "unshare --map-root-user --mount";
    const std::string mount = "mount -t tmpfs -o size=256k none full";
    if (shell(space + " sh -c '" + mount + "'").code != 0) return false;
    write("commands", mount + "\n" + commands);
    outcome = shell(space + " sh ./commands");
    return true;
  }
  std::string file_like(const std::string& part, const std::string& folder = "") const {
    for (const auto& entry : fs::directory_iterator(path(folder)))
      if (entry.path().filename().string().find(part) != std::string::npos) return entry.path().string();
    return "";
  }
  static std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
  static Picture picture() {
    Picture p;
    p.width = p.height = 512;  // noise, which PNG cannot compress: more than a pipe holds
    for (std::uint32_t n = 0; n < 512 * 512; ++n) p.pixels.push_back(n * 2654435761u ^ (n * 40503u) >> 7);
    return p;
  }
  void expect_fallback_file(const Outcome& outcome) const {
    EXPECT_NE(outcome.out.find("code 1"), std::string::npos) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("Cannot write \""), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("0x"), std::string::npos) << "messages must not contain pointers: " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    const std::string fallback_file = file_like("q-", "elsewhere");
    ASSERT_NE(fallback_file, "") << outcome.err;
    EXPECT_NE(outcome.err.find("The state was saved in \"" + fallback_file + "\""), std::string::npos) << outcome.err;
    EXPECT_EQ(load_state(fallback_file).steps, 2);
    struct stat status {};
    ASSERT_EQ(stat(fallback_file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << "others use that folder too";
  }
};

TEST_F(OutputFaults, SavesStateElsewhereOnFullDisk) {
  fs::create_directory(path("elsewhere"));
  Outcome outcome;
  if (!with_small_disk("export TMPDIR='" + path("elsewhere") + "'\n" + small_wave +
                           "--save full/q.perturb\necho code $?\nls -A full",
                       outcome))
    GTEST_SKIP() << "no disk can be mounted here";
  expect_fallback_file(outcome);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with("code 1\n")) << "something is left on the full disk: " << outcome.out;
}

TEST_F(OutputFaults, AFullFolderForTemporaryFilesLeavesTheHomeFolder) {
  fs::create_directory(path("elsewhere"));
  Outcome outcome;
  if (!with_small_disk(
          "export TMPDIR=full HOME='" + path("elsewhere") + "'\n" + small_wave + "--save full/q.perturb\necho code $?",
          outcome))
    GTEST_SKIP() << "no disk can be mounted here";
  expect_fallback_file(outcome);
}

TEST_F(OutputFaults, ReportsLossWithoutFallbackFolder) {
  Outcome outcome;
  if (!with_small_disk(
          "export TMPDIR=full HOME=full\n" + small_wave + "--save full/q.perturb\necho code $?\nls -A full", outcome))
    GTEST_SKIP() << "no disk can be mounted here";
  EXPECT_TRUE(outcome.out.ends_with("code 1\n")) << outcome.out;
  EXPECT_NE(outcome.err.find("The state was not saved"), std::string::npos) << outcome.err;
}

TEST_F(OutputFaults, AStudyIsPrintedBeforeItsFilesAreWritten) {
  for (const char* format : {"", " --json"}) {
    Outcome outcome;
    if (!with_small_disk("head -c 300000 /dev/zero >full/filled 2>/dev/null\n'" PERTURB_BINARY
                         "' bench wave --convolution --size 64 --backend cpu --csv full/a.csv" +
                             std::string(format) + "\necho code $?",
                         outcome))
      GTEST_SKIP() << "no disk can be mounted here";
    EXPECT_NE(outcome.out.find("code 1"), std::string::npos) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
    EXPECT_GT(outcome.out.size(), 500u) << "the results are lost: " << outcome.out;
  }
}

TEST_F(OutputFaults, NumbersThatCannotBeWrittenSayWhyAndOnce) {
  const std::string wave = "'" PERTURB_BINARY "' wave --size 16 --headless --backend cpu --steps 4000 --csv-every 1 ";
  const auto expect_reason = [](const Outcome& outcome, const std::string& reason) {
    EXPECT_NE(outcome.out.find("code 1"), std::string::npos) << outcome.out << outcome.err;
    const std::size_t first = outcome.err.find(reason);
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(reason, first + 1), std::string::npos) << outcome.err;
  };
  expect_reason(shell("ulimit -f 64; " + wave + "--csv a.csv; echo code $?"), "File too large");
  const std::string kept = read("a.csv");
  // The shell counts in blocks of 512 or of 1,024 bytes, and the row that did not fit is left out.
  constexpr std::size_t min_limit = 64 * 512, max_in_row = 256;
  EXPECT_GT(kept.size(), min_limit - max_in_row) << "the rows before are not lost";
  EXPECT_EQ(kept.back(), '\n') << "and they are whole";
  Outcome outcome;
  if (!with_small_disk(wave + "--csv full/a.csv\necho code $?", outcome)) GTEST_SKIP() << "no disk can be mounted here";
  expect_reason(outcome, "No space left on device");
}

TEST_F(OutputFaults, ReportsFileSizeLimit) {
  const std::string exported = shell("ulimit -f 64; " + small_wave + "--export q.h5").err;
  EXPECT_NE(exported.find("ulimit -f"), std::string::npos) << exported;
  const Outcome outcome = shell("ulimit -f 64; " + small_wave + "--save q.perturb; echo code $?");
  EXPECT_NE(outcome.out.find("code 1"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("ulimit -f"), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), 0u) << "a temporary file is left over";
}

// Whatever is written, and however early the limit is reached: the old file stays, and no temporary file remains.
TEST_F(OutputFaults, KeepsOldFilesWhenEachOutputGrowsTooLarge) {
  for (const auto& [name, option] : {std::pair{"a.perturb", "--save"},
                                     {"a.h5", "--export"},
                                     {"a.png", "--screenshot"},
                                     {"a.csv", "--curves"},
                                     {"a.csv", "--csv-every 1 --csv"},
                                     {"a.mp4", "--record"},
                                     {"frames/", "--record"}}) {
    const std::string output = std::string(option) + " " + name;
    const bool is_folder = output.ends_with("/");
    if (!is_folder) write(name, "old");
    const Outcome outcome =
        shell("ulimit -f 1; '" PERTURB_BINARY "' wave --size 256 --headless --backend cpu --steps 200 " + output);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 0) << output << ": " << outcome.code << outcome.err;
    EXPECT_TRUE(outcome.code == 0 || outcome.err.find("perturb: ") != std::string::npos) << output << outcome.err;
    if (outcome.code == 1 && !is_folder) {
      EXPECT_EQ(read(name), "old") << output;
    }
    EXPECT_EQ(file_like(".part"), "") << output;
    fs::remove_all(path(name));
  }
}

TEST_F(OutputFaults, KeepsOldImageOnFullDisk) {
  Outcome outcome;
  if (!with_small_disk("echo old > full/a.png; head -c 250000 /dev/zero > full/filler\n" + small_wave +
                           "--screenshot full/a.png\necho code $?\ncat full/a.png\nls -A full",
                       outcome))
    GTEST_SKIP() << "no disk can be mounted here";
  EXPECT_NE(outcome.out.find("code 1\nold\na.png\nfiller\n"), std::string::npos) << outcome.out << outcome.err;
}

// A device that rejects writes is not replaced. Created here, because the machine may need its own.
TEST_F(OutputFaults, KeepsUnwritableDevice) {
  if (mknod(path("full.png").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) GTEST_SKIP() << "no device can be made here";
  if (access(path("full.png").c_str(), W_OK) != 0) GTEST_SKIP() << "devices do not work here";
  const std::string error = error_thrown_by<Error>([&] { save_png(picture(), path("full.png")); });
  EXPECT_NE(error.find("No space left on device"), std::string::npos) << error;
  EXPECT_TRUE(fs::is_character_file(path("full.png")));
}

// The same without special permissions: a pipe whose reader exits after ten bytes.
TEST_F(OutputFaults, KeepsPipeAfterReaderExits) {
  ASSERT_EQ(mkfifo(path("a.png").c_str(), 0600), 0);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  std::thread reader([this] { shell("head -c 10 a.png"); });
  std::string sentence;
  try {
    save_png(picture(), path("a.png"));
  } catch (const Error& error) {
    sentence = error.what();
  }
  reader.join();
  std::signal(SIGPIPE, old);
  EXPECT_NE(sentence.find("Broken pipe"), std::string::npos) << sentence;
  EXPECT_TRUE(fs::is_fifo(path("a.png")));
}

// ---- leftovers of killed runs

TEST_F(OutputFaults, IgnoresStaleTemporaryFiles) {
  // As left by process 1 of a container in each run.
  const Outcome outcome =
      shell("unshare --fork --pid " + std::string(geteuid() == 0 ? "" : "--map-root-user ") +
            "sh -c \"exec " PERTURB_BINARY " wave --size 32 --headless --backend cpu --steps 2 --save s.perturb\"");
  if (outcome.err.find("unshare") != std::string::npos) GTEST_SKIP() << "no process can be number 1 here";
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (int n = 0; n < 4; ++n) write(".s.1-" + std::to_string(n) + ".part.perturb", "left");
  fs::remove(path("s.perturb"));
  const Outcome again =
      shell("unshare --fork --pid " + std::string(geteuid() == 0 ? "" : "--map-root-user ") +
            "sh -c \"exec " PERTURB_BINARY " wave --size 32 --headless --backend cpu --steps 2 --save s.perturb\"");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(fs::exists(path("s.perturb")));
}

TEST_F(OutputFaults, RemovesTemporaryFilesOfKilledRun) {
  const Outcome outcome =
      shell("'" PERTURB_BINARY "' wave --size 64 --headless --backend cpu --steps 1000000000 --csv a.csv & " +
            std::string("for n in $(seq 6000); do ls -A | grep -q part && break; sleep 0.05; done; "
                        "ls -A | grep part; kill -9 $!; wait"));
  ASSERT_NE(outcome.out.find(".part.csv"), std::string::npos) << outcome.out << outcome.err;
  ASSERT_NE(file_like(".part"), "") << "the killed run leaves its file";
  ASSERT_EQ(shell(small_wave + "--save b.perturb").code, 0);
  EXPECT_EQ(file_like(".part"), "");
  EXPECT_TRUE(fs::exists(path("b.perturb")));
}

TEST_F(OutputFaults, RemovesOnlyStaleTemporaryFiles) {
  const TemporaryFile ours = make_temporary(path("a.csv"), 0600);
  ASSERT_GE(ours.file, 0);
  write(".a.perturb-0123456789abcdef.part.perturb", "its maker is gone");
  const std::vector<std::string> of_others = {".notes.part.txt", ".backup.2024-01.part", ".a.12-4.part.perturb",
                                              ".a.perturb-0123.part"};
  for (const std::string& name : of_others) {
    write(name, "of another program");
    fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::hours(49));
  }
  remove_stale_temporaries(path(""));
  EXPECT_TRUE(fs::exists(ours.path));
  EXPECT_FALSE(fs::exists(path(".a.perturb-0123456789abcdef.part.perturb")));
  for (const std::string& name : of_others) EXPECT_TRUE(fs::exists(path(name))) << name;
  close(ours.file);
}

TEST_F(OutputFaults, NamesDoNotRepeat) {
  const TemporaryFile first = make_temporary(path("a.perturb"), 0600), second = make_temporary(path("a.perturb"), 0600);
  EXPECT_NE(first.path, second.path);
  EXPECT_TRUE(first.path.ends_with(".part.perturb")) << first.path;
  close(first.file);
  close(second.file);
}

TEST_F(OutputFaults, ANameAsLongAsTheDiskTakesCanBeWritten) {
  const std::string name = std::string(247, 'n') + ".perturb";
  require_writable(path(name));
  replace_file(path(name), bytes_of("text"));
  EXPECT_EQ(read(name), "text");
}

// ---- disks that fail when data are flushed

// From now on, calls of the system call `number` in this process fail with EIO, as on a broken disk.
bool break_system_call(int number) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(OutputFaults, ReportsFailedSync) {
  write("a.txt", "old");
  EXPECT_EXIT(
      {
        if (!break_system_call(SYS_fsync)) _exit(3);
        try {
          replace_file(path("a.txt"), bytes_of("new"));
        } catch (const Error& error) {
          std::fputs(error.what(), stderr);
          _exit(1);
        }
        _exit(0);
      },
      [](int status) { return WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 3); },
      "Cannot write .*: Input/output error|^$");
  EXPECT_EQ(read("a.txt"), "old");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace perturb
