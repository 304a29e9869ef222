// The compiler of edited kernels and puzzles where it cannot work, and what it and its kernels may use.
#include "app/edited/compiler.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/puzzle_cases.h"
#include "app/kernels/puzzles/puzzle_check.h"
#include "app/kernels/puzzles/puzzle_process.h"
#include "cuda/core/backend/check.h"
#include "tests/support/environment.h"
#include "tests/support/files_scratch.h"
#include "tests/support/sanitized.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Compiler : public ScratchFolder {
 protected:
  // Puts a script in place of the compiler. The real one is $REAL there.
  void fake_compiler(const std::string& script) {
    fs::create_directories(path("bin"));
    write("bin/c++", "#!/bin/sh\nREAL='" + find_compiler() + "'\n" + script + "\n");
    fs::permissions(path("bin/c++"), fs::perms::owner_all);
  }
  std::string fake_path() const { return path("bin") + ":" + std::getenv("PATH"); }
  // A text that no other test compiles: libraries are kept.
  std::string text() const { return "int perturb_" + fs::path(path("")).parent_path().filename().string() + ";\n"; }
  std::string error_with_fake(const std::string& script) { return error_with_fake(script, text()); }
  std::string error_with_fake(const std::string& script, const std::string& all) {
    fake_compiler(script);
    const Environment fake("PATH", fake_path());
    try {
      library_of(all);
    } catch (const CompilerError& error) {
      return error.what();
    }
    return "";
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(Compiler, NamesTheCauseWhereItCannotWork) {
  const std::string no_part = "c++: fatal error: cannot execute 'cc1plus': No such file or directory";
  expect_part(error_with_fake("echo \"" + no_part + "\" >&2; exit 1"), no_part);
  expect_part(error_with_fake("kill -9 $$"), "Killed");
  expect_part(error_with_fake("echo 'c++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1"),
              "memory may have run out");
  expect_part(error_with_fake("exit 0"), "without a library and without a message");
  expect_part(error_with_fake("echo 'ld: final link failed: No space left on device' >&2; exit 1"), "No space left");
}

TEST_F(Compiler, BlamesATextOnlyIfItCompilesAnother) {
  EXPECT_THROW(library_of(text() + "#line 1 \"rows\"\nint x = missing;\n"), CompileError);
  EXPECT_THROW(library_of(text() + "#line 1 \"kernel\"\nint x = missing;\n"), CompileError);
}

TEST_F(Compiler, UsesAnotherFolderWhereTheFirstIsFull) {
  fs::create_directories(path("full"));
  fake_compiler("case \"$TMPDIR\" in '" + path("full") +
                "'/*) echo 'No space left on device' >&2; exit 1;; esac\nexec \"$REAL\" \"$@\"");
  const Environment fake("PATH", fake_path()), folder("TMPDIR", path("full"));
  EXPECT_TRUE(*library_of(text()));
  EXPECT_TRUE(fs::is_empty(path("full")));
}

TEST_F(Compiler, UsesAnotherFolderWhereItCannotWrite) {
  const Environment folder("TMPDIR", "/proc");
  EXPECT_TRUE(*library_of(text()));
  expect_part(error_with_fake("echo 'no cc1plus' >&2; exit 1", text() + "int other;\n"), "no cc1plus");
}

TEST_F(Compiler, SolvesAPuzzleInAFolderThatForbidsExecution) {
  fs::create_directories(path("noexec"));
  if (mount("perturb", path("noexec").c_str(), "tmpfs", MS_NOEXEC, "size=64m") != 0)
    GTEST_SKIP() << "no file system can be mounted here";
  {
    const Environment folder("TMPDIR", path("noexec"));
    const Puzzle& puzzle = find_puzzle("guard");
    EXPECT_TRUE(check_puzzle(puzzle, puzzle.solution + "\n// " + path("")).is_solved());
  }
  umount(path("noexec").c_str());
}

TEST_F(Compiler, IsNotALongerProcessThanTheProgram) {
  fake_compiler("sleep 300 &\necho $! >'" + path("child") + "'\necho $$ >'" + path("pid") + "'\nsleep 300");
  fs::create_directories(path("tmp"));
  write("right.cu", find_puzzle("guard").solution);
  shell("PATH='" + fake_path() + "' TMPDIR='" + path("tmp") +
        "' '" PERTURB_BINARY
        "' puzzle guard right.cu & P=$!\n"
        "for k in $(seq 6000); do [ -s pid ] && break; sleep 0.05; done\nkill -9 $P; wait $P");
  ASSERT_FALSE(read("pid").empty());
  const auto is_gone = [&](const std::string& file) { return kill(std::stoi(read(file)), 0) != 0; };
  eventually([&] { return is_gone("pid") && is_gone("child") && fs::is_empty(path("tmp")); });
  EXPECT_TRUE(is_gone("pid"));
  EXPECT_TRUE(is_gone("child"));
  EXPECT_TRUE(fs::is_empty(path("tmp")));
}

TEST_F(Compiler, HasALimitOfMemory) {
  SKIP_UNDER_SANITIZERS("the process that starts the compiler maps more than the limit itself");
  expect_part(error_with_fake("echo \"limit $(ulimit -v)\" >&2; exit 1"), "limit 3145728");
}

// Not of the time on the clock: a busy machine would then reject right kernels.
TEST_F(Compiler, HasALimitOfProcessorTime) {
  expect_part(error_with_fake("echo \"limit $(ulimit -t)\" >&2; exit 1"), "limit 120");
  EXPECT_THROW(
      error_with_fake("echo 'c++: fatal error: CPU time limit exceeded signal terminated program cc1plus' >&2; "
                      "exit 1",
                      text() + "int slow;\n"),
      InputError);
}

TEST_F(Compiler, HasAnExitCodeOfItsOwn) {
  fake_compiler("echo 'no cc1plus' >&2; exit 1");
  write("right.cu", find_puzzle("guard").solution);
  const Outcome outcome = run("puzzle guard right.cu", "PATH='" + fake_path() + "' ");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  expect_part(outcome.err, "no cc1plus");
}

// As the library of a puzzle, but with other functions than a puzzle may use.
PuzzleRun run_as_kernel(const std::string& body) {
  const std::string text =
      "extern \"C\" {\nint fork();\nvoid* malloc(unsigned long);\ndouble perturb_puzzle_numbers[12];\n"
      "static void* machine;\nvoid** perturb_puzzle_machine() { return &machine; }\n"
      "void perturb_puzzle_kernel() {\n" +
      body + "\n}\n}\n";
  return run_puzzle(find_puzzle("index"), *library_of(text), puzzle_cases("index").front());
}

TEST(PuzzleKernel, CanStartNoProcessAndTakeLittleMemory) {
  EXPECT_TRUE(run_as_kernel("if (fork() != -1) __builtin_trap();").report.finished);
  EXPECT_FALSE(run_as_kernel("if (fork() == -1) __builtin_trap();").report.finished);
  if (is_sanitized) return;  // its allocator ends the process instead
  EXPECT_TRUE(run_as_kernel("void* volatile all = malloc(3ul << 30);\nif (all) __builtin_trap();").report.finished);
}

TEST(PuzzleKernel, MayNotCallFunctionsOfTheProcess) {
  const Puzzle& puzzle = find_puzzle("index");
  const std::string first = "if (threadIdx.x == 0 && blockIdx.x == 0 && ";
  const std::string fork = "#define OPEN {\n#define CLOSE }\nint start();\n" + first +
                           "start() != -1) __builtin_trap();\n" + puzzle.solution +
                           "\nCLOSE\n#include <unistd.h>\nint start() OPEN return fork();";
  const std::string memory =
      first + "*static_cast<float*>(__builtin_malloc(3ul << 30)) > 0) __builtin_trap();\n" + puzzle.solution;
  for (const std::string& text : {fork, memory}) {
    try {
      check_puzzle(puzzle, text);
      ADD_FAILURE() << text;
    } catch (const CompileError& error) {
      EXPECT_NE(std::string(error.what()).find("which a GPU does not have"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace perturb
