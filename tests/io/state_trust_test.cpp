// Permitted contents and locations of state files: nothing that points elsewhere, and nothing that was not requested.
#include <ctime>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/preset/presets.h"
#include "app/io/state/checksum.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "tests/io/state_samples.h"
#include "tests/support/files_scratch.h"
#include "tests/support/sanitized.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class StateTrust : public ScratchFolder {
 protected:
  void save_wav(const std::string& name) {
    ASSERT_EQ(run("wave --size 24x16 --headless --backend cpu --steps 3 --save " + name).code, 0);
  }
  std::string error_of(const std::string& name) const {
    try {
      load_state(fs::path(name).is_absolute() ? name : path(name));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  // Changes a.h5 by Python with h5py and removes its checksum header; false if h5py is not installed.
  bool change(const std::string& code) const {
    for (const char* python : {"/usr/bin/python3", "/usr/bin/env python3"}) {
      const std::string script = std::string(python) +
                                 " -c 'import h5py, numpy as np\nf = h5py.File(\"a.h5\", \"r+\")\n" + code +
                                 "\nf.close()'";
      if (shell(script).code != 0) continue;
      // In place: the file may be larger than the memory.
      std::fstream(path("a.h5"), std::ios::in | std::ios::out | std::ios::binary).put(' ');
      return true;
    }
    return false;
  }
  bool has_no_h5py() const { return shell("/usr/bin/python3 -c 'import h5py' || python3 -c 'import h5py'").code != 0; }
};

// HDF5 stores times as whole seconds in four bytes: none of them is in the file.
TEST_F(StateTrust, TheSameStateGivesTheSameBytesAtAnyTime) {
  const std::time_t begin = std::time(nullptr);
  save_state(odd_state(), path("a.h5"));
  save_state(odd_state(), path("b.h5"));
  const std::time_t end = std::time(nullptr);
  EXPECT_EQ(read("a.h5"), read("b.h5"));
  for (std::time_t second = begin; second <= end; ++second) {
    std::string bytes;
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(second >> (8 * k) & 0xff);
    EXPECT_EQ(read("a.h5").find(bytes), std::string::npos) << "the time of saving";
  }
}

TEST_F(StateTrust, TheChecksumIsXxh64) {
  const auto hash = [](const std::string& text, std::size_t piece) {
    XxHash64 checksum;
    const auto bytes = std::as_bytes(std::span(text));
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      checksum.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    return checksum.value();
  };
  // Values from xxhsum.
  EXPECT_EQ(hash("", 1), 0xEF46DB3751D8E999u);
  EXPECT_EQ(hash("a", 1), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(hash("abc", 3), 0x44BC2CF5AD770999u);
  const std::string text = "Nobody inspects the spammish repetition";
  for (const std::size_t piece : {1, 5, 31, 32, 33, 100}) EXPECT_EQ(hash(text, piece), 0xFBCEA83C8A378BF1u) << piece;
}

TEST_F(StateTrust, LoadsOlderFileWithoutChecksumHeader) {
  fs::copy_file(PERTURB_SOURCE_DIR "/tests/io/states/without_seal.h5", path("old.h5"));
  const Outcome outcome = run("--load old.h5 --headless --backend cpu --steps 5 --save new.h5");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(load_state(path("new.h5")).steps, 25);
  EXPECT_EQ(load_state(path("old.h5")).parameters.at("precision"), "fp64");
}

TEST_F(StateTrust, WrongChecksumGivesErrorWithRemedy) {
  save_wav("a.h5");
  const std::string whole = read("a.h5");
  EXPECT_TRUE(whole.starts_with("perturb-seal xxh64="));
  std::string bytes = whole;
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write("a.h5", bytes);
  EXPECT_NE(error_of("a.h5").find("overwrite the first byte"), std::string::npos) << error_of("a.h5");
  write("a.h5", remove_checksum_header(bytes));
  EXPECT_EQ(error_of("a.h5"), "");
  write("a.h5", whole + "more");
  EXPECT_NE(error_of("a.h5").find("checksum is wrong"), std::string::npos) << error_of("a.h5");
  write("a.h5", whole.substr(0, whole.size() - 7));
  EXPECT_NE(error_of("a.h5").find("truncated: 7 bytes are missing"), std::string::npos) << error_of("a.h5");
}

TEST_F(StateTrust, RejectsSpecialFiles) {
  ASSERT_EQ(mkfifo(path("pipe.h5").c_str(), 0600), 0);
  EXPECT_NE(error_of("pipe.h5").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of("/dev/zero").find("not a regular file"), std::string::npos);
}

TEST_F(StateTrust, RejectsFieldsInOtherFiles) {
  if (has_no_h5py()) GTEST_SKIP() << "no python3 with h5py here";
  write("secret.txt", std::string(4 * 24 * 16, 's'));
  const std::string secret = path("secret.txt");
  const std::string u = "u = f[\"u\"]; shape, kind = u.shape, u.dtype; del f[\"u\"]\n";

  save_wav("a.h5");
  ASSERT_TRUE(change(u + "f.create_dataset(\"u\", shape, kind, external=[(\"" + secret + "\", 0, 1536)])"));
  EXPECT_NE(error_of("a.h5").find("another file"), std::string::npos) << error_of("a.h5");

  save_wav("a.h5");
  fs::copy_file(path("a.h5"), path("b.h5"));
  ASSERT_TRUE(change(u + "f[\"u\"] = h5py.ExternalLink(\"b.h5\", \"u\")"));
  EXPECT_NE(error_of("a.h5").find("link"), std::string::npos) << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change(u + "f[\"u\"] = h5py.SoftLink(\"/u_previous\")"));
  EXPECT_NE(error_of("a.h5").find("link"), std::string::npos) << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change(u + "v = h5py.VirtualLayout(shape, kind); v[:] = h5py.VirtualSource(\"b.h5\", \"u\", shape)\n" +
                     "f.create_virtual_dataset(\"u\", v)"));
  EXPECT_NE(error_of("a.h5").find("another file"), std::string::npos) << error_of("a.h5");
}

TEST_F(StateTrust, RejectsForeignFields) {
  if (has_no_h5py()) GTEST_SKIP() << "no python3 with h5py here";
  save_wav("a.h5");
  // Three gigabytes that are never read: a hole in the file, which takes no disk space.
  ASSERT_TRUE(
      change("p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)\n"
             "p.set_fill_time(h5py.h5d.FILL_TIME_NEVER)\n"
             "h5py.h5d.create(f.id, b\"extra\", h5py.h5t.NATIVE_UINT8, h5py.h5s.create_simple((3 << 30,)), p)"));
  ASSERT_GT(fs::file_size(path("a.h5")), std::uintmax_t{3} << 30);
  EXPECT_NE(error_of("a.h5").find("it has a field \"extra\", which wave does not use"), std::string::npos)
      << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change("del f[\"u\"]; f[\"u\"] = np.zeros((17, 24), np.float32)"));
  EXPECT_NE(error_of("a.h5").find("is [17, 24] where [16, 24] is needed"), std::string::npos) << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change("del f[\"u\"]; f[\"u\"] = np.zeros((16, 24), np.uint8)"));
  EXPECT_NE(error_of("a.h5").find("holds uint8 where float32 or float64 is needed"), std::string::npos)
      << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change("f.create_group(\"notes\")"));
  EXPECT_NE(error_of("a.h5").find("\"notes\", which is not a field"), std::string::npos) << error_of("a.h5");

  save_wav("a.h5");
  ASSERT_TRUE(change("f.attrs[\"simulation\"] = \"pond\""));
  EXPECT_NE(error_of("a.h5").find("simulation \"pond\" is unknown"), std::string::npos) << error_of("a.h5");
}

// A preset's file is found next to the state, and nowhere else.
TEST_F(StateTrust, RequiresPresetFileInSameFolder) {
  const std::string mine = "simulation = 'wave'\ntitle = 'Mine'\n";
  std::filesystem::create_directory(path("elsewhere"));
  write("elsewhere/mine.toml", mine);
  const Outcome saved =
      run("'" + path("elsewhere/mine.toml") + "' --headless --backend cpu --size 16 --steps 1 --save s.h5");
  ASSERT_EQ(saved.code, 0) << saved.err;
  EXPECT_EQ(load_state(path("s.h5")).preset, "");
  EXPECT_NE(scene_of(load_state(path("s.h5"))).title, "Mine");
  EXPECT_EQ(run("--load s.h5 --headless --backend cpu --steps 1").code, 0);
  write("mine.toml", mine);
  EXPECT_EQ(scene_of(load_state(path("s.h5"))).title, "Mine");
}

// A few bytes may declare more than any memory.
TEST_F(StateTrust, RejectsMissingFields) {
  if (has_no_h5py()) GTEST_SKIP() << "no python3 with h5py here";
  save_wav("a.h5");
  ASSERT_TRUE(
      change("f.attrs[\"width\"] = f.attrs[\"height\"] = 1 << 20\n"
             "for n in (\"u\", \"u_previous\"):\n"
             "  del f[n]; f.create_dataset(n, (1 << 20, 1 << 20), \"f4\", chunks=(1 << 10, 1 << 10), compression=9)"));
  EXPECT_NE(error_of("a.h5").find("incomplete"), std::string::npos) << error_of("a.h5");
}

// HDF5 has no memory to build the file: a message, and no crash at exit.
TEST_F(StateTrust, ReportsMissingMemory) {
#if defined(PERTURB_SANITIZED)
  GTEST_SKIP() << "sanitizers take address space as they like";
#endif
  EXPECT_EXIT(
      {
        State state = odd_state();
        state.put("big", {std::size_t{1} << 28}, "", std::vector<std::uint8_t>(std::size_t{1} << 28));
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 27);
        struct rlimit limit {};
        limit.rlim_cur = limit.rlim_max = most;
        setrlimit(RLIMIT_AS, &limit);
        try {
          save_state(state, path("a.h5"));
        } catch (const Error& error) {
          std::fputs(error.what(), stderr);
          _exit(1);
        }
        _exit(0);
      },
      testing::ExitedWithCode(1), "not enough memory");
}

}  // namespace
}  // namespace perturb
