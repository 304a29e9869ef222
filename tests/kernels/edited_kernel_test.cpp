// Kernels that a user edits (app/edited/edited_kernel.h): right, wrong, endless, crashing, and with numbers that are
// not finite.
#include "app/edited/edited_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/script_file.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/edited_state.h"
#include "tests/support/reach.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class EditedKernelRun : public OnEachBackend {
 protected:
  static std::string built_in() { return built_in(tank()); }
  static std::string built_in(const Scene& scene) {
    const std::unique_ptr<Backend> backend = Backend::make_cpu(1);
    const Experiment experiment(*backend, scene);
    return std::string(dynamic_cast<const EditableCell&>(experiment.simulation()).kernel_source().built_in_text());
  }
  // The built-in text with the body of a function replaced, and accepted as if a user had written it.
  static std::string with_body(const Scene& scene, const std::string& function, const std::string& body) {
    std::string text = built_in(scene);
    const std::size_t at = text.find(function) + function.size();
    text.replace(at, text.find("\n}", at) - at, "\n" + body);
    return accepted(text);
  }
  static std::string with_advance(const std::string& body) {
    return with_body(tank(),
                     "Real wave_advance(Real u, Real u_previous, Real laplacian, Real courant2, Real inertia) {", body);
  }
  static std::string with_collision(const std::string& body) {
    return with_body(flow(), "float lbm_collide_freely(float (&g)[lbm_links], const Rates& rates) {", body);
  }
  static Scene flow(std::map<std::string, double> parameters = {}, const std::string& scene = "lbm/taylor-green") {
    Scene s = load_scene(scene);
    s.setup.width = 70;
    s.setup.height = 50;
    for (const auto& [id, value] : parameters) s.setup.parameters[id] = value;
    return s;
  }
  static std::string accepted(const std::string& text) {
    accept_edited_text(text);
    return edited_kernel_id(text);
  }
  static Scene tank(std::map<std::string, double> parameters = {}, const std::string& scene = "wave/droplet") {
    Scene s = load_scene(scene);
    s.setup.width = 70;
    s.setup.height = 50;
    for (const auto& [id, value] : parameters) s.setup.parameters[id] = value;
    return s;
  }
  // Apart from the note that an edited kernel took steps.
  static bool same(State a, State b) {
    for (State* state : {&a, &b}) {
      state->datasets.erase("edited_kernel");
      state->datasets.erase("edited_kernel_in_use");
    }
    for (const auto& [name, data] : a.datasets)
      if (!(data.bytes == b.datasets.at(name).bytes)) return false;
    return a.steps == b.steps && a.datasets.size() == b.datasets.size();
  }
  // The state after steps with the built-in kernel, and with its text compiled.
  void expect_same_bits(const Scene& scene, int steps = 31) {
    Experiment by_program(backend(), scene), by_text(backend(), scene);
    by_text.choose_kernel(accepted(built_in(scene)));
    by_program.advance(steps);
    by_text.advance(steps);
    EXPECT_TRUE(is_edited_kernel(by_text.kernel())) << by_text.take_warning();
    EXPECT_TRUE(same(by_program.simulation().save(), by_text.simulation().save()));
  }
};
PERTURB_ON_EACH_BACKEND(EditedKernelRun);

TEST_P(EditedKernelRun, BuiltInTextGivesTheBuiltInBits) {
  expect_same_bits(tank());
  expect_same_bits(tank({{"precision", 1}}));
  expect_same_bits(tank({{"stencil", 1}}));
  expect_same_bits(tank({}, "wave/double-slit"));  // walls, absorbing sides, a sponge, a source
  expect_same_bits(tank({{"stencil", 1}, {"precision", 1}}, "wave/double-slit"));
  for (double side = 0; side < 4; ++side)
    expect_same_bits(tank({{"boundary_left", side},
                           {"boundary_right", side},
                           {"boundary_bottom", side},
                           {"boundary_top", side},
                           {"stencil", 1}}));
}

TEST_P(EditedKernelRun, EveryScenesTextGivesTheBuiltInBits) {
  const std::vector<std::string> ids = preset_ids("wave");
  for (const std::string& id : reach(ids, {ids.front()})) {
    SCOPED_TRACE(id);
    expect_same_bits(small_scene("wave/" + id), 12);
  }
}

TEST_P(EditedKernelRun, BuiltInCollisionGivesTheBuiltInBits) {
  expect_same_bits(flow());
  expect_same_bits(flow({{"force_x", 1e-5}}));
  expect_same_bits(flow({{"collision", 2}}));
  expect_same_bits(flow({{"collision", 2}, {"force_y", 1e-5}}));
  expect_same_bits(flow({{"boundary_bottom", 2}, {"boundary_top", 1}}));  // a moving wall
  expect_same_bits(flow({{"boundary_bottom", 3}, {"boundary_top", 4}}));  // an inlet and an outlet
  expect_same_bits(flow({{"boundary_left", 3}, {"boundary_right", 4}, {"boundary_bottom", 1}, {"boundary_top", 1}}));
}

TEST_P(EditedKernelRun, EveryFlowsTextGivesTheBuiltInBits) {
  const std::vector<std::string> ids = preset_ids("lbm");
  for (const std::string& id : reach(ids, {ids.front()})) {
    SCOPED_TRACE(id);
    expect_same_bits(small_scene("lbm/" + id), 12);
  }
}

TEST_P(EditedKernelRun, FlowFollowsParametersThatChangeItsTerms) {
  Experiment by_program(backend(), flow()), by_text(backend(), flow());
  by_text.choose_kernel(accepted(built_in(flow())));
  for (Experiment* experiment : {&by_program, &by_text}) {
    experiment->advance(5);
    experiment->set_parameter("force_x", 1e-5);
    experiment->advance(5);
    experiment->set_parameter("collision", 2);
    experiment->advance(5);
    experiment->undo();
    experiment->undo();
    experiment->advance(5);
  }
  EXPECT_TRUE(same(by_program.simulation().save(), by_text.simulation().save()));
}

TEST_P(EditedKernelRun, EditedCollisionTakesTheSteps) {
  Experiment experiment(backend(), flow());
  experiment.advance(5);
  const auto resting = [&] {
    const std::vector<std::byte> all = experiment.simulation().save().datasets.at("populations_shifted").bytes;
    return std::vector<std::byte>(all.begin(), all.begin() + 70 * 50 * sizeof(float));
  };
  const std::vector<std::byte> before = resting();
  experiment.choose_kernel(with_collision("  return 0.f;"));  // populations only move
  experiment.advance(7);
  EXPECT_EQ(resting(), before);
  experiment.choose_kernel("auto");
  experiment.advance(1);
  EXPECT_NE(resting(), before);
}

TEST_P(EditedKernelRun, FlowInHalfPrecisionIsRejected) {
  Experiment experiment(backend(), flow({{"storage", 1}}));
  try {
    experiment.choose_kernel(accepted(built_in(flow())));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("FP32"), std::string::npos) << error.what();
  }
}

TEST_P(EditedKernelRun, ErrorsInTheCollisionHaveTheirLine) {
  Experiment experiment(backend(), flow());
  std::string text = built_in(flow());
  const std::size_t at = text.find("  const float s1 = g[1] + g[3]");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.insert(at, "  nonsense;");
  try {
    experiment.choose_kernel(accepted(text));
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    ASSERT_FALSE(error.problems().empty());
    EXPECT_EQ(error.problems().front().line, line);
  }
  EXPECT_EQ(experiment.kernel(), "auto");
}

TEST_P(EditedKernelRun, EditChangesTheRunFromItsStepOn) {
  Experiment experiment(backend(), tank());
  experiment.advance(5);
  const State before = experiment.simulation().save();
  experiment.choose_kernel(with_advance("  return u;"));
  experiment.advance(2);  // both levels are those of step 5
  EXPECT_EQ(experiment.simulation().save().datasets.at("u").bytes, before.datasets.at("u").bytes);
  experiment.undo();
  EXPECT_EQ(experiment.kernel(), "auto");
  EXPECT_TRUE(same(experiment.simulation().save(), before));
}

TEST_P(EditedKernelRun, RedoAndRestartKeepTheText) {
  Experiment experiment(backend(), tank());
  const std::string edited = with_advance("  return Real(0.5) * (u + u_previous);");
  experiment.choose_kernel(edited);
  experiment.advance(9);
  const State after = experiment.simulation().save();
  experiment.undo();
  experiment.redo();
  EXPECT_TRUE(same(experiment.simulation().save(), after));
  experiment.restart();
  experiment.advance(9);
  EXPECT_EQ(experiment.kernel(), edited);
  EXPECT_TRUE(same(experiment.simulation().save(), after));
}

TEST_P(EditedKernelRun, StatesErrorsAtTheirLine) {
  Experiment experiment(backend(), tank());
  std::string text = built_in();
  const std::size_t at = text.find("  return multiply_add(courant2, laplacian, memory);");
  const int line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  text.insert(at, "  nonsense;");
  try {
    experiment.choose_kernel(accepted(text));
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    ASSERT_FALSE(error.problems().empty());
    EXPECT_EQ(error.problems().front().line, line);
    if (!backend().is_cuda()) {
      EXPECT_EQ(error.problems().front().column, 3);
    }
    EXPECT_NE(error.problems().front().text.find("nonsense"), std::string::npos);
  }
  EXPECT_EQ(experiment.kernel(), "auto");
  EXPECT_FALSE(experiment.next_undo() == Message("Kernel"));
  experiment.advance(3);
  EXPECT_EQ(experiment.simulation().steps(), 3);
}

TEST_P(EditedKernelRun, TextWithoutTheFunctionIsAnError) {
  Experiment experiment(backend(), tank());
  EXPECT_THROW(experiment.choose_kernel(accepted("")), CompileError);
  EXPECT_THROW(experiment.choose_kernel(accepted("#include \"no such file\"\n")), CompileError);
  try {
    experiment.choose_kernel(with_advance("  extern float missing(); return missing();"));
    ADD_FAILURE() << "calls a function that does not exist";
  } catch (const Error& error) {
    // On CUDA the compiler says so.
    if (!backend().is_cuda()) {
      EXPECT_NE(std::string(error.what()).find("function that does not exist"), std::string::npos) << error.what();
    }
  }
}

// Runs a bad kernel from step 4 on: the run goes on with the built-in one, as if it had never been edited.
class BadKernel : public EditedKernelRun {
 protected:
  // The tank begins at rest.
  static void disturb(Experiment& run) {
    if (run.info().id == "wave") run.perform(Action{"droplet", {{"x", 0.4}, {"y", 0.6}}, "", nullptr});
  }
  void expect_reverted(const Scene& scene, const std::string& kernel, const std::string& word) {
    Experiment plain(backend(), scene), experiment(backend(), scene);
    experiment.advance(4);
    experiment.choose_kernel(kernel);
    experiment.advance(6);
    const std::string warning = experiment.take_warning().english();
    EXPECT_NE(warning.find(word), std::string::npos) << warning;
    EXPECT_NE(warning.find("built-in kernel"), std::string::npos) << warning;
    EXPECT_EQ(experiment.edited_kernel_failure().english(), warning);
    EXPECT_EQ(experiment.kernel(), "auto");
    EXPECT_TRUE(experiment.stop_reason().empty());
    plain.advance(10);
    EXPECT_TRUE(same(experiment.simulation().save(), plain.simulation().save()));
    experiment.undo();  // the edit
    EXPECT_EQ(experiment.simulation().steps(), 4);
    EXPECT_EQ(experiment.kernel(), "auto");
  }
};

PERTURB_ON_EACH_BACKEND(BadKernel);

TEST_P(BadKernel, EndlessOneIsStopped) {
  const std::string loop_forever = "  for (volatile int k = 0; k < 1; k = 0) {}\n";
  expect_reverted(tank(), with_advance(loop_forever + "  return u;"), "may loop forever");
  if (has_small_reach()) return;  // each takes the time after which a loop is endless
  expect_reverted(flow(), with_collision(loop_forever + "  return 0.f;"), "may loop forever");
}

TEST_P(BadKernel, CrashIsReported) {
  const std::string crash = "  *reinterpret_cast<volatile int*>(0) = 1;\n";
  expect_reverted(tank(), with_advance(crash + "  return u;"), "crashed: ");
  expect_reverted(flow(), with_collision(crash + "  return 0.f;"), "crashed: ");
}

TEST_P(BadKernel, DivisionByZeroIsReported) {
  expect_reverted(tank(), with_advance("  return u / (u - u);"), "not a finite number");
  expect_reverted(flow(), with_collision("  g[3] /= g[1] - g[1];\n  return 0.f;"), "not a finite number");
}

// The kernel takes good steps, then worse ones, until a value is not finite.
TEST_P(BadKernel, GrowingValuesLeadBackToBeforeTheEdit) {
  const std::pair<Scene, std::string> cases[] = {
      {tank(), with_advance("  return multiply_add(Real(3), laplacian, (u + u) - u_previous);")},
      {flow(), with_collision("  for (int k = 1; k < lbm_links; ++k) g[k] *= 1.5f;\n  return 0.f;")}};
  for (const auto& [scene, kernel] : cases) {
    Experiment plain(backend(), scene), experiment(backend(), scene);
    disturb(plain);
    disturb(experiment);
    experiment.advance(4);
    experiment.set_parameter(scene.setup.simulation == "wave" ? "damping" : "force_x", 1e-5);
    plain.advance(4);
    plain.set_parameter(scene.setup.simulation == "wave" ? "damping" : "force_x", 1e-5);
    experiment.choose_kernel(kernel);
    for (int k = 0; k < 400 && experiment.edited_kernel_failure().empty(); ++k) {
      experiment.advance(5);
      experiment.check_diagnostics(experiment.simulation().diagnostics(experiment.shown().view, true));
    }
    const std::string failure = experiment.edited_kernel_failure().english();
    EXPECT_NE(failure.find("not a finite number"), std::string::npos) << failure;
    EXPECT_NE(failure.find("back at step 4"), std::string::npos) << failure;
    EXPECT_EQ(experiment.returns(), 1U);
    EXPECT_TRUE(experiment.stop_reason().empty()) << experiment.stop_reason().english();
    EXPECT_EQ(experiment.kernel(), "auto");
    experiment.advance(30);
    plain.advance(30);
    EXPECT_EQ(experiment.simulation().steps(), 34);
    EXPECT_TRUE(same(experiment.simulation().save(), plain.simulation().save()));
    experiment.undo();  // the parameter: the edit is gone
    EXPECT_EQ(experiment.simulation().steps(), 4);
  }
}

TEST_P(BadKernel, StopsTheRunOfAScript) {
  Experiment experiment(backend(), tank());
  disturb(experiment);
  Event event{4, ChooseKernel{with_advance("  return Real(1e30) * u * u;")}};
  event.origin = "a.toml:1";
  experiment.schedule({event});
  for (int k = 0; k < 40 && experiment.stop_reason().empty(); ++k) experiment.advance(5);
  EXPECT_NE(experiment.stop_reason().english().find("The edited kernel gave a value"), std::string::npos);
  EXPECT_EQ(experiment.stop_reason().english().find("time step"), std::string::npos);
}

TEST_P(BadKernel, StopsARunThatNobodyWatches) {
  for (const char* const body : {"  *reinterpret_cast<volatile int*>(8) = 1;\n  return u;", "  return u / (u - u);",
                                 "  return Real(1e30) * u * u;"}) {
    Experiment experiment(backend(), tank());
    experiment.stop_at_failed_kernel();
    disturb(experiment);
    experiment.advance(4);
    experiment.choose_kernel(with_advance(body));
    for (int k = 0; k < 40 && experiment.stop_reason().empty(); ++k) experiment.advance(5);
    EXPECT_NE(experiment.stop_reason().english().find("The edited kernel"), std::string::npos) << body;
  }
}

class EditedKernelCompiler : public EditedKernelRun {};
INSTANTIATE_TEST_SUITE_P(Backend, EditedKernelCompiler, testing::Values(BackendKind::cpu), backend_test_name);

TEST_P(EditedKernelCompiler, MissingOneIsAnErrorWithARemedy) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  Experiment experiment(backend(), tank());
  std::string message;
  try {
    experiment.choose_kernel(with_advance("  return u; // for a compiler that is missing"));
  } catch (const Error& error) {
    message = error.what();
  }
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(message.find("no C++ compiler"), std::string::npos) << message;
  EXPECT_NE(message.find("apt install g++"), std::string::npos) << message;
}

TEST_P(EditedKernelRun, TextThatNobodyAcceptedIsNotCompiled) {
  Experiment experiment(backend(), tank());
  const std::string text = "#error this text is never compiled";
  try {
    experiment.choose_kernel(edited_kernel_id(text));
    FAIL();
  } catch (const UnreadKernelError& error) {
    EXPECT_EQ(error.text(), text);
  }
  EXPECT_THROW(experiment.schedule({{3, ChooseKernel{edited_kernel_id(text)}}}), UnreadKernelError);
}

TEST_P(EditedKernelRun, ScriptContainsTheText) {
  Experiment experiment(backend(), tank());
  const std::string edited = with_advance("  return Real(0.9) * u;  // \"quoted\", \\ and \xc3\xa4");
  experiment.advance(2);
  experiment.choose_kernel(edited);
  experiment.advance(7);
  const std::string script = script_of(experiment);
  const std::vector<Event> events = parse_script(script, "run.toml", "wave");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<ChooseKernel>(events.front().change).id, edited);
  Experiment repeated(backend(), tank());
  repeated.schedule(events);
  repeated.advance(9);
  EXPECT_TRUE(same(repeated.simulation().save(), experiment.simulation().save()));
}

TEST_P(EditedKernelRun, StateContainsTheText) {
  Experiment experiment(backend(), tank());
  experiment.advance(2);
  EXPECT_FALSE(experiment.simulation().save().has("edited_kernel"));
  const std::string edited = with_advance("  return Real(0.9) * u;");
  experiment.choose_kernel(edited);
  experiment.advance(2);
  experiment.choose_kernel("auto");
  const State state = experiment.simulation().save();
  const std::vector<std::byte>& bytes = state.datasets.at("edited_kernel").bytes;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), edited_text(edited));
  Experiment resumed(backend(), tank(), state);
  EXPECT_EQ(resumed.simulation().save().datasets.at("edited_kernel").bytes, bytes);
  experiment.undo();
  experiment.undo();
  EXPECT_FALSE(experiment.simulation().save().has("edited_kernel"));
}

TEST_P(EditedKernelRun, ResumedStateContinuesWithItsKernel) {
  const std::pair<Scene, std::string> cases[] = {{tank(), with_advance("  return Real(0.9) * u;")},
                                                 {flow(), with_collision("  g[1] = g[3];\n  return 0.f;")}};
  for (const auto& [scene, edited] : cases) {
    Experiment never_stopped(backend(), scene);
    never_stopped.advance(3);
    never_stopped.choose_kernel(edited);
    for (const int steps : {0, 2}) {  // at the step of the edit, and later
      never_stopped.advance(steps);
      State state = never_stopped.simulation().save();
      EXPECT_EQ(kernel_of(state), edited);
      Experiment resumed(backend(), scene_of(state), state);
      EXPECT_EQ(resumed.kernel(), edited);
      never_stopped.advance(50);
      resumed.advance(50);
      EXPECT_TRUE(same(never_stopped.simulation().save(), resumed.simulation().save()));
    }
    State state = never_stopped.simulation().save();
    // A state from an earlier version does not say whether the kernel was still in use.
    state.datasets.erase("edited_kernel_in_use");
    EXPECT_EQ(kernel_of(state), edited);
    state.put<std::uint8_t>("edited_kernel", {3}, "", {'a', 'b', 'c'});
    EXPECT_THROW(Experiment(backend(), scene_of(state), state), UnreadKernelError);
    never_stopped.choose_kernel("auto");
    EXPECT_EQ(kernel_of(never_stopped.simulation().save()), "auto");
  }
}

TEST_P(EditedKernelRun, OtherSimulationsRejectEdits) {
  Experiment experiment(backend(), small_scene("fibers"));
  EXPECT_THROW(experiment.choose_kernel(accepted(built_in())), InputError);
}

}  // namespace
}  // namespace perturb
