// Damaged state files: whatever they contain, each is rejected with a message or loaded as a valid state, without a
// crash or a hang.
//
// Long run, with another seed by PERTURB_MUTATION_SEED:
//   PERTURB_MUTATIONS=100000 io_tests --gtest_filter='*StateDamage*'
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "tests/io/state_samples.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string read_state_without_checksum_header() {
  std::ifstream file(PERTURB_SOURCE_DIR "/tests/io/states/without_seal.h5", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A corrupted copy: flipped bits, changed bytes, overwritten ranges of bytes, or a truncated end.
class FileCorruptor {
 public:
  explicit FileCorruptor(std::uint64_t seed) : random_(seed) {}

  std::string spoil(std::string bytes, std::string& how) {
    const std::size_t at = place(bytes.size());
    how = " at " + std::to_string(at);
    switch (below(6)) {
      case 0:
        how = "a bit flipped" + how;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        how = "0xFF" + how;
        bytes[at] = '\xff';
        break;
      case 2:
        how = "a random byte" + how;
        bytes[at] = static_cast<char>(below(256));
        break;
      case 3:
        how = "a run of 0xFF" + how;
        run(bytes, at, [] { return '\xff'; });
        break;
      case 4:
        how = "a run of random bytes" + how;
        run(bytes, at, [&] { return static_cast<char>(below(256)); });
        break;
      default:
        how = "cut" + how;
        bytes.resize(at);
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  // Half of the positions are in the metadata of HDF5, which is small compared with the numbers.
  std::size_t place(std::size_t size) { return below(below(2) ? size : std::min<std::size_t>(size, 6000)); }
  template <class F>
  void run(std::string& bytes, std::size_t at, const F& byte) {
    for (std::size_t end = std::min(bytes.size(), at + 1 + below(64)); at < end; ++at) bytes[at] = byte();
  }

  std::mt19937_64 random_;
};

class StateDamage : public ScratchFolder {
 protected:
  // Loads corrupted copies of `whole`; `finish` makes the last change to their bytes.
  template <class F>
  void expect_soundness(const std::string& whole, std::uint64_t stream, const F& finish) {
    ASSERT_FALSE(whole.empty());
    const std::size_t mutations = number_from("PERTURB_MUTATIONS", 360) / 3;
    FileCorruptor corruptor(number_from("PERTURB_MUTATION_SEED", 1) * 3 + stream);
    const auto backend = Backend::make_cpu(1);
    std::size_t loaded = 0, rejected = 0;
    // Measured, not asserted: the reader's own limits end a hang, and a busy machine is not an error.
    double longest = 0;
    std::string slowest;
    std::size_t beyond_two_seconds = 0;
    const auto report = [&] {
      std::printf("%zu refused, %zu loaded; the slowest in %.3f s (%s), %zu beyond 2 s\n", rejected, loaded, longest,
                  slowest.c_str(), beyond_two_seconds);
      std::fflush(stdout);
    };
    for (std::size_t n = 0; n < mutations; ++n) {
      std::string how;
      write("spoilt.h5", finish(corruptor.spoil(whole, how)));
      SCOPED_TRACE("mutation " + std::to_string(n) + ": " + how);
      const auto start = std::chrono::steady_clock::now();
      const auto measure = [&] {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds > longest) {
          longest = seconds;
          slowest = "mutation " + std::to_string(n) + ", " + how;
        }
        if (seconds > 2) ++beyond_two_seconds;
      };
      try {
        const State state = load_state(path("spoilt.h5"));
        // An accepted file is a state of its simulation, which loads or rejects it.
        const Experiment experiment(*backend, scene_of(state), state);
        measure();
        ++loaded;
      } catch (const InputError& error) {
        measure();
        EXPECT_GT(std::string(error.what()).size(), 20u);
        ++rejected;
      }
      if ((n + 1) % 5000 == 0) report();  // so that an interrupted long run has reported something
    }
    EXPECT_EQ(loaded + rejected, mutations);
    report();
  }

  std::string saved() {
    EXPECT_EQ(
        run("wave/lens --size 24x16 --set precision=fp64 --headless --backend cpu --steps 20 --save whole.h5").code, 0);
    return read("whole.h5");
  }
};

// A crash that was found: a byte in the heap of the file's texts. And a hang close to it.
TEST_F(StateDamage, RejectsDamagedHeapOfTexts) {
  for (const std::size_t at : {std::size_t{2073}, std::size_t{2074}, std::size_t{2081}}) {
    std::string bytes = read_state_without_checksum_header();
    ASSERT_GT(bytes.size(), at);
    bytes[at] = '\xff';
    write("q.h5", bytes);
    const Outcome outcome = run("--load q.h5 --headless --backend cpu --steps 1 --save out.h5");
    EXPECT_TRUE(outcome.code == 2 || outcome.code == 0) << at << ": " << outcome.code << outcome.err;
    if (outcome.code == 2) {
      EXPECT_TRUE(outcome.err.starts_with("perturb: Cannot load \"q.h5\": ")) << outcome.err;
    }
  }
}

TEST_F(StateDamage, RejectsDamagedFilesWithChecksumHeader) {
  expect_soundness(saved(), 0, [](std::string bytes) { return bytes; });
}

// The checksum is not secret: a deliberately damaged file has a valid one.
TEST_F(StateDamage, SurvivesDamagedFilesWithNewChecksumHeader) { expect_soundness(saved(), 1, with_checksum_header); }

// Older versions wrote no checksum, and texts of variable length.
TEST_F(StateDamage, SurvivesDamagedFilesWithoutChecksumHeader) {
  expect_soundness(read_state_without_checksum_header(), 2, [](std::string bytes) { return bytes; });
}

TEST_F(StateDamage, FindsEveryFlippedBit) {
  const std::string whole = saved();
  for (std::size_t at = checksum_header_bytes; at < whole.size(); at += 1 + whole.size() / 40) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write("spoilt.h5", bytes);
    try {
      load_state(path("spoilt.h5"));
      ADD_FAILURE() << "loaded with a bit flipped at " << at;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("checksum is wrong"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace perturb
