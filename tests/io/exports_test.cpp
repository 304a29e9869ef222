// Exports of the window: tables, sounds, videos, interrupted sessions. The faults are real ones.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/i18n/language.h"
#include "app/io/files/output.h"
#include "app/io/image/clipboard_picture.h"
#include "app/io/image/film_writer.h"
#include "app/io/image/image.h"
#include "app/io/image/recorder.h"
#include "app/io/preset/presets.h"
#include "app/io/state/autosave.h"
#include "app/io/state/state_file.h"
#include "app/run/sampling.h"
#include "app/session/session.h"
#include "app/window/curves_image.h"
#include "app/window/report.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

// Files are saved in the working directory: here.
class Exports : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    before_ = fs::current_path();
    fs::current_path(path(""));
    Scene scene = load_scene("wave/double-slit");
    scene.setup.width = 96;
    scene.setup.height = 64;
    experiment_ = std::make_unique<Experiment>(*backend_, scene);
    session_ = std::make_unique<Session>(*experiment_, 4);
    session_->instrument_controller().add(parse_instrument("probe 0.2 0.5"));
    session_->instrument_controller().add(parse_instrument("cut 0.5 0 0.5 1"));
    session_->instrument_controller().add(parse_instrument("ruler 0 0.5 1 0.5"));
    advance_frames(*session_, 40, 1.0 / 30);
  }
  void TearDown() override {
    fs::current_path(before_);
    ScratchFolder::TearDown();
  }
  void ask(Command command) {
    session_->post(std::move(command));
    session_->handle({}, layout_, Session::Keyboard::free);
  }
  std::string note() const { return session_->message().text.english(); }

  fs::path before_;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(Exports, WritesCurvesAsReadableTable) {
  ask(Export{ExportKind::curves});
  const std::string name = session_->output().stem() + "-curves.csv";
  EXPECT_NE(note().find(name + " in " + fs::current_path().string()), std::string::npos) << note();
  std::istringstream table(read(name));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "curve,x,x_unit,y,y_unit,kind");
  std::size_t probe = 0, cut = 0, spectrum = 0, over_time = 0;
  while (std::getline(table, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 5) << line;
    probe += line.starts_with("probe_1,");
    cut += line.starts_with("cut_1,");
    spectrum += line.starts_with("probe_1_spectrum,");
    over_time += line.starts_with("energy");
  }
  EXPECT_EQ(probe, 160U / static_cast<std::size_t>(steps_per_reading(experiment_->simulation())));
  EXPECT_EQ(cut, 65U) << "a point for each cell, and one for the end";
  EXPECT_GT(spectrum, 16U);
  EXPECT_EQ(over_time, 1U + 160U / static_cast<std::size_t>(steps_per_numbers(experiment_->scene())))
      << "the simulation's own numbers are in it";
}

TEST_F(Exports, ReportsFullDiskAndLeavesNoFile) {
  for (const ExportKind what : {ExportKind::curves, ExportKind::fields}) {
    fail_output_after(0);
    session_->show_message("");
    ask(Export{what});
    EXPECT_NE(note().find("No space left on device"), std::string::npos) << note();
    fail_output_after(-1);
    for (const auto& entry : fs::directory_iterator(path(""))) fs::remove(entry);
  }
  fail_output_after(0);
  ask(SaveSound{session_->instruments().all().front().id});
  EXPECT_FALSE(note().empty());
  fail_output_after(-1);
  EXPECT_EQ(files(), 0U);
}

TEST_F(Exports, ReportsFolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "this user may write everywhere";
  fs::permissions(path(""), fs::perms::owner_read | fs::perms::owner_exec);
  ask(Export{ExportKind::curves});
  EXPECT_NE(note().find("Permission denied"), std::string::npos) << note();
  write_report(*session_, Picture{2, 2, {1, 2, 3, 4}});
  EXPECT_NE(note().find("Cannot create the folder"), std::string::npos) << note();
}

TEST_F(Exports, NamesFileAndItsFolder) {
  const std::string here = fs::current_path().string();
  EXPECT_EQ(in_its_folder("a.png").english(), "a.png in " + here);
  EXPECT_EQ(in_its_folder("a-frames/").english(), "a-frames in " + here);
  EXPECT_EQ(in_its_folder("/tmp/b/c.csv").english(), "c.csv in /tmp/b");
}

TEST_F(Exports, CopiesNumbersAsText) {
  ask(Export{ExportKind::numbers});
  const std::vector<Command> commands = session_->take_window_commands();
  ASSERT_EQ(commands.size(), 1u);
  const std::string text = std::get<CopyText>(commands.front()).text;
  session_->output().set_chosen("/home/somebody/Pictures");
  ask(Export{ExportKind::numbers});
  EXPECT_EQ(std::get<CopyText>(session_->take_window_commands().front()).text, text) << "whatever the folder is called";
  EXPECT_TRUE(text.starts_with("perturb-wave")) << text;
  for (const char* word : {"Ruler 1: 96 length", "Probe 1: ", "time: 80"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST_F(Exports, WritesReportInLanguageOfWindow) {
  use_language("de");
  const std::string page = report_page(*session_, "2000-01-01");
  // A choice from a list is shown by its label, not by its id.
  int chosen = 0;
  for (const Parameter& p : session_->info().parameters) {
    if (p.kind != ValueKind::choice) continue;
    const Choice& choice = p.choices[static_cast<std::size_t>(session_->run().value_of(p.id))];
    EXPECT_NE(page.find("<td>" + tr(choice.label) + "</td>"), std::string::npos) << choice.id;
    EXPECT_EQ(page.find("<td>" + choice.id + "</td>"), std::string::npos) << choice.id;
    ++chosen;
  }
  EXPECT_GT(chosen, 0);
  use_language("en");
  for (const char* word : {"<html lang=\"de\">", "<h1>Doppelspalt</h1>", "Zeitschritt, dt", "Startwert des Zufalls",
                           "Lineal 1", "96 Länge", "Wie es berechnet wurde", "<h2>Mein Ergebnis</h2>"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  for (const char* word : {"Time step", "Measured", "Seed", "96 length"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

// The experiment itself: slits and source with their numbers, in the units of the window, and the scale.
TEST_F(Exports, ReportsTheObjectsOfTheScene) {
  set_preference(*session_, &Preferences::scene_units, true);
  const std::string page = report_page(*session_, "2000-01-01");
  for (const char* word : {"<h2>The experiment</h2>", "Distance 6.4 cm", "Frequency 12.5 Hz", "1 length = 0.1 cm",
                           "<td>9.6 cm</td>", "@page{size:A4"})
    EXPECT_NE(page.find(word), std::string::npos) << word << page;
  const std::string numbers = session_->exporter().numbers();
  for (const char* word : {"Ruler 1: 9.6 cm", "\nunits: 1 height = 1 mm; 1 length = 0.1 cm; 1 time = 0.004 s\n"})
    EXPECT_NE(numbers.find(word), std::string::npos) << numbers;
}

TEST_F(Exports, WritesCompleteReport) {
  const Picture picture{2, 2, {0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff}};
  write_report(*session_, picture);
  const std::string folder = session_->output().stem() + "-report";
  EXPECT_NE(note().find("index.html in "), std::string::npos) << note();
  for (const char* name : {"/index.html", "/picture.png", "/curves.csv", "/numbers.txt", "/run.toml"})
    EXPECT_TRUE(fs::exists(path(folder + name))) << name;
  const std::string page = read(folder + "/index.html");
  for (const char* word : {"<h1>Double slit</h1>", "Time step", "Seed", "Ruler 1", "96 length", "Perturb ",
                           "src=\"picture.png\"", "run.toml", "<svg", "<h2>My conclusion</h2>", "contenteditable"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  // What is not for paper comes last.
  EXPECT_LT(page.find("My conclusion"), page.find("<details>"));
  EXPECT_GT(page.find("How it was computed"), page.find("<details>"));
  // The same state again: saved next to the first, without overwriting it.
  write_report(*session_, picture);
  EXPECT_TRUE(fs::exists(path(folder + "-2/index.html")));
  // The script reproduces the run bit for bit.
  const Outcome again =
      run("--script '" + path(folder + "/run.toml") + "' --headless --backend cpu --save again.perturb");
  ASSERT_EQ(again.code, 0) << again.err;
  const State state = load_state(path("again.perturb")), here = experiment_->simulation().save();
  EXPECT_EQ(state.steps, here.steps);
  for (const auto& [name, dataset] : here.datasets) EXPECT_TRUE(state.datasets.at(name).bytes == dataset.bytes) << name;
}

TEST_F(Exports, WritesCurvesAndInstrumentsWithoutWindow) {
  const Outcome outcome =
      run("wave/double-slit --size 96x64 --headless --backend cpu --steps 200 --instrument 'probe 0.2 0.5' "
          "--instrument 'cut 0.5 0 0.5 1 average' --curves c.csv --csv t.csv");
  if (outcome.code == 1 && outcome.err.find("OpenGL") != std::string::npos) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(read("c.csv").find("probe_1_spectrum"), std::string::npos);
  EXPECT_EQ(run("wave --headless --steps 1 --instrument 'tape 0 1'").code, 2);
  EXPECT_EQ(run("wave --headless --steps 1 --curves c.txt").code, 2);
}

// ---- videos

class Films : public ScratchFolder {
 protected:
  static Picture flat(std::uint32_t ink) { return Picture{64, 48, std::vector<std::uint32_t>(64 * 48, ink)}; }
};

TEST_F(Films, WriteEveryFrame) {
  if (find_program("ffmpeg").empty() || find_program("ffprobe").empty()) GTEST_SKIP() << "ffmpeg is not installed";
  for (const char* name : {"a.mp4", "a.gif"}) {
    FilmWriter film(Recorder::make(path(name), 64, 48, 50, nullptr));
    for (std::uint32_t k = 0; k < 73; ++k) {
      Picture picture = film.spare();
      picture = flat(0xff000000 | (k * 3));
      film.add(std::move(picture));
    }
    film.finish();
    const Outcome frames = shell(
        "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames "
        "-of csv=p=0 " +
        std::string(name));
    EXPECT_EQ(frames.out, "73\n") << name << frames.err;
  }
}

TEST_F(Films, KeepColorsOfWindow) {
  FilmWriter film(Recorder::make(path("frames/"), 64, 48, 60, nullptr));
  film.add(flat(0xff0a141e));  // red 30, green 20, blue 10
  film.add(flat(0xff0a141e), FilmWriter::Channels::bgra);
  film.finish();
  std::vector<std::uint32_t> inks;
  for (const auto& entry : fs::directory_iterator(path("frames"))) {
    const auto picture = load_picture(entry.path().string(), 64);
    ASSERT_TRUE(picture);
    inks.push_back(picture->pixels.front());
  }
  std::sort(inks.begin(), inks.end());
  EXPECT_EQ(inks, (std::vector<std::uint32_t>{0xff0a141e, 0xff1e140a}));
}

TEST_F(Films, LeaveNoFileWhenUnfinished) {
  {
    FilmWriter film(Recorder::make(path("a.mp4"), 64, 48, 60, nullptr));
    film.add(flat(0xff000000));
  }
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

TEST_F(Films, ReportFailureOnceWithoutBlocking) {
  FilmWriter film(Recorder::make(path("frames/"), 64, 48, 60, nullptr));
  film.add(flat(0));
  fail_output_after(0);
  int failures = 0;
  for (int k = 0; k < 400; ++k) {
    try {
      film.add(flat(0));
    } catch (const Error& error) {
      ++failures;
      EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(failures, 1);
}

// ---- the clipboard

class Clipboard : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    if (const char* before = std::getenv("PATH")) before_ = before;
    setenv("PATH", path("bin").c_str(), 1);
    unsetenv("WAYLAND_DISPLAY");
    fs::create_directory(path("bin"));
  }
  void TearDown() override {
    setenv("PATH", before_.c_str(), 1);
    ScratchFolder::TearDown();
  }
  // A stand-in for the desktop's program, which stores its input.
  void install(const std::string& body) const {
    write("bin/xclip", "#!/bin/sh\n" + body + "\n");
    fs::permissions(path("bin/xclip"), fs::perms::owner_all);
  }
  std::string before_;
};

TEST_F(Clipboard, CopiesImageAsPng) {
  install("echo \"$@\" > '" + path("words") + "'; PATH='" + before_ + "'; cat > '" + path("kept.png") + "'");
  copy_picture_to_clipboard(Picture{2, 1, {0xff0000ff, 0xffffffff}});
  EXPECT_EQ(read("words"), "-selection clipboard -t image/png -i\n");
  const auto kept = load_grey_image(path("kept.png"));
  EXPECT_EQ(kept->width, 2);
  EXPECT_EQ(kept->values.back(), 1);
}

TEST_F(Clipboard, ReportsMissingOrBrokenProgram) {
  const auto why = [] { return error_thrown_by<Error>([&] { copy_picture_to_clipboard(Picture{1, 1, {0}}); }); };
  EXPECT_NE(why().find("xclip (under Wayland: wl-clipboard) is missing"), std::string::npos) << why();
  install("exit 3");
  EXPECT_NE(why().find("Save the image as a file instead"), std::string::npos) << why();
}

// ---- an interrupted session

class AutosaveTest : public ScratchFolder {
 protected:
  // A separate program that autosaves a run and is then killed, or exits cleanly.
  void live(bool is_killed, std::int64_t steps) const {
    const pid_t child = fork();
    if (child == 0) {
      {
        Autosave safe(path("sessions"));
        State state;
        state.simulation = "wave";
        state.steps = steps;
        state.width = state.height = 2;
        state.put<float>("u", {2, 2}, "height", std::vector<float>(4, 1.F));
        safe.keep(std::move(state), {"# a script\n", {}}, "wave at step " + std::to_string(steps));
        safe.finish();
        if (is_killed) raise(SIGKILL);
      }
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(is_killed ? WIFSIGNALED(status) : WIFEXITED(status), true);
  }
  std::size_t sessions() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("sessions")), {}));
  }
};

TEST_F(AutosaveTest, OffersInterruptedSessionUntilDismissed) {
  live(true, 7);
  {
    Autosave next(path("sessions"));
    ASSERT_TRUE(next.interrupted().has_value());
    EXPECT_EQ(next.interrupted()->description.english(), "wave at step 7");
    EXPECT_EQ(load_state(next.interrupted()->state).steps, 7);
    // While it is offered, it still exists: a second crash loses nothing.
    EXPECT_EQ(sessions(), 2U);
    next.discard_interrupted();
  }
  EXPECT_FALSE(Autosave(path("sessions")).interrupted().has_value());
  EXPECT_EQ(sessions(), 0U) << "nothing is left behind";
}

TEST_F(AutosaveTest, OrderlyExitLeavesNothing) {
  live(false, 7);
  EXPECT_FALSE(Autosave(path("sessions")).interrupted().has_value());
}

TEST_F(AutosaveTest, OffersNewestSessionFirst) {
  for (const int steps : {7, 8, 9}) {
    live(true, steps);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Autosave next(path("sessions"));
  for (const int steps : {9, 8, 7}) {
    ASSERT_TRUE(next.interrupted().has_value());
    EXPECT_EQ(next.interrupted()->description.english(), "wave at step " + std::to_string(steps));
    next.discard_interrupted();
  }
  EXPECT_FALSE(next.interrupted().has_value());
}

TEST_F(AutosaveTest, KeepsLimitedNumberOfSessions) {
  for (std::size_t k = 0; k < Autosave::max_sessions + 3; ++k) live(true, 7);
  Autosave next(path("sessions"));
  EXPECT_LE(sessions(), Autosave::max_sessions + 1) << "and this one's own";
}

TEST_F(AutosaveTest, IgnoresSessionOfRunningProgram) {
  Autosave first(path("sessions"));
  State state;
  state.simulation = "wave";
  EXPECT_TRUE(first.keep(state, {}, "wave"));
  first.finish();
  const Autosave second(path("sessions"));
  EXPECT_FALSE(second.interrupted().has_value());
}

TEST_F(AutosaveTest, ReportsFullDiskAndContinues) {
  Autosave safe(path("sessions"));
  State state;
  state.simulation = "wave";
  fail_output_after(0);
  EXPECT_TRUE(safe.keep(state, {}, "wave"));
  safe.finish();
  fail_output_after(-1);
  EXPECT_NE(safe.take_failure().english().find("No space left on device"), std::string::npos);
  EXPECT_TRUE(safe.keep(state, {}, "wave"));
  safe.finish();
  EXPECT_EQ(safe.take_failure(), "");
}

TEST_F(AutosaveTest, ThrowsForImpossibleFolder) {
  write("sessions", "a file is in the way");
  EXPECT_THROW(Autosave(path("sessions")), Error);
}

}  // namespace
}  // namespace perturb
