// Saved states: they read back bit for bit, and errors in a file are reported.

#include "app/io/state/state_file.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "app/io/files/output.h"
#include "app/io/state/state_image.h"
#include "cuda/core/backend/check.h"
#include "tests/io/state_samples.h"
#include "tests/support/environment.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

template <class F>
std::string sentence_of_state(const F& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class StateFile : public ScratchFolder {
 protected:
  State load(const std::string& name) const { return load_state(path(name), odd_fields); }
  std::string error_of(const std::string& name) const {
    try {
      load(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  void strip_checksum_header(const std::string& name) const { write(name, remove_checksum_header(read(name))); }
  // Runs a line of Python with h5py; false if it is not installed.
  bool python(const std::string& code) const {
    return shell("/usr/bin/env python3 -c 'import h5py, numpy as np\n" + code + "'").code == 0 ||
           shell("/usr/bin/python3 -c 'import h5py, numpy as np\n" + code + "'").code == 0;
  }
};

TEST_F(StateFile, RoundTripsBitForBit) {
  const State saved = odd_state();
  save_state(saved, path("a.h5"));
  const State loaded = load("a.h5");
  EXPECT_EQ(loaded.simulation, saved.simulation);
  EXPECT_EQ(loaded.preset, saved.preset);
  EXPECT_EQ(loaded.steps, saved.steps);
  EXPECT_EQ(loaded.time, saved.time);
  EXPECT_EQ(loaded.seed, saved.seed);
  EXPECT_EQ(loaded.width, saved.width);
  EXPECT_EQ(loaded.height, saved.height);
  EXPECT_EQ(loaded.kernel, saved.kernel);
  EXPECT_EQ(loaded.parameters, saved.parameters);
  ASSERT_EQ(loaded.datasets.size(), saved.datasets.size());
  for (const auto& [name, dataset] : saved.datasets) {
    const Dataset& other = loaded.datasets.at(name);
    EXPECT_EQ(other.type, dataset.type) << name;
    EXPECT_EQ(other.shape, dataset.shape) << name;
    EXPECT_EQ(other.unit, dataset.unit) << name;
    EXPECT_EQ(other.bytes, dataset.bytes) << name;
  }
}

// A window autosaves its run on another thread while the user saves it.
TEST_F(StateFile, TwoThreadsSaveAtOnce) {
  constexpr int times = 200;
  const State state = odd_state();
  const StateImage alone(state);  // is alive all the time, like one that is being written
  std::atomic<int> same{0};
  const auto save_often = [&] {
    for (int k = 0; k < times; ++k) {
      try {
        const StateImage image(state);
        if (std::ranges::equal(image.bytes(), alone.bytes())) ++same;
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  };
  std::thread other(save_often);
  save_often();
  other.join();
  EXPECT_EQ(same, 2 * times);
}

TEST_F(StateFile, H5pyReadsIt) {
  save_state(odd_state(), path("a.h5"));
  if (!python("print(1)")) GTEST_SKIP() << "no python3 with h5py here";
  EXPECT_TRUE(
      python("f = h5py.File(\"a.h5\")\n"
             "assert f.attrs[\"format\"].decode() == \"perturb-state\" and f.attrs[\"format_version\"] == 1\n"
             "assert f.attrs[\"simulation\"] == b\"wave\" and f.attrs[\"seed\"] == 4294967295\n"
             "p = f[\"parameters\"].attrs\n"
             "assert p[\"damping\"] == 0.002 and p[\"damping\"].dtype == np.float64\n"
             "assert p[\"boundary_left\"] == b\"absorbing\" and p[\"on\"] == 1 and p[\"off\"] == 0\n"
             "u = f[\"u\"]\n"
             "assert u.shape == (3, 5) and u.dtype == np.float32 and u.attrs[\"unit\"] == b\"height\"\n"
             "assert u[1, 0] == 1 and f[\"wall\"].dtype == np.uint8 and f[\"id\"][1] == 9007199254740993\n"));
}

TEST_F(StateFile, TheOldFileSurvivesEveryFailure) {
  save_state(odd_state(), path("a.h5"));
  const std::string old = read("a.h5");
  State next = odd_state();
  next.steps = 7;
  // The fallback location of the state.
  fs::create_directory(path("elsewhere"));
  const Environment elsewhere("TMPDIR", path("elsewhere"));
  int operations = 0;
  for (;; ++operations) {
    fail_output_after(operations);
    try {
      save_state(next, path("a.h5"));
      break;
    } catch (const Error&) {
      EXPECT_EQ(read("a.h5"), old);
      EXPECT_EQ(files(), 2u);
    }
  }
  EXPECT_GE(operations, 3);
  EXPECT_EQ(load("a.h5").steps, 7);
}

TEST_F(StateFile, AFullDiskIsAnErrorNotAFile) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  const Environment elsewhere("TMPDIR", path(""));
  const std::string sentence = sentence_of_state([&] { save_state(odd_state(), "/dev/full"); });
  EXPECT_NE(sentence.find("No space left on device"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("The state was saved in"), std::string::npos) << sentence;
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(StateFile, RejectsTruncatedFilesOfAnyLength) {
  save_state(odd_state(), path("a.h5"));
  const std::string whole = read("a.h5");
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 60) {
    write("cut.h5", whole.substr(0, length));
    const std::string sentence = error_of("cut.h5");
    EXPECT_NE(sentence.find("cut.h5"), std::string::npos) << "at " << length << " of " << whole.size() << " bytes";
  }
  write("cut.h5", whole.substr(0, whole.size() - 1));
  EXPECT_NE(error_of("cut.h5").find("truncated"), std::string::npos) << error_of("cut.h5");
}

TEST_F(StateFile, SaysWhatIsWrong) {
  EXPECT_NE(error_of("nothing.h5").find("does not exist"), std::string::npos);
  EXPECT_NE(error_of("").find("folder"), std::string::npos);
  write("text.h5", "not an HDF5 file at all, but long enough to hold a signature");
  EXPECT_NE(error_of("text.h5").find("not an HDF5 file"), std::string::npos);
  write("empty.h5", "");
  EXPECT_NE(error_of("empty.h5").find("the file is empty"), std::string::npos);
}

TEST_F(StateFile, RejectsForeignAndNewerFiles) {
  save_state(odd_state(), path("a.h5"));
  if (!python("f = h5py.File(\"foreign.h5\", \"w\"); f[\"u\"] = np.zeros(3)"))
    GTEST_SKIP() << "no python3 with h5py here";
  EXPECT_NE(error_of("foreign.h5").find("not one that Perturb saved"), std::string::npos) << error_of("foreign.h5");

  fs::copy_file(path("a.h5"), path("newer.h5"));
  ASSERT_TRUE(python("f = h5py.File(\"newer.h5\", \"r+\"); f.attrs[\"format_version\"] = 2"));
  strip_checksum_header("newer.h5");
  EXPECT_NE(
      error_of("newer.h5").find("a newer version of Perturb wrote it (format 2; this version reads up to 1). Update"),
      std::string::npos)
      << error_of("newer.h5");

  fs::copy_file(path("a.h5"), path("less.h5"));
  ASSERT_TRUE(python("f = h5py.File(\"less.h5\", \"r+\"); del f.attrs[\"steps\"]"));
  strip_checksum_header("less.h5");
  EXPECT_NE(error_of("less.h5").find("steps"), std::string::npos) << error_of("less.h5");

  fs::copy_file(path("a.h5"), path("odd.h5"));
  ASSERT_TRUE(python("f = h5py.File(\"odd.h5\", \"r+\"); del f[\"u\"]; f[\"u\"] = np.zeros(3, dtype=np.complex64)"));
  strip_checksum_header("odd.h5");
  EXPECT_NE(error_of("odd.h5").find("type"), std::string::npos) << error_of("odd.h5");

  // A shape that exceeds any memory, with no data stored.
  fs::copy_file(path("a.h5"), path("vast.h5"));
  ASSERT_TRUE(
      python("f = h5py.File(\"vast.h5\", \"r+\"); f.create_dataset(\"vast\", (1 << 30, 1 << 20), dtype=\"f4\")"));
  strip_checksum_header("vast.h5");
  EXPECT_NE(error_of("vast.h5").find("incomplete"), std::string::npos) << error_of("vast.h5");
}

TEST_F(StateFile, LoadsFileRewrittenByAnotherProgram) {
  save_state(odd_state(), path("a.h5"));
  // Compressed, big-endian, with text of fixed length: the values are the same.
  if (!python("f = h5py.File(\"a.h5\", \"r+\"); u = f[\"u\"][...]; del f[\"u\"]\n"
              "f.create_dataset(\"u\", data=u.astype(\">f4\"), chunks=True, compression=\"gzip\")\n"
              "f.attrs[\"simulation\"] = np.bytes_(\"wave\")"))
    GTEST_SKIP() << "no python3 with h5py here";
  EXPECT_NE(error_of("a.h5").find("another program changed it"), std::string::npos) << error_of("a.h5");
  strip_checksum_header("a.h5");
  const State loaded = load("a.h5");
  EXPECT_EQ(loaded.simulation, "wave");
  EXPECT_EQ(loaded.datasets.at("u").bytes, odd_state().datasets.at("u").bytes);
}

}  // namespace
}  // namespace perturb
