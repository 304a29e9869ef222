// The program with signals, closed pipes, full devices and stuck helper processes. The time limits are only reached by
// a program that hangs.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "app/io/image/image.h"
#include "app/io/image/recorder.h"
#include "app/io/state/state_file.h"
#include "app/run/interrupts.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/virtual_screen.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Interrupted : public ScratchFolder {
 protected:
  // Starts the program with `arguments` and waits until it handles signals.
  void start(std::vector<std::string> arguments,
             const std::vector<std::pair<std::string, std::string>>& environment = {}, const std::string& into = "") {
    arguments.insert(arguments.begin(), PERTURB_BINARY);
    // Through a shell that it replaces, so that its output can be redirected.
    if (!into.empty())
      arguments.insert(arguments.begin(), {"sh", "-c", "exec \"$@\" >" + into + " 2>output.txt", "sh"});
    program_ = std::make_unique<Process>(arguments, path(""), environment);
    ASSERT_TRUE(eventually([&] { return program_->ended() || listens(); }));
    ASSERT_FALSE(program_->ended()) << output();
  }
  bool listens() const {
    std::ifstream status("/proc/" + std::to_string(program_->id()) + "/status");
    for (std::string word; status >> word;)
      if (word == "SigCgt:") {
        status >> word;
        return (std::stoull(word, nullptr, 16) >> (SIGTERM - 1)) & 1;
      }
    return false;
  }
  // Waits until it has used this much processor time.
  void let_it_compute(double seconds) const {
    const double ticks = seconds * static_cast<double>(sysconf(_SC_CLK_TCK));
    ASSERT_TRUE(eventually([&] {
      std::ifstream file("/proc/" + std::to_string(program_->id()) + "/stat");
      std::string text;
      std::getline(file, text);
      std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
      std::string field;
      for (int k = 3; k < 14 && fields >> field; ++k) {
      }
      double user = 0;
      return program_->ended() || (fields >> user && user >= ticks);
    }));
    ASSERT_FALSE(program_->ended()) << output();
  }
  void send(int signal) const { kill(program_->id(), signal); }
  // The exit code; -1 if it does not end.
  int code() const {
    eventually([&] { return program_->ended(); });
    return program_->code();
  }
  std::string output() const { return read("output.txt"); }
  // Puts a program of this name first in the path.
  std::pair<std::string, std::string> with_program(const std::string& name, const std::string& script) const {
    fs::create_directories(path("bin"));
    write("bin/" + name, script);
    fs::permissions(path("bin/" + name), fs::perms::owner_all);
    return {"PATH", path("bin") + ":" + (std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin")};
  }
  bool has_part() const {
    for (const auto& entry : fs::recursive_directory_iterator(path("")))
      if (entry.path().filename().string().find(".part") != std::string::npos) return true;
    return false;
  }
  bool has_offscreen() const { return run("doctor").out.find("works (EGL)") != std::string::npos; }

  std::unique_ptr<Process> program_;
};

TEST_F(Interrupted, CancelsLongStep) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  start({"fibers/thousand", "--headless", "--backend", "cpu", "--size", "1000x1", "--kernel", "stable", "--steps",
         "999", "--save", "a.perturb"});
  let_it_compute(0.5);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("Interrupted at step"), std::string::npos) << output();
  EXPECT_GE(load_state(path("a.perturb")).steps, 0);
  EXPECT_FALSE(has_part());
}

TEST_F(Interrupted, EverySignalTakesTheSamePath) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  const bool can_film = !find_program("ffmpeg").empty() && has_offscreen();
  for (const int signal : ending_signals) {
    const bool films = signal == SIGINT && can_film;
    std::vector<std::string> arguments = {"wave",    "--headless",    "--backend", "cpu",   "--size", "64",
                                          "--steps", "1000000000000", "--csv",     "a.csv", "--save", "a.perturb"};
    if (films) arguments.insert(arguments.end(), {"--record", "a.mp4", "--window-size", "64x64"});
    start(arguments);
    let_it_compute(films ? 0.25 : 0.05);
    send(signal);
    EXPECT_EQ(code(), 1) << strsignal(signal) << '\n' << output();
    EXPECT_NE(output().find(signal == SIGXCPU ? "stopped at step" : "Interrupted at step"), std::string::npos)
        << strsignal(signal) << output();
    EXPECT_GE(load_state(path("a.perturb")).steps, 0) << strsignal(signal);
    EXPECT_TRUE(read("a.csv").starts_with("step,time,")) << strsignal(signal);
    EXPECT_EQ(read("a.mp4").size() > 100, films) << strsignal(signal);
    EXPECT_FALSE(has_part()) << strsignal(signal);
    for (const char* name : {"a.perturb", "a.csv", "a.mp4", "output.txt"}) fs::remove(path(name));
  }
}

TEST_F(Interrupted, ALessonSaysInWhichStep) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  start({"lesson", "lbm/drag", "--headless", "--backend", "cpu"});
  let_it_compute(0.5);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("Interrupted in step "), std::string::npos) << output();
  EXPECT_EQ(output().find("report"), std::string::npos) << output();
}

TEST_F(Interrupted, AnImageThatMeasures) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  if (!has_offscreen()) GTEST_SKIP() << "no images without a window here";
  start({"lbm/cylinder", "--headless", "--backend", "cpu", "--steps", "2", "--show", "sizes", "--with-ui",
         "--window-size", "640x480", "--screenshot", "a.png"});
  let_it_compute(2);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("Interrupted"), std::string::npos) << output();
}

TEST_F(Interrupted, APresetThatOpens) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  start({"verify", "membrane/assembly", "--presets", "--backend", "cpu", "--threads", "1"});
  let_it_compute(0.05);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("Stopped: 0 of 1 runs"), std::string::npos) << output();
  EXPECT_EQ(output().find("is done"), std::string::npos) << output();
  EXPECT_EQ(output().find("report"), std::string::npos) << output();
}

// ulimit sets the soft and the hard limit: without a lower soft limit, the system would kill the run.
TEST_F(Interrupted, TheLimitOfProcessorTimeKeepsTheState) {
  SKIP_AT_SMALL_REACH("it computes for five seconds");
  const Outcome outcome = shell(
      "ulimit -t 5; '" PERTURB_BINARY
      "' wave --headless --backend cpu --threads 1 --size 64 --kernel fused --steps 1000000000000 --save a.perturb "
      "--csv a.csv");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("ulimit -t"), std::string::npos) << outcome.err;
  EXPECT_GT(load_state(path("a.perturb")).steps, 0);
  EXPECT_TRUE(read("a.csv").starts_with("step,time,"));
  EXPECT_FALSE(has_part());
}

TEST_F(Interrupted, KeepsIgnoringIgnoredHangUp) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  // Ignored before the program starts, as with nohup.
  const Outcome outcome = shell("trap '' HUP; '" PERTURB_BINARY
                                "' wave --headless --backend cpu --size 64 --steps 100000 & p=$!; "
                                "while kill -HUP $p; do sleep 0.05; done 2>/dev/null; wait $p");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Interrupted, APipeThatCloses) {
  const Outcome outcome =
      shell("'" PERTURB_BINARY
            "' particles --headless --backend cpu --set aspect=1 --set count=50 --steps 1000000000 --print --save "
            "a.perturb --csv a.csv | head -1; true");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("The output was closed"), std::string::npos) << outcome.err;
  EXPECT_GT(load_state(path("a.perturb")).steps, 0);
  EXPECT_TRUE(read("a.csv").starts_with("step,time,"));
  EXPECT_FALSE(has_part());
}

TEST_F(Interrupted, AReaderThatDoesNotRead) {
  // The output is a FIFO that is open but not read: the program blocks in a write, and still handles the signal.
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const int reader = open(path("fifo").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  start({"particles", "--headless", "--backend", "cpu", "--set", "aspect=1", "--set", "count=50", "--steps",
         "1000000000", "--print", "--save", "a.perturb"},
        {}, "fifo");
  // It sleeps when the pipe is full.
  int bytes = 0;
  ASSERT_TRUE(eventually([&] { return ioctl(reader, FIONREAD, &bytes) == 0 && bytes > 40000; }));
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_GT(load_state(path("a.perturb")).steps, 0);
  close(reader);
}

TEST_F(Interrupted, AFullDeviceEndsThePrinting) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  const Outcome outcome =
      shell("timeout -s KILL 600 '" PERTURB_BINARY
            "' particles --headless --backend cpu --set aspect=1 --set count=50 --steps 1000000000 --print --save "
            "a.perturb >/dev/full");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("Cannot print the text: No space left on device"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(path("a.perturb"))) << "what else was asked for is kept";
}

TEST_F(Interrupted, AnFfmpegThatNeverReads) {
  SKIP_AT_SMALL_REACH("waits as long as for a slow ffmpeg; another test has a short limit");
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  start({"wave", "--headless", "--backend", "cpu", "--size", "64", "--steps", "1000000000000", "--save", "a.perturb",
         "--record", "a.mp4"},
        {with_program("ffmpeg", "#!/bin/sh\nexec sleep 1000\n")});
  let_it_compute(0.05);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("stopped responding"), std::string::npos) << output();
  EXPECT_NO_THROW(load_state(path("a.perturb")));  // on a busy machine the signal may arrive before the first step
  EXPECT_FALSE(fs::exists(path("a.mp4")));
  EXPECT_FALSE(has_part());
}

TEST_F(Interrupted, EndsStuckFfmpeg) {
  const auto [name, value] = with_program("ffmpeg", "#!/bin/sh\nexec sleep 1000\n");
  const std::string before = std::getenv(name.c_str()) ? std::getenv(name.c_str()) : "";
  setenv(name.c_str(), value.c_str(), 1);
  Picture picture{640, 480, std::vector<std::uint32_t>(640 * 480)};
  for (const bool asked : {false, true}) {
    StopRequest request;
    if (asked) request.request_stop();
    const FfmpegTimeouts timeouts = asked ? FfmpegTimeouts{1e9, 0.2} : FfmpegTimeouts{0.2, 1e9};
    const auto recorder = Recorder::make(path("a.mp4"), 640, 480, 60, nullptr, &request, timeouts);
    std::string sentence;
    try {
      for (int k = 0; k < 4; ++k) recorder->add(picture);
      recorder->finish();
    } catch (const Error& error) {
      sentence = error.what();
    }
    EXPECT_NE(sentence.find("stopped responding"), std::string::npos) << sentence;
  }
  setenv(name.c_str(), before.c_str(), 1);
  EXPECT_FALSE(has_part());
}

[[noreturn]] void be_asked_twice() {
  const Interrupts interrupts;
  // One request, sent twice.
  raise(SIGTERM);
  raise(SIGTERM);
  raise(SIGHUP);
  if (!interrupts.stop_requested()) _exit(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  raise(SIGHUP);
  raise(SIGINT);
  _exit(4);
}

TEST_F(Interrupted, SecondSignalEndsAtOnce) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(be_asked_twice(), testing::KilledBySignal(SIGINT), "");
}

// A run of studies takes minutes: if stopped, it writes its page, which states what is missing.
TEST_F(Interrupted, StudiesWriteTheirPage) {
  start({"bench", "particles", "--paper", "--backend", "cpu", "--page", "lesson.md"});
  ASSERT_TRUE(eventually([&] { return program_->ended() || output().find("N = ") != std::string::npos; }));
  ASSERT_FALSE(program_->ended()) << output();
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  const std::string page = read("lesson.md");
  EXPECT_NE(page.find("**The run was stopped.**"), std::string::npos) << output();
  EXPECT_NE(page.find("Not measured: `--figures`"), std::string::npos) << page;
}

// Shows each part as it begins, and prints the rows of the parts that ended before the signal.
TEST_F(Interrupted, StudyShowsProgressAndKeepsResultsSoFar) {
  start({"bench", "particles", "--sweeps", "--backend", "cpu", "--json", "--csv", "numbers.csv"}, {}, "result.json");
  ASSERT_TRUE(eventually([&] { return program_->ended() || output().find("N = 2000 ...") != std::string::npos; }));
  ASSERT_FALSE(program_->ended()) << output();
  EXPECT_NE(output().find("N = 1000 ..."), std::string::npos) << output();
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  EXPECT_NE(output().find("Stopped. The results so far:"), std::string::npos) << output();
  const nlohmann::json result = nlohmann::json::parse(read("result.json"));
  EXPECT_EQ(result["whole"], false);
  ASSERT_FALSE(result["tables"].empty()) << result;
  EXPECT_EQ(result["tables"][0]["id"], "numbers");
  EXPECT_GE(result["tables"][0]["rows"].size(), 1u);
  EXPECT_NE(read("numbers.csv").find("\nsweeps,numbers,1,discs,,1000\n"), std::string::npos);
}

// The bar of a whole paper names the study and its part, and says what is left.
TEST_F(Interrupted, PaperShowsStudyPartAndTimeLeft) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  start({"bench", "particles", "--paper", "--backend", "cpu", "--page", "lesson.md"});
  ASSERT_TRUE(eventually([&] { return program_->ended() || output().find("N = 2000") != std::string::npos; }));
  ASSERT_FALSE(program_->ended()) << output();
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  const std::string said = output();
  const std::size_t line = said.find("] 0 %, 1 of 5, about ");
  ASSERT_NE(line, std::string::npos) << said;
  EXPECT_NE(said.find(" left: --sweeps, N = 2000"), std::string::npos) << said;
  EXPECT_NE(said.find("Stopped. The results so far are saved."), std::string::npos) << said;
  const std::string page = read("lesson.md");
  EXPECT_NE(page.find("**It was stopped early.** The results so far:"), std::string::npos) << page;
  EXPECT_NE(page.find("| 1000 |"), std::string::npos) << page;
}

// Every study of a paper ends on the signal, also those that compute outside of a backend's loops.
TEST_F(Interrupted, EveryStudyOfThePapersStops) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  for (const SimulationInfo* info : catalog())
    for (const PaperStudy& study : paper_studies(info->id)) {
      constexpr double too_short = 5;  // seconds of its estimate: it may end before the signal
      if (study.seconds < too_short) continue;
      SCOPED_TRACE(info->id + " --" + study.study);
      start({"bench", study.preset.empty() ? info->id : info->id + "/" + study.preset, "--" + study.study, "--backend",
             "cpu"});
      let_it_compute(0.3);
      send(SIGINT);
      EXPECT_EQ(code(), 1) << output();
      EXPECT_NE(output().find("Stopped. The results so far:"), std::string::npos) << output();
    }
}

// Presets for an hour each: reports the results so far.
TEST_F(Interrupted, PresetsReportProgress) {
  start({"verify", "wave", "--presets", "--backend", "cpu", "--json"}, {}, "report.json");
  let_it_compute(0.5);
  send(SIGINT);
  EXPECT_EQ(code(), 1) << output();
  const nlohmann::json report = nlohmann::json::parse(read("report.json"));
  ASSERT_EQ(report["runs"].size(), 1u);
  EXPECT_GT(report["runs"][0]["steps"], 0);
  EXPECT_FALSE(report["runs"][0]["ended"]);
  EXPECT_NE(read("output.txt").find("0 of "), std::string::npos);
}

TEST_F(Interrupted, CancelsChecksAndTimings) {
  SKIP_AT_SMALL_REACH("signals and soak runs: one of each kind remains");
  for (const std::string command : {"verify", "bench"}) {
    program_ = std::make_unique<Process>(std::vector<std::string>{PERTURB_BINARY, command, "--backend", "cpu"},
                                         path(""), std::vector<std::pair<std::string, std::string>>{});
    let_it_compute(0.5);
    send(SIGINT);
    EXPECT_EQ(code(), 128 + SIGINT) << command << '\n' << output();
  }
}

#if !defined(PERTURB_SANITIZED)

TEST_F(Interrupted, LittleMemoryIsASentence) {
  // With very little memory, the system's loader or the initialization of a library fails before the program starts:
  // the memory that --version needs is the minimum for a message.
  const auto under = [this](long kibibytes, const std::string& arguments) {
    return shell("ulimit -v " + std::to_string(kibibytes) + "; '" PERTURB_BINARY "' " + arguments);
  };
  long least = 40000;
  while (least < 400000 && under(least, "--version").code != 0) least += least / 8;
  ASSERT_LT(least, 400000);
  for (const long more : {0, 5000, 20000, 60000, 120000, 240000}) {
    const Outcome plain = under(least + more, "wave --headless --backend cpu --steps 10 --threads 8");
    // Too large a size is wrong input; running out of memory during a run is a failure.
    const bool is_reported = (plain.code == 1 || plain.code == 2) && plain.err.find("perturb: ") != std::string::npos &&
                             plain.err.find("memory") != std::string::npos;
    EXPECT_TRUE(plain.code == 0 || is_reported) << least << " + " << more << ": " << plain.code << ' ' << plain.err;
  }
  const Outcome picture =
      shell("ulimit -v 300000; '" PERTURB_BINARY
            "' wave --headless --backend cpu --threads 16 --steps 10 --screenshot a.png --save a.perturb");
  EXPECT_TRUE(picture.code == 0 || picture.code == 1) << picture.code << ' ' << picture.err;
  // Either this program or the graphics driver is out of memory.
  EXPECT_EQ(picture.code == 1, picture.err.find("memory") != std::string::npos) << picture.err;
  const Outcome large =
      shell("ulimit -v 2000000; '" PERTURB_BINARY "' wave --headless --backend cpu --size 16384 --steps 1");
  EXPECT_EQ(large.code, 2) << large.err;
  EXPECT_NE(large.err.find("Choose a smaller size"), std::string::npos) << large.err;
}

// With a low limit on data memory, images are drawn or rejected; no driver ends the run.
TEST_F(Interrupted, LittleMemoryForPicturesKeepsTheState) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  for (const long mebibytes : {29, 45, 80, 100, 160}) {
    const Outcome outcome = shell("timeout -s KILL 600 prlimit --data=" + std::to_string(mebibytes << 20) +
                                  " '" PERTURB_BINARY
                                  "' wave --headless --backend cpu --threads 2 --size 64 --steps 10 --save a.perturb "
                                  "--screenshot a.png");
    SCOPED_TRACE(std::to_string(mebibytes) + " MiB: " + std::to_string(outcome.code) + ' ' + outcome.err);
    EXPECT_EQ(outcome.code == 0, fs::exists(path("a.png")));
    if (outcome.code == 2) {  // rejected before the first step: there was not even memory for the state
      EXPECT_NE(outcome.err.find("memory"), std::string::npos);
      EXPECT_LT(mebibytes, 100);
      continue;
    }
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1);
    EXPECT_EQ(load_state(path("a.perturb")).steps, 10);
    EXPECT_FALSE(has_part());
    fs::remove(path("a.perturb"));
    fs::remove(path("a.png"));
  }
}

// From here on the system starts no thread for this process, as at the limit of a user or of a control group.
void start_no_threads() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),  // so that the C library uses clone
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);
}

TEST_F(Interrupted, PicturesAreDrawnWhereNoThreadStarts) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const std::string run = "LIBGL_ALWAYS_SOFTWARE=1 timeout -s KILL 600 '" PERTURB_BINARY
                          "' wave --headless --backend cpu --size 64 --window-size 64x64 --steps 20 "
                          "--steps-per-frame 5 --save a.perturb --screenshot a.png --record frames/";
  const pid_t child = fork();
  if (child == 0) {
    start_no_threads();
    execl("/bin/sh", "sh", "-c", ("cd '" + path("") + "' && " + run + " 2>err.txt >out.txt").c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no system call can be filtered here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read("err.txt");
  EXPECT_EQ(load_state(path("a.perturb")).steps, 20) << read("err.txt");
  EXPECT_FALSE(read("a.png").empty());
  EXPECT_FALSE(fs::is_empty(path("frames")));
}

TEST_F(Interrupted, RespectsMemoryLimitOfControlGroup) {
  // Our own control group, if permitted: version 1, or version 2 with the memory controller at its root.
  const std::string name = "perturb_test_" + std::to_string(getpid());
  std::string group;
  for (const std::string root : {"/sys/fs/cgroup/memory/", "/sys/fs/cgroup/"}) {
    std::error_code code;
    if (!fs::exists(root, code) || !fs::create_directory(root + name, code)) continue;
    const bool one = fs::exists(root + name + "/memory.limit_in_bytes");
    std::ofstream limit(root + name + (one ? "/memory.limit_in_bytes" : "/memory.max"));
    limit << (300 << 20);
    limit.close();
    if (limit && access((root + name + "/cgroup.procs").c_str(), W_OK) == 0) {
      group = root + name;
      break;
    }
    fs::remove(root + name, code);
  }
  if (group.empty()) GTEST_SKIP() << "no control group can be made here";
  // The shell writes its process id and then becomes the program.
  const auto run_in_group = [&](const std::string& size) {
    return shell("sh -c 'echo $$ >" + group +
                 "/cgroup.procs; exec " PERTURB_BINARY " wave --headless --backend cpu --steps 1 --size " + size + "'");
  };
  const Outcome outcome = run_in_group("8192x8192"), fits = run_in_group("1024x1024");
  std::error_code code;
  eventually([&] { return fs::remove(group, code); });  // the last process may still be exiting
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("300 MiB"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("Choose a smaller size"), std::string::npos) << outcome.err;
  EXPECT_EQ(fits.code, 0) << fits.err;
}

#endif

}  // namespace
}  // namespace perturb
