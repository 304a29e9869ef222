// Saved states: they read back bit for bit, and errors in a file are reported.

#include "app/io/state/state_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/preset/presets.h"
#include "app/io/state/state_export.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/io/state_samples.h"
#include "tests/support/environment.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

void expect_same(const State& loaded, const State& saved) {
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

class StateFile : public ScratchFolder {
 protected:
  State load(const std::string& name) const { return load_state(path(name), odd_fields); }
  std::string error_of(const std::string& name) const {
    return error_thrown_by([&] { load(name); });
  }
};

TEST_F(StateFile, RoundTripsBitForBit) {
  const State saved = odd_state();
  save_state(saved, path("a.perturb"));
  expect_same(load("a.perturb"), saved);
}

TEST_F(StateFile, RoundTripsEverySimulationBitForBit) {
  const auto backend = Backend::make_cpu(1);
  for (const SimulationInfo* info : catalog()) {
    SCOPED_TRACE(info->id);
    Scene scene = load_scene(info->id);
    scene.setup.width = scene.setup.height = 64;
    Experiment run(*backend, scene);
    run.advance(2);
    const State saved = run.saved_state();
    save_state(saved, path("a.perturb"));
    const State loaded = load_state(path("a.perturb"));
    expect_same(loaded, saved);
    save_state(loaded, path("b.perturb"));
    EXPECT_EQ(read("a.perturb"), read("b.perturb")) << "the same state gives the same bytes";
  }
}

TEST_F(StateFile, PiecesOfRowsGiveTheSameBytes) {
  const State state = banded_state();
  save_state(state, path("whole.perturb"));
  const std::size_t row = state.datasets.at("vast").row_bytes();
  const auto by_single_rows = [row, read_rows = state.row_reader()](const std::string& name, std::size_t first,
                                                                    std::span<std::byte> rows) {
    for (; !rows.empty(); rows = rows.subspan(row)) read_rows(name, first++, rows.first(row));
  };
  save_state(state.header(), by_single_rows, path("parts.perturb"));
  EXPECT_EQ(read("whole.perturb"), read("parts.perturb"));
  expect_same(load("parts.perturb"), state);
}

TEST_F(StateFile, TheOldFileSurvivesEveryFailure) {
  save_state(odd_state(), path("a.perturb"));
  const std::string old = read("a.perturb");
  State next = odd_state();
  next.steps = 7;
  // The fallback location of the state.
  fs::create_directory(path("elsewhere"));
  const Environment elsewhere("TMPDIR", path("elsewhere"));
  int operations = 0;
  for (;; ++operations) {
    fail_output_after(operations);
    try {
      save_state(next, path("a.perturb"));
      break;
    } catch (const Error&) {
      EXPECT_EQ(read("a.perturb"), old);
      EXPECT_EQ(files(), 2u);
    }
  }
  EXPECT_GE(operations, 3);
  EXPECT_EQ(load("a.perturb").steps, 7);
}

TEST_F(StateFile, AFullDiskIsAnErrorNotAFile) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  const Environment elsewhere("TMPDIR", path(""));
  const std::string sentence = error_thrown_by<Error>([&] { save_state(odd_state(), "/dev/full"); });
  EXPECT_NE(sentence.find("No space left on device"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("The state was saved in"), std::string::npos) << sentence;
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(StateFile, RejectsTruncatedFilesOfAnyLength) {
  save_state(odd_state(), path("a.perturb"));
  const std::string whole = read("a.perturb");
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 60) {
    write("cut.perturb", whole.substr(0, length));
    const std::string sentence = error_of("cut.perturb");
    EXPECT_NE(sentence.find("cut.perturb"), std::string::npos) << "at " << length << " of " << whole.size() << " bytes";
  }
  write("cut.perturb", whole.substr(0, whole.size() - 1));
  EXPECT_NE(error_of("cut.perturb").find("truncated"), std::string::npos) << error_of("cut.perturb");
}

TEST_F(StateFile, RejectsDamageInEachBand) {
  save_state(banded_state(), path("a.perturb"));
  const std::string whole = read("a.perturb");
  const std::size_t band = 64 * 100 + 8, fields = whole.size() - parts_of(whole).second.size();
  ASSERT_EQ(whole.size() - fields, 200u * 100 + 4 * 8);
  const auto expect_wrong = [&](const std::string& bytes, const std::string& what) {
    write("bad.perturb", bytes);
    EXPECT_NE(error_of("bad.perturb").find("checksum is wrong"), std::string::npos) << what << error_of("bad.perturb");
  };
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::size_t at : {fields + k * band, std::min(fields + (k + 1) * band, whole.size()) - 1}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      expect_wrong(bytes, "band " + std::to_string(k) + ": ");
    }
  expect_wrong(whole.substr(0, fields) + whole.substr(fields + band, band) + whole.substr(fields, band) +
                   whole.substr(fields + 2 * band),
               "two bands exchanged: ");
  expect_wrong(whole + "more", "longer: ");
}

TEST_F(StateFile, SaysWhatIsWrong) {
  EXPECT_NE(error_of("nothing.perturb").find("does not exist"), std::string::npos);
  EXPECT_NE(error_of("").find("folder"), std::string::npos);
  write("text.perturb", "not a state at all, but long enough to hold a line\n");
  EXPECT_NE(error_of("text.perturb").find("not a state saved by Perturb"), std::string::npos);
  write("empty.perturb", "");
  EXPECT_NE(error_of("empty.perturb").find("the file is empty"), std::string::npos);
}

TEST_F(StateFile, RejectsNewerFiles) {
  save_state(odd_state(), path("a.perturb"));
  std::string bytes = read("a.perturb");
  bytes.replace(bytes.find(" 2 "), 3, " 3 ");
  write("newer.perturb", bytes);
  EXPECT_NE(error_of("newer.perturb").find("a newer version"), std::string::npos) << error_of("newer.perturb");
  auto [header, fields] = parts_of(read("a.perturb"));
  header.replace(header.find("\"format_version\":2"), 18, "\"format_version\":3");
  write("newer.perturb", with_checksum(header, fields));
  EXPECT_NE(error_of("newer.perturb").find("a newer version"), std::string::npos) << error_of("newer.perturb");
}

TEST_F(StateFile, RejectsNamesOfExports) {
  const std::string sentence = error_thrown_by<Error>([&] { save_state(odd_state(), path("a.h5")); });
  EXPECT_NE(sentence.find("--export"), std::string::npos) << sentence;
  EXPECT_FALSE(fs::exists(path("a.h5")));
}

// Saves, exports and reads a field, and ends the process: 0 if each of its rows is right.
void save_and_read_rows(std::size_t rows, const std::string& state_path, const std::string& export_path) {
  constexpr std::size_t columns = 1024, row_bytes = columns * sizeof(float);
  State header;
  header.simulation = "wave";
  header.datasets["vast"] = {ElementType::float32, {rows, columns}, "", {}};
  const auto row_of = [](std::size_t row) { return std::vector<float>(columns, static_cast<float>(row)); };
  const auto read_rows = [&](const std::string&, std::size_t first, std::span<std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(row_bytes))
      std::memcpy(bytes.data(), row_of(first++).data(), row_bytes);
  };
  save_state(header, read_rows, state_path);
  export_state(header, read_rows, export_path);
  std::ifstream file(state_path, std::ios::binary);
  const PortableStateReader reader(
      [&](std::uint64_t position, std::span<std::byte> bytes) {
        file.clear();
        file.seekg(static_cast<std::streamoff>(position));
        file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return static_cast<std::size_t>(file.gcount());
      },
      fs::file_size(state_path), odd_fields);
  std::size_t next = 0;
  reader.read_fields([&](const std::string&, std::size_t first, std::span<const std::byte> bytes) {
    if (first != next) _exit(2);
    for (; !bytes.empty(); bytes = bytes.subspan(row_bytes))
      if (std::memcmp(bytes.data(), row_of(next++).data(), row_bytes) != 0) _exit(3);
  });
  if (next != rows) _exit(4);
  // The limit works: the field does not fit.
  try {
    load_state(state_path, odd_fields);
  } catch (const std::exception&) {
    _exit(0);
  }
  _exit(5);
}

TEST_F(StateFile, FieldMayBeFourTimesTheMemory) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers take address space as they like";
  const std::size_t bytes = reach<std::size_t>(std::size_t{1} << 30, std::size_t{1} << 26);
  EXPECT_EXIT(
      {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        struct rlimit limit {};
        limit.rlim_cur = limit.rlim_max = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes / 4;
        setrlimit(RLIMIT_AS, &limit);
        save_and_read_rows(bytes / 4096, path("a.perturb"), path("a.h5"));
      },
      testing::ExitedWithCode(0), "");
  EXPECT_GT(fs::file_size(path("a.h5")), bytes);
}

}  // namespace
}  // namespace perturb
