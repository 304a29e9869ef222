// Work that must not be lost: interrupted and abandoned runs, files that vanish during a run, names that exist already.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/window_start.h"
#include "app/edited/edited_kernel.h"
#include "app/instruments/instrument.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/state/autosave.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "app/lessons/lesson_progress.h"
#include "app/session/session.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/session_input.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

Scene lost_scene(const std::string& path) {
  Scene scene = load_scene(path);
  if (scene.setup.simulation == "wave") scene.setup.width = scene.setup.height = 48;
  return scene;
}

const Action first_drop{"droplet", {{"x", 0.3}, {"y", 0.6}}, "", nullptr};

class LostWork : public ScratchFolder {
 protected:
  // A window's session, without the window.
  struct Window {
    explicit Window(const LostWork& test, const std::string& scene = "wave/droplet")
        : experiment(*test.backend_, lost_scene(scene)), session(experiment, 1) {
      session.playback().set_playing(false);
      session.output().set_default_folders(test.path(""), test.path(""));
      session.file_opener().set_script_reader(read_script_run);
      session.autosave_controller().enable(test.path("sessions"));
    }
    void ask(Command command) {
      session.post(std::move(command));
      session.handle({}, make_layout(800, 600, 1, 1, true), Session::Keyboard::free);
    }
    void press(const std::string& name) {
      session.handle({key_press(name)}, make_layout(800, 600, 1, 1, true), Session::Keyboard::free);
    }
    void draw() {
      experiment.perform(first_drop);
      session.observe(true);
    }
    // Waits until the autosaved script contains this text.
    bool is_kept(const std::string& folder, const std::string& words) {
      return eventually([&] {
        session.observe(true);
        session.end_frame(10, 0.004);
        for (const auto& entry : fs::directory_iterator(folder)) {
          std::ifstream file(entry.path() / "words");
          const std::string found{std::istreambuf_iterator<char>(file), {}};
          if (found.find(words) != std::string::npos) return true;
        }
        return false;
      });
    }
    std::string note() const { return session.message().text.english(); }

    Experiment experiment;
    Session session;
  };

  // Autosaves a run of this scene in a process that is then killed.
  void kill_one(const std::string& scene, std::int64_t steps) const {
    const pid_t child = fork();
    if (child == 0) {
      const auto backend = Backend::make_cpu(1);
      Experiment run(*backend, lost_scene(scene));
      run.advance(steps);
      Autosave safe(path("sessions"));
      safe.keep(run.simulation().save(), script_files(run, "script"), run.setup().simulation + " at a step");
      safe.finish();
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  std::size_t sessions() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("sessions")), {}));
  }
  // The state after running the script to its end.
  State again(const std::string& script) const {
    const Scene now = lost_scene("wave/droplet");
    const ScriptRun run = read_script_run(path(script), now);
    Experiment experiment(*backend_, run.start);
    experiment.schedule(run.events);
    std::ifstream file(path(script));
    std::string line;
    std::int64_t steps = 0;
    while (std::getline(file, line))
      if (line.find("steps = ") == 0) steps = std::stoll(line.substr(8));
    experiment.advance(steps - experiment.simulation().steps());
    return experiment.simulation().save();
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
};

// ---- folders where nothing can be kept

TEST_F(LostWork, SaysWhyNothingCanBeKept) {
  const auto reason = [](int code) { return cannot_autosave("/somewhere", code).english(); };
  for (const int code : {ENOSPC, EDQUOT}) EXPECT_NE(reason(code).find("Free some space"), std::string::npos);
  for (const int code : {EACCES, EROFS}) EXPECT_NE(reason(code).find("Permit writing"), std::string::npos);
  for (const int code : {ENOLCK, EOPNOTSUPP}) EXPECT_NE(reason(code).find("lock files"), std::string::npos);
  for (const int code : {EACCES, EROFS, ENOLCK, EOPNOTSUPP, ENOTDIR})
    EXPECT_EQ(reason(code).find("space"), std::string::npos) << reason(code);
  write("file", "");
  for (const std::string& folder : {path("file") + "/sessions", std::string("/proc/sessions")}) {
    const std::string error = error_thrown_by<Error>([&] { Autosave safe(folder); });
    EXPECT_NE(error.find(folder), std::string::npos) << error;
    EXPECT_EQ(error.find("space"), std::string::npos) << error;
  }
}

// ---- interrupted runs

TEST_F(LostWork, KeepsRecoveredRunAndItsScript) {
  kill_one("particles/brownian", 5);
  Window window(*this);
  ASSERT_FALSE(window.session.autosave_controller().offer().description.empty());
  window.ask(AnswerRecovery{true});
  ASSERT_EQ(window.session.run().scene->setup.simulation, "particles") << window.note();
  ASSERT_TRUE(window.is_kept(path("sessions"), "particles/")) << window.note();
  EXPECT_FALSE(window.session.message().is_error) << window.note();
  eventually([&] { return sessions() <= 1; });
  EXPECT_EQ(sessions(), 1U) << "the one it went on from is removed once this one is written";
  window.press(".");
  window.press("Ctrl+Shift+S");
  std::string script;
  for (const auto& entry : fs::directory_iterator(path("")))
    if (entry.path().extension() == ".toml") script = entry.path().filename().string();
  ASSERT_NE(script, "") << window.note();
  EXPECT_EQ(largest_difference(again(script), window.experiment.simulation().save()), 0);
}

TEST_F(LostWork, OffersEachOfTwoKilledWindows) {
  kill_one("wave/rain", 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill_one("particles/brownian", 3);
  Window first(*this);
  EXPECT_NE(first.session.autosave_controller().offer().description.english().find("particles"), std::string::npos);
  {
    const Window second(*this);
    EXPECT_NE(second.session.autosave_controller().offer().description.english().find("wave"), std::string::npos)
        << "each window offers its own";
  }
  first.ask(AnswerRecovery{false});
  EXPECT_NE(first.session.autosave_controller().offer().description.english().find("wave"), std::string::npos)
      << "then the other one";
  first.ask(AnswerRecovery{true});
  EXPECT_EQ(first.experiment.simulation().steps(), 3) << first.note();
}

// Earlier versions kept HDF5.
TEST_F(LostWork, RunOfAnEarlierVersionIsKeptUntilItIsConverted) {
  const std::string folder = path("sessions/123");
  fs::create_directories(folder);
  fs::copy_file(PERTURB_SOURCE_DIR "/tests/io/before/wave.h5", folder + "/state.h5");
  write("sessions/123/words", "wave/rain at step 12");
  for (int start = 0; start < 2; ++start) {
    Window window(*this);
    EXPECT_EQ(window.session.autosave_controller().offer().description.english(), "wave/rain at step 12");
    window.ask(AnswerRecovery{true});
    EXPECT_NE(window.note().find(folder + "/state.h5"), std::string::npos) << window.note();
    EXPECT_NE(window.note().find("scripts/h5_to_perturb.py"), std::string::npos) << window.note();
  }
  EXPECT_TRUE(fs::exists(folder + "/state.h5"));
  fs::copy_file(PERTURB_SOURCE_DIR "/tests/io/before/wave.perturb", folder + "/state.perturb");
  Window window(*this);
  window.ask(AnswerRecovery{true});
  EXPECT_EQ(window.experiment.simulation().steps(), 12) << window.note();
}

// ---- files that vanish or change

TEST_F(LostWork, ScriptNeedsNoFileThatRunBeganWith) {
  Experiment before(*backend_, lost_scene("wave/rain"));
  before.advance(4);
  save_state(before.simulation().save(), path("begin.perturb"));
  Window window(*this);
  window.ask(OpenFile{path("begin.perturb")});
  ASSERT_EQ(window.experiment.simulation().steps(), 4) << window.note();
  window.experiment.advance(2);
  window.draw();
  window.experiment.advance(3);
  save_state(window.experiment.simulation().save(), path("begin.perturb"));  // replaces the run's start file
  save_script(window.experiment, path("over.toml"));
  fs::remove(path("begin.perturb"));
  save_script(window.experiment, path("gone.toml"));
  for (const char* script : {"over.toml", "gone.toml"})
    EXPECT_EQ(largest_difference(again(script), window.experiment.simulation().save()), 0) << script;
}

TEST_F(LostWork, ScriptNeedsNoPresetFileAndNoImageOfIt) {
  save_png({2, 2, {0xFF000000u, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu}}, path("wall.png"));
  write("mine.toml",
        "title = 'Mine'\nsimulation = 'wave'\nsize = [40, 40]\n[parameters]\ndamping = 0.01\n"
        "[[action]]\nkind = 'wall-image'\nimage = 'wall.png'\n");
  Window window(*this);
  window.ask(OpenScene{path("mine.toml")});
  ASSERT_EQ(window.session.run().scene->title, "Mine") << window.note();
  fs::remove(path("mine.toml"));
  fs::remove(path("wall.png"));
  window.draw();
  window.experiment.advance(3);
  window.press("Ctrl+Shift+S");
  ASSERT_FALSE(window.session.message().is_error) << window.note();
  EXPECT_EQ(largest_difference(again("perturb-wave-mine-3.toml"), window.experiment.simulation().save()), 0);
  window.experiment.set_parameter("damping", 0.02);
  window.ask(CommandId::reset_parameters);
  EXPECT_EQ(window.session.run().value_of("damping"), 0.01) << "as the preset had it";
}

TEST_F(LostWork, ScriptNeedsNoInputText) {
  write("discs.txt", "3 20 1 3\n0 5 5 1 0\n1 10 5 -1 0\n2 10 15 0.5 0.25\n");
  write("run.toml", "start = [\"particles/report\", \"--input\", \"" + path("discs.txt") + "\"]\nsteps = 2\n");
  ScriptRun run;
  try {
    run = read_script_run(path("run.toml"), lost_scene("wave/droplet"));
  } catch (const InputError& error) {
    FAIL() << error.what();
  }
  Experiment experiment(*backend_, run.start);
  experiment.advance(2);
  fs::remove(path("discs.txt"));
  EXPECT_NE(command_line_of(experiment).find("--input"), std::string::npos);
  save_script(experiment, path("again.toml"));
  EXPECT_EQ(largest_difference(again("again.toml"), experiment.simulation().save()), 0);
}

// ---- names

TEST_F(LostWork, SavesUnderNewNameWhereFileExists) {
  Window window(*this);
  window.experiment.advance(4);
  window.session.observe(true);
  window.press("Ctrl+S");
  const std::string before = read("perturb-wave-droplet-4.perturb");
  ASSERT_FALSE(before.empty()) << window.note();
  window.draw();
  window.press("Ctrl+S");
  EXPECT_EQ(read("perturb-wave-droplet-4.perturb"), before);
  EXPECT_TRUE(fs::exists(path("perturb-wave-droplet-4-2.perturb"))) << window.note();
  window.press("Ctrl+Shift+S");
  window.press("Ctrl+Shift+S");
  EXPECT_TRUE(fs::exists(path("perturb-wave-droplet-4-2.toml"))) << window.note();
}

TEST_F(LostWork, SavingOverFileIsAskedFirst) {
  Window window(*this);
  write("mine.perturb", "something else");
  window.press("Ctrl+Shift+E");
  window.ask(SaveStateAs{path("mine.perturb")});
  EXPECT_EQ(read("mine.perturb"), "something else");
  EXPECT_NE(window.session.file_chooser().files().error.english().find("already exists"), std::string::npos);
  window.ask(SaveStateAs{path("mine.perturb")});
  EXPECT_EQ(load_state(path("mine.perturb")).simulation, "wave") << window.session.file_chooser().files().error;
}

// ---- another scene, and exit

TEST_F(LostWork, UndoReturnsToRunBeforeAnotherScene) {
  Window window(*this);
  window.experiment.advance(3);
  window.draw();
  window.experiment.advance(2);
  window.session.observe(true);
  const State before = window.experiment.simulation().save();
  window.press("]");
  ASSERT_NE(window.session.run().scene->setup.preset, "droplet");
  window.ask(OpenScene{"particles/brownian"});
  window.experiment.advance(1);
  window.session.observe(true);
  const State gas = window.experiment.simulation().save();
  window.press("Ctrl+Z");
  ASSERT_EQ(window.session.info().id, "wave") << window.note();
  window.press("Ctrl+Z");
  EXPECT_EQ(window.session.run().scene->setup.preset, "droplet") << window.note();
  EXPECT_EQ(largest_difference(before, window.experiment.simulation().save()), 0);
  EXPECT_EQ(window.session.view().settings().quantity, window.experiment.shown().view.quantity);
  window.press("Ctrl+Y");
  window.press("Ctrl+Y");
  ASSERT_EQ(window.session.info().id, "particles") << window.note();
  EXPECT_EQ(largest_difference(gas, window.experiment.simulation().save()), 0);
  window.press("Ctrl+Z");
  window.press("Ctrl+Z");
  window.press("Ctrl+Z");
  EXPECT_EQ(window.session.run().next_undo, "") << "the drop is undone too";
}

TEST_F(LostWork, SceneThatNothingWasDoneToLeavesNothingToUndo) {
  Window window(*this);
  window.experiment.advance(3);
  window.press("]");
  EXPECT_EQ(window.session.run().next_undo, "");
}

TEST_F(LostWork, UndoStaysInLesson) {
  Window window(*this);
  window.draw();
  window.ask(OpenLesson{"wave/two-slits"});
  ASSERT_NE(window.session.lesson(), nullptr) << window.note();
  const std::string scene = window.session.run().scene->setup.preset;
  window.press("Ctrl+Z");
  EXPECT_EQ(window.session.run().scene->setup.preset, scene);
  window.ask(CommandId::close_lesson);
  window.press("Ctrl+Z");
  EXPECT_EQ(window.session.run().scene->setup.preset, "droplet") << window.note();
}

TEST_F(LostWork, EndKeepsRunThatWasNotSaved) {
  State end;
  {
    Window window(*this);
    window.experiment.advance(3);
    window.draw();
    end = window.experiment.simulation().save();
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Window next(*this);
  ASSERT_TRUE(next.session.autosave_controller().offer().was_closed);
  next.ask(AnswerRecovery{true});
  EXPECT_EQ(largest_difference(end, next.experiment.simulation().save()), 0) << next.note();
  EXPECT_EQ(next.session.autosave_controller().save_at_exit(), "");
  EXPECT_EQ(sessions(), 1U) << "not saved yet";
}

// A click into the water is no answer, and neither is Esc: the scene browser still has the run.
TEST_F(LostWork, KeptRunStaysWithinReachUntilItIsAnswered) {
  {
    Window window(*this);
    window.experiment.advance(3);
    window.draw();
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Window next(*this);
  const auto& autosave = next.session.autosave_controller();
  ASSERT_TRUE(autosave.offer().was_closed);
  next.draw();
  EXPECT_FALSE(autosave.offer().description.empty());
  EXPECT_FALSE(autosave.offer().put_off);
  next.ask(CommandId::close_overlay);
  EXPECT_TRUE(autosave.offer().put_off) << "out of the view";
  EXPECT_FALSE(autosave.offer().description.empty()) << "and still in the scene browser";
  next.ask(AnswerRecovery{true});
  EXPECT_EQ(next.experiment.simulation().steps(), 3) << next.note();
}

TEST_F(LostWork, FreshStartOffersAKeptRunInTheBrowserOnly) {
  {
    Window window(*this);
    window.draw();
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Experiment experiment(*backend_, lost_scene("wave/rain"));
  Session fresh(experiment, 1);
  fresh.autosave_controller().enable(path("sessions"), true);
  const RecoveryOffer& offer = fresh.autosave_controller().offer();
  EXPECT_FALSE(offer.description.empty());
  EXPECT_TRUE(offer.put_off);
  EXPECT_NEAR(std::difftime(std::time(nullptr), offer.saved), 0, 600);
}

TEST_F(LostWork, ResumedRunHasItsKernelAndItsView) {
  std::string kernel;
  State end;
  {
    Window window(*this);
    const auto& editable = dynamic_cast<const EditableCell&>(window.experiment.simulation());
    kernel = edited_kernel_id(std::string(editable.kernel_source().built_in_text()) + "// of " + path("") + "\n");
    accept_edited_text(edited_text(kernel));
    window.draw();
    window.experiment.choose_kernel(kernel);
    window.experiment.advance(3);
    window.ask(ShowQuantity{"velocity"});
    ViewSettings view = window.session.view().settings();
    view.theory = true;
    window.session.view().camera().zoom = 2;
    window.ask(ChangeView{view, true});
    window.ask(CommandId::home_view);
    window.session.view().camera().zoom = 3;
    window.session.handle({}, make_layout(800, 600, 1, 1, true), Session::Keyboard::free);
    end = window.experiment.simulation().save();
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Window next(*this);
  next.ask(AnswerRecovery{true});
  EXPECT_EQ(largest_difference(end, next.experiment.simulation().save()), 0) << next.note();
  EXPECT_EQ(next.experiment.kernel(), kernel) << next.note();
  EXPECT_EQ(next.session.view().settings().quantity, "velocity");
  EXPECT_TRUE(next.session.view().settings().theory);
  EXPECT_EQ(next.session.view().camera().zoom, 3);
}

TEST_F(LostWork, ResumedRunAndOpenedStateHaveTheChosenKernel) {
  {
    Window window(*this);
    window.experiment.choose_kernel("fused");
    window.draw();
    window.ask(SaveStateAs{path("mine.perturb")});
    window.draw();
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Window next(*this);
  ASSERT_EQ(next.experiment.kernel(), "auto");
  next.ask(AnswerRecovery{true});
  EXPECT_EQ(next.experiment.kernel(), "fused") << next.note();
  next.experiment.choose_kernel("auto");
  next.ask(OpenFile{path("mine.perturb")});
  EXPECT_EQ(next.experiment.kernel(), "fused") << next.note();
}

// An instrument of each kind, whether the run comes back from the last session or from a script.
TEST_F(LostWork, ResumedRunAndOpenedScriptHaveTheirInstruments) {
  std::vector<std::string> placed;
  {
    Window window(*this);
    for (const char* text : {"probe 0.25 0.5 velocity", "cut 0.1 0.2 0.9 0.2 height average", "ruler 0.1 0.2 0.9 0.2 4",
                             "protractor 0.2 0.5 0.5 0.5 0.5 0.9", "stopwatch"})
      window.session.instrument_controller().add(parse_instrument(text));
    window.draw();
    placed = to_arguments(window.session.instruments().all());
    ASSERT_EQ(placed.size(), 2 * std::size(instrument_kinds));
    save_script(window.experiment, path("placed.toml"), placed);
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  Window next(*this);
  // The same scene is open, so that its instruments would stay.
  next.session.instrument_controller().add(parse_instrument("probe 0.5 0.5"));
  next.ask(AnswerRecovery{true});
  EXPECT_EQ(to_arguments(next.session.instruments().all()), placed) << next.note();

  next.ask(RemoveInstrument{0});
  next.ask(OpenFile{path("placed.toml")});
  EXPECT_EQ(to_arguments(next.session.instruments().all()), placed) << next.note();
}

TEST_F(LostWork, StopwatchContinuesInAResumedRun) {
  double started = 0, time = 0;
  {
    Window window(*this);
    window.experiment.advance(5);
    window.session.observe(true);
    window.session.instrument_controller().add(parse_instrument("stopwatch"));
    started = window.session.run().time;
    window.draw();
    window.experiment.advance(7);
    window.session.observe(true);
    time = window.session.run().time;
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  ASSERT_GT(time, started);
  Window next(*this);
  next.ask(AnswerRecovery{true});
  ASSERT_EQ(next.session.instruments().all().size(), 1U) << next.note();
  EXPECT_EQ(next.session.run().time, time);
  EXPECT_EQ(next.session.instruments().all().front().elapsed(time), time - started);
}

TEST_F(LostWork, StateWithAnUnreadKernelIsNotOpened) {
  Window window(*this);
  State state = window.experiment.simulation().save();
  state.put<std::uint8_t>("edited_kernel", {3}, "", {'a', 'b', 'c'});
  save_state(state, path("foreign.perturb"));
  window.draw();
  window.ask(OpenFile{path("foreign.perturb")});
  window.session.observe(true);
  EXPECT_FALSE(window.session.run().next_undo.empty()) << "the run is as before";
  EXPECT_NE(window.note().find("Edit kernels"), std::string::npos) << window.note();
}

TEST_F(LostWork, EndKeepsNothingThatIsSavedOrUntouched) {
  {
    Window window(*this);
    window.experiment.advance(3);
    window.session.observe(true);
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  {
    Window window(*this);
    window.draw();
    window.press("Ctrl+S");
    window.session.view().camera().zoom = 2;  // the display is not the run
    window.ask(ShowQuantity{"velocity"});
    EXPECT_EQ(window.session.autosave_controller().save_at_exit(), "");
  }
  const Window next(*this);
  EXPECT_EQ(next.session.autosave_controller().offer().description, "");
}

// ---- a script with a rejected event

TEST_F(LostWork, RejectedEventKeepsWhatRunHas) {
  const std::string common = "fibers/pair --headless --backend cpu --steps 400 --csv d.csv --save x.perturb --script ";
  fs::copy_file(PERTURB_SOURCE_DIR "/tests/data/field/late-mistake.toml", path("late-mistake.toml"),
                fs::copy_options::overwrite_existing);
  const Outcome outcome = run(common + "late-mistake.toml");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("late-mistake.toml:1: the event at step "), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(path("x.perturb"))) << outcome.out;
  EXPECT_TRUE(fs::exists(path("d.csv"))) << outcome.out;
}

// ---- names that are not UTF-8

TEST_F(LostWork, NamesNeedNotBeUtf8) {
  const std::string name = "\xff\xfe";
  fs::create_directories(path("data/perturb/presets/wave"));
  const std::string preset = "title = 'Odd'\nsimulation = 'wave'\nsize = [32, 32]\n";
  write("data/perturb/presets/wave/" + name + ".toml", preset);
  write(name + ".toml", preset);
  const Outcome list = run("list --json", "XDG_DATA_HOME='" + path("data") + "'");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("Odd"), std::string::npos);
  const Outcome save = run("./" + name + ".toml --headless --backend cpu --steps 2 --save x.perturb");
  EXPECT_EQ(save.code, 0) << save.err;
  EXPECT_EQ(load_state(path("x.perturb")).steps, 2);
  LessonProgress progress(path("lessons.json"));
  progress.reach("/home/" + name + ".toml", 1, 2, 3);
  EXPECT_NE(read("lessons.json"), "");
}

}  // namespace
}  // namespace perturb
