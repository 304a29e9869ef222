// Exports of states as HDF5, which other programs read, and the script that converts states of earlier versions.

#include "app/io/state/state_export.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "app/io/files/output.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "tests/io/state_samples.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

const std::string earlier_files = PERTURB_SOURCE_DIR "/tests/io/before/";

class StateExport : public ScratchFolder {
 protected:
  // Runs Python with h5py; the exit code is not 0 if it is not installed.
  Outcome python(const std::string& arguments) const {
    const Outcome own = shell("/usr/bin/python3 " + arguments);
    return own.code == 0 ? own : shell("/usr/bin/env python3 " + arguments);
  }
  bool has_no_h5py() const { return python("-c 'import h5py'").code != 0; }
};

TEST_F(StateExport, H5pyReadsIt) {
  if (has_no_h5py()) GTEST_SKIP() << "no python3 with h5py here";
  export_state(odd_state(), path("a.h5"));
  const Outcome outcome = python(
      "-c 'import h5py, numpy as np\n"
      "f = h5py.File(\"a.h5\")\n"
      "assert f.attrs[\"format\"].decode() == \"perturb-state\" and f.attrs[\"format_version\"] == 1\n"
      "assert f.attrs[\"simulation\"] == b\"wave\" and f.attrs[\"seed\"] == 4294967295\n"
      "assert f.attrs[\"steps\"] == 123456789012345 and f.attrs[\"kernel\"] == b\"fused\"\n"
      "p = f[\"parameters\"].attrs\n"
      "assert p[\"damping\"] == 0.002 and p[\"damping\"].dtype == np.float64\n"
      "assert p[\"boundary_left\"] == b\"absorbing\" and p[\"on\"] == 1 and p[\"off\"] == 0\n"
      "u = f[\"u\"]\n"
      "assert u.shape == (3, 5) and u.dtype == np.float32 and u.attrs[\"unit\"] == b\"height\"\n"
      "assert u[1, 0] == 1 and u[2, 4] == 10 and u[0, 3] == np.float32(3.4e38)\n"
      "assert list(f[\"d\"]) == [0.1, 5e-324] and list(f[\"wall\"]) == [0, 1, 255]\n"
      "assert f[\"wall\"].dtype == np.uint8 and f[\"count\"].shape == (1, 1, 2) and f[\"count\"][0, 0, 1] == "
      "4294967295\n"
      "assert list(f[\"id\"]) == [-1, 9007199254740993] and f[\"none\"].shape == (0, 4)\n"
      "assert sorted(f) == [\"count\", \"d\", \"id\", \"none\", \"parameters\", \"u\", \"wall\"]'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(StateExport, SameStateGivesSameBytes) {
  export_state(odd_state(), path("a.h5"));
  export_state(odd_state(), path("b.h5"));
  EXPECT_EQ(read("a.h5"), read("b.h5"));
}

TEST_F(StateExport, OldFileSurvivesFailure) {
  write("a.h5", "old");
  for (int operations = 0; operations < 3; ++operations) {
    fail_output_after(operations);
    EXPECT_THROW(export_state(odd_state(), path("a.h5")), Error);
    EXPECT_EQ(read("a.h5"), "old");
    EXPECT_EQ(files(), 1u);
  }
  fail_output_after(-1);
  EXPECT_THROW(export_state(odd_state(), path("a.png")), InputError);
}

TEST_F(StateExport, IsNotLoadedAgain) {
  export_state(odd_state(), path("a.h5"));
  for (const std::string& file : {path("a.h5"), earlier_files + "wave.h5", earlier_files + "variable-texts.h5"}) {
    const std::string error = error_thrown_by([&] { load_state(file); });
    EXPECT_NE(error.find("scripts/h5_to_perturb.py"), std::string::npos) << error;
  }
}

TEST_F(StateExport, ScriptConvertsStatesOfEarlierVersions) {
  if (has_no_h5py()) GTEST_SKIP() << "no python3 with h5py here";
  for (const char* name : {"wave.h5", "variable-texts.h5"}) fs::copy_file(earlier_files + name, path(name));
  const Outcome outcome = python("'" PERTURB_SOURCE_DIR "/scripts/h5_to_perturb.py' wave.h5 variable-texts.h5");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const State converted = load_state(path("wave.perturb")), expected = load_state(earlier_files + "wave.perturb");
  save_state(converted, path("a.perturb"));
  save_state(expected, path("b.perturb"));
  EXPECT_EQ(read("a.perturb"), read("b.perturb"));
  const State texts = load_state(path("variable-texts.perturb"));
  EXPECT_EQ(texts.steps, 20);
  EXPECT_EQ(texts.parameters.at("precision"), "fp64");
  // Checksums of bands that are not multiples of anything.
  export_state(odd_state(), path("odd.h5"));
  ASSERT_EQ(python("'" PERTURB_SOURCE_DIR "/scripts/h5_to_perturb.py' odd.h5").code, 0);
  save_state(odd_state(), path("expected.perturb"));
  EXPECT_EQ(parts_of(read("odd.perturb")).first.size(), parts_of(read("expected.perturb")).first.size());
  const State odd = load_state(path("odd.perturb"), odd_fields);
  EXPECT_EQ(odd.parameters, odd_state().parameters);
  for (const auto& [name, dataset] : odd_state().datasets)
    EXPECT_EQ(odd.datasets.at(name).bytes, dataset.bytes) << name;
}

}  // namespace
}  // namespace perturb
