// The contract of every simulation, checked for each registered one on each backend: every preset starts, steps, paints
// and saves. Behaviour that depends on how a state is stored and stepped is checked for one preset of each kind.
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/contract/small_scene.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

// More than the steps that a kernel takes in one pass over the grid.
constexpr int few_steps = 24;

struct Case {
  std::string simulation, preset;
  BackendKind backend;
};

// The kinds: scenes that differ in what they store (dye, walls, media, sources, screens, radii, masses, a trail) or in
// how they are stepped (collision, boundaries, precision, solver). A test below checks that none is missing.
const std::map<std::string, std::set<std::string>> kinds = {
    {"wave", {"droplet", "rain", "harbour", "doppler", "lens", "double-slit", "surface", "ellipse", "modes"}},
    {"lbm", {"cylinder", "cavity", "channel", "airfoil", "taylor-green", "sheet", "porous", "couette"}},
    {"particles", {"gas", "break", "brownian", "piston", "report", "flame", "shock", "heat"}},
    {"fibers", {"ring", "pair", "lone", "periodic", "fluid", "lengths"}},
    {"membrane", {"drum", "chladni", "assembly", "refined", "struck", "damped", "modes", "corner", "slit"}},
};

// A simulation that is not in the table uses its first preset.
bool is_a_kind(const std::string& simulation, const std::string& preset) {
  const auto found = kinds.find(simulation);
  return found == kinds.end() ? preset == preset_ids(simulation).front() : found->second.count(preset) > 0;
}

// Larger scenes that AddressSanitizer leaves out: of each kind another one with the same data remains.
const std::set<std::string> not_sanitized = {"fibers/ring",       "fibers/thousand", "fibers/cloud", "fibers/sheet",
                                             "fibers/two-clouds", "fibers/periodic", "fibers/paper", "membrane/drum",
                                             "membrane/chladni",  "membrane/damped"};

// At small reach the kinds. (A sanitizer takes more, because it leaves out the larger kinds.)
std::vector<Case> every_preset() {
  std::vector<Case> list;
  for (const SimulationInfo* info : catalog())
    for (const std::string& preset : preset_ids(info->id)) {
      if (is_address_sanitized && not_sanitized.count(info->id + "/" + preset)) continue;
      if (!is_sanitized && has_small_reach() && !is_a_kind(info->id, preset)) continue;
      for (const BackendKind backend : tested_backends()) list.push_back({info->id, preset, backend});
    }
  return list;
}

std::vector<Case> every_kind() {
  std::vector<Case> list = every_preset();
  std::erase_if(list, [](const Case& one) { return !is_a_kind(one.simulation, one.preset); });
  return list;
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.simulation + "_" + info.param.preset;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + (info.param.backend == BackendKind::cpu ? "_cpu" : "_cuda");
}

class Contract : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { backend_ = make(2); }
  std::unique_ptr<Backend> make(int threads) const {
    return GetParam().backend == BackendKind::cpu ? Backend::make_cpu(threads) : Backend::make_cuda();
  }
  Scene preset() const { return small_scene(GetParam().simulation, GetParam().preset, 96, reach(1500.0, 400.0)); }
  Backend& backend() { return *backend_; }
  bool is_one_of(const std::set<std::string>& scenes) const {
    return scenes.count(GetParam().simulation + "/" + GetParam().preset) > 0;
  }
  // Paints every quantity, at two zoom levels.
  void expect_every_pixel_painted(Experiment& run) {
    constexpr int width = 61, height = 47;
    for (const Quantity& quantity : run.info().quantities) {
      const ColorTable table(backend(), find_colormap(quantity.colormap));
      ViewSettings view = run.scene().view;
      view.quantity = quantity.id;
      view.minimum = quantity.minimum;
      view.maximum = quantity.maximum;
      Field<std::uint32_t> picture(backend(), width, height, "picture");
      for (const double zoom : {0.3, 1.0, 40.0}) {
        Camera camera;
        camera.zoom = zoom;
        picture.fill_zero();
        run.simulation().paint(picture.view(), camera, view, table);
        for (const std::uint32_t pixel : picture.download()) ASSERT_EQ(pixel >> 24, 255u) << quantity.id;
      }
    }
  }

 private:
  std::unique_ptr<Backend> backend_;
};
INSTANTIATE_TEST_SUITE_P(All, Contract, testing::ValuesIn(every_preset()), name_of_case);

class ContractOfKinds : public Contract {};
INSTANTIATE_TEST_SUITE_P(All, ContractOfKinds, testing::ValuesIn(every_kind()), name_of_case);

// A preset that stores a field in another type or under another name than every kind is a new kind.
TEST(Kinds, EveryPresetStoresWhatAKindStores) {
  SKIP_AT_SMALL_REACH("another test starts every kind");
  const auto backend = Backend::make_cpu(2);
  for (const SimulationInfo* info : catalog()) {
    using Stored = std::set<std::pair<std::string, ElementType>>;
    std::map<Stored, std::string> presets;
    std::set<Stored> of_kinds;
    for (const std::string& preset : preset_ids(info->id)) {
      Experiment run(*backend, small_scene(info->id, preset));
      run.advance(1);
      Stored stored;
      for (const auto& [name, data] : run.simulation().save().datasets) stored.insert({name, data.type});
      presets.emplace(stored, preset);
      if (is_a_kind(info->id, preset)) of_kinds.insert(stored);
    }
    for (const auto& [stored, preset] : presets) EXPECT_TRUE(of_kinds.count(stored)) << info->id << "/" << preset;
    for (const std::string& preset : kinds.count(info->id) ? kinds.at(info->id) : std::set<std::string>{})
      EXPECT_NO_THROW(load_scene(info->id + "/" + preset)) << "of the table above";
  }
}

// For every preset, in one run: it starts, stays finite, is painted and is saved.
TEST_P(Contract, StartsStaysFinitePaintsAndSaves) {
  if (is_thread_sanitized) GTEST_SKIP() << "other tests run the same threads";
  Experiment run(backend(), preset());
  EXPECT_EQ(run.simulation().steps(), 0);
  run.advance(few_steps);
  EXPECT_EQ(run.simulation().steps(), few_steps);
  EXPECT_GT(run.simulation().time(), 0);
  const Diagnostics d = run.simulation().diagnostics(run.scene().view, true);
  EXPECT_TRUE(d.finite) << d.error;
  EXPECT_EQ(d.step, few_steps);
  EXPECT_FALSE(d.scalars.empty());
  for (const Scalar& scalar : d.scalars) {
    EXPECT_EQ(std::isfinite(scalar.value), has_value(scalar.value)) << scalar.id;
    EXPECT_NE(scalar.meaning, Meaning::other) << scalar.id << " stands with what it has to do with";
  }
  expect_every_pixel_painted(run);
  // A saved field that is missing in the table would make a file that cannot be loaded.
  const State state = run.simulation().save();
  const std::vector<SavedField>* fields = find_saved_fields(state.simulation);
  ASSERT_NE(fields, nullptr);
  for (const auto& [name, data] : state.datasets)
    EXPECT_NO_THROW(require_expected(*fields, state, name, data.type, data.shape)) << name;
}

TEST_P(ContractOfKinds, IsBitIdenticalForTheSameSeed) {
  SKIP_UNDER_SANITIZERS("another test starts, paints and saves every preset");
  Experiment a(backend(), preset()), b(backend(), preset());
  a.advance(few_steps);
  for (int k = 0; k < few_steps; ++k) b.advance(1);
  const State first = a.simulation().save(), second = b.simulation().save();
  ASSERT_EQ(first.datasets.size(), second.datasets.size());
  for (const auto& [name, data] : first.datasets) EXPECT_TRUE(data.bytes == second.datasets.at(name).bytes) << name;
}

TEST_P(ContractOfKinds, IsBitIdenticalWithAnyNumberOfThreads) {
  if (is_address_sanitized) GTEST_SKIP() << "bits are compared in the release build, threads by ThreadSanitizer";
  if (is_thread_sanitized && !is_one_of({"wave/harbour", "lbm/cavity", "lbm/airfoil", "particles/report", "fibers/pair",
                                         "fibers/periodic", "membrane/assembly"}))
    GTEST_SKIP() << "ThreadSanitizer checks one or two scenes of each simulation";
  if (GetParam().backend == BackendKind::cuda) GTEST_SKIP() << "threads are the CPU's";
  const auto one = make(1), three = make(3);
  Experiment a(*one, preset()), b(*three, preset());
  a.advance(few_steps);
  b.advance(few_steps);
  const State first = a.simulation().save(), second = b.simulation().save();
  for (const auto& [name, data] : first.datasets) EXPECT_TRUE(data.bytes == second.datasets.at(name).bytes) << name;
}

TEST_P(ContractOfKinds, ResumedStateIsBitIdentical) {
  if (is_thread_sanitized) GTEST_SKIP() << "other tests run the same threads";
  Experiment whole(backend(), preset());
  whole.advance(few_steps);
  const State middle = whole.simulation().save();
  whole.advance(few_steps);

  Scene s = preset();
  for (const auto& [id, text] : middle.parameters)
    s.setup.parameters[id] = whole.simulation().parameters().find(id).parse(text);
  Experiment resumed(backend(), s);
  resumed.open(s, middle);
  EXPECT_EQ(resumed.simulation().steps(), few_steps);
  resumed.advance(few_steps);
  const State first = whole.simulation().save(), second = resumed.simulation().save();
  EXPECT_EQ(first.time, second.time);
  for (const auto& [name, data] : first.datasets) EXPECT_TRUE(data.bytes == second.datasets.at(name).bytes) << name;
}

TEST_P(ContractOfKinds, RestartRestoresTheStart) {
  SKIP_UNDER_SANITIZERS("another test starts, paints and saves every preset");
  Experiment run(backend(), preset());
  const State start = run.simulation().save();
  run.advance(few_steps);
  run.restart();
  const State again = run.simulation().save();
  for (const auto& [name, data] : start.datasets) EXPECT_TRUE(data.bytes == again.datasets.at(name).bytes) << name;
}

TEST_P(ContractOfKinds, EveryToolActsAndNothingBreaks) {
  if (is_thread_sanitized) GTEST_SKIP() << "other tests run the same threads";
  if (is_address_sanitized && is_one_of({"membrane/modes", "membrane/struck"}))
    GTEST_SKIP() << "slow under a sanitizer";
  for (const Tool& tool : find_simulation(GetParam().simulation).tools) {
    Experiment run(backend(), preset());
    for (const auto button : {Gesture::Button::left, Gesture::Button::right}) {
      Gesture g;
      g.tool = tool.id;
      g.button = button;
      for (const ValueInfo& setting : tool.brush) g.brush[setting.id] = setting.initial;
      // A tool that finds nothing to take reports it, and the gesture ends.
      const auto perform = [&] {
        try {
          run.perform(g);
          return true;
        } catch (const InputError& error) {
          EXPECT_EQ(std::string(error.what()).back(), '.') << tool.id << ": " << error.what();
          return false;
        }
      };
      g.x = g.previous_x = g.start_x = 0.4;
      g.y = g.previous_y = g.start_y = 0.45;
      g.phase = Gesture::Phase::press;
      if (perform()) {
        g.x = 0.6;
        g.y = 0.5;
        g.phase = Gesture::Phase::move;
        if (perform()) {
          g.previous_x = g.x;
          g.previous_y = g.y;
          g.phase = Gesture::Phase::release;
          perform();
        }
      }
      run.advance(4);
    }
    const Diagnostics d = run.simulation().diagnostics(run.scene().view, true);
    EXPECT_TRUE(d.finite) << tool.id << ": " << d.error;
  }
}

TEST_P(ContractOfKinds, EveryKernelGivesTheSameField) {
  if (is_address_sanitized && is_one_of({"particles/gas", "particles/piston", "membrane/modes"}))
    GTEST_SKIP() << "slow under a sanitizer";
  if (is_thread_sanitized &&
      !is_one_of({"wave/harbour", "lbm/cylinder", "particles/gas", "fibers/pair", "membrane/assembly"}))
    GTEST_SKIP() << "ThreadSanitizer checks one scene of each simulation";
  Experiment plain(backend(), preset());
  EXPECT_THROW(plain.simulation().select_kernel("no-such-kernel"), InputError);
  plain.advance(few_steps);
  for (const KernelVariant& kernel : plain.info().kernels) {
    if (backend().is_cuda() ? !kernel.on_cuda : !kernel.on_cpu) continue;
    Experiment run(backend(), preset());
    run.simulation().select_kernel(kernel.id);
    EXPECT_EQ(run.simulation().selected_kernel(), kernel.id);
    run.advance(few_steps);
    const Diagnostics d = run.simulation().diagnostics(run.scene().view, true);
    EXPECT_TRUE(d.finite) << kernel.id;
    EXPECT_LT(largest_difference(run.simulation().save(), plain.simulation().save()), 1e-4 + kernel.stated_error)
        << kernel.id;
  }
}

TEST_P(ContractOfKinds, ParameterTablesMatchTheSimulation) {
  SKIP_UNDER_SANITIZERS("another test starts, paints and saves every preset");
  Experiment run(backend(), preset());
  std::set<std::string> ids;
  for (const Parameter& p : run.info().parameters) {
    EXPECT_TRUE(ids.insert(p.id).second) << "twice: " << p.id;
    EXPECT_FALSE(p.label.empty()) << p.id;
    EXPECT_FALSE(p.help.empty()) << p.id;
    EXPECT_NO_THROW(p.check(p.initial)) << p.id;
    const double value = run.simulation().parameters().get(p);
    EXPECT_NO_THROW(p.check(value)) << p.id;
    // A rejected value keeps the old one.
    EXPECT_THROW(run.set_parameter(p.id, std::numeric_limits<double>::quiet_NaN()), InputError);
    EXPECT_THROW(run.set_parameter(p.id, p.maximum + 1), InputError);
    EXPECT_EQ(run.simulation().parameters().get(p), value) << p.id;
    EXPECT_NO_THROW(run.set_parameter(p.id, value)) << p.id;
  }
}

TEST_P(ContractOfKinds, MemoryMatchesItsEstimate) {
  SKIP_UNDER_SANITIZERS("another test starts, paints and saves every preset");
  const Scene s = preset();
  const std::size_t before = backend().memory_in_use();
  Experiment run(backend(), s);
  run.advance(few_steps);
  const std::size_t used = backend().memory_in_use() - before;
  const std::size_t said = find_simulation(s.setup.simulation).memory_needed(backend(), s.setup);
  EXPECT_LE(used, said + (std::size_t{1} << 20));
}

TEST_P(ContractOfKinds, FailedAllocationLeavesTheRunUnchanged) {
  if (is_thread_sanitized) GTEST_SKIP() << "other tests run the same threads";
  Experiment run(backend(), preset());
  run.advance(2);
  const State before = run.simulation().save();
  for (int k = 0; k < 100; ++k) {
    fail_memory_after(k);
    bool failed = false;
    try {
      run.open(preset());
    } catch (const Error& error) {
      failed = true;
      const std::string sentence = error.what();
      for (const char* twice : {"the the ", "the a ", "the an "})
        EXPECT_EQ(sentence.find(twice), std::string::npos) << sentence;
    }
    fail_memory_after(-1);
    if (!failed) break;
    const State after = run.simulation().save();
    for (const auto& [name, data] : before.datasets) ASSERT_TRUE(data.bytes == after.datasets.at(name).bytes) << name;
  }
}

}  // namespace
}  // namespace perturb
