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
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
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
  // Half of the positions are in the header, which is small compared with the numbers.
  std::size_t place(std::size_t size) { return below(below(2) ? size : std::min<std::size_t>(size, 1000)); }
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
    const std::size_t mutations = number_from("PERTURB_MUTATIONS", 360) / 2;
    FileCorruptor corruptor(number_from("PERTURB_MUTATION_SEED", 1) * 2 + stream);
    const auto backend = Backend::make_cpu(1);
    std::size_t loaded = 0, rejected = 0;
    // Measured, not asserted: a busy machine is not an error.
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
      write("spoilt.perturb", finish(corruptor.spoil(whole, how)));
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
        const State state = load_state(path("spoilt.perturb"));
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
        run("wave/lens --size 24x16 --set precision=fp64 --headless --backend cpu --steps 20 --save whole.perturb")
            .code,
        0);
    return read("whole.perturb");
  }
};

TEST_F(StateDamage, RejectsDamagedFiles) {
  expect_soundness(saved(), 0, [](std::string bytes) { return bytes; });
}

// A checksum is not secret: a deliberately damaged file has a valid one.
TEST_F(StateDamage, SurvivesDamagedFilesWithNewChecksum) {
  const auto [header, fields] = plain_parts_of(saved());
  expect_soundness(header + fields, 1, [size = header.size()](const std::string& body) {
    const std::size_t end = std::min(size, body.size());
    return with_checksum(body.substr(0, end), body.substr(end));
  });
}

TEST_F(StateDamage, FindsEveryFlippedBit) {
  const std::string whole = saved();
  for (std::size_t at = whole.find('\n') + 1; at < whole.size(); at += 1 + whole.size() / 40) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write("spoilt.perturb", bytes);
    const std::string error = error_thrown_by([&] { load_state(path("spoilt.perturb")); });
    EXPECT_NE(error.find("checksum is wrong"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace perturb
