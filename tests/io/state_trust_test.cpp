// Permitted contents and locations of state files: nothing that points elsewhere, and nothing that was not requested.
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/io/preset/presets.h"
#include "app/io/state/checksum.h"
#include "app/io/state/state_file.h"
#include "tests/io/state_samples.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class StateTrust : public ScratchFolder {
 protected:
  void save_wav(const std::string& name) {
    ASSERT_EQ(run("wave --size 24x16 --headless --backend cpu --steps 3 --save " + name).code, 0);
  }
  std::string error_of(const std::string& name) const {
    return error_thrown_by([&] { load_state(fs::path(name).is_absolute() ? name : path(name)); });
  }
  // The message about a.perturb after a change of its header, with a valid checksum.
  std::string error_after(const std::string& from, const std::string& to) const {
    auto [header, fields] = plain_parts_of(read("a.perturb"));
    EXPECT_NE(header.find(from), std::string::npos) << from;
    header.replace(header.find(from), from.size(), to);
    write("changed.perturb", with_checksum(header, fields));
    return error_of("changed.perturb");
  }
};

TEST_F(StateTrust, TheSameStateGivesTheSameBytes) {
  save_state(odd_state(), path("a.perturb"));
  save_state(odd_state(), path("b.perturb"));
  EXPECT_EQ(read("a.perturb"), read("b.perturb"));
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

TEST_F(StateTrust, RejectsSpecialFiles) {
  ASSERT_EQ(mkfifo(path("pipe.perturb").c_str(), 0600), 0);
  EXPECT_NE(error_of("pipe.perturb").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of("/dev/zero").find("not a regular file"), std::string::npos);
}

TEST_F(StateTrust, RejectsForeignFields) {
  save_wav("a.perturb");
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& part) {
    const std::string sentence = error_after(from, to);
    EXPECT_NE(sentence.find(part), std::string::npos) << part << ": " << sentence;
  };
  const std::string u = R"({"name":"u","type":"float32","shape":[16,24],"unit":"height"})";
  EXPECT_EQ(error_after(u, u), "");
  expect(u, u + R"(,{"name":"extra","type":"uint8","shape":[3000000000],"unit":""})",
         "it has a field \"extra\", which wave does not use");
  expect(R"("shape":[16,24])", R"("shape":[17,24])", "is [17, 24] where [16, 24] is needed");
  expect(R"("type":"float32")", R"("type":"uint8")", "holds uint8 where float32 or float64 is needed");
  expect(R"("simulation":"wave")", R"("simulation":"pond")", "simulation \"pond\" is unknown");
  expect(u, u + "," + u, "its header cannot be read");
}

// A few bytes may declare more than any memory.
TEST_F(StateTrust, RejectsMissingFields) {
  save_wav("a.perturb");
  auto [header, fields] = plain_parts_of(read("a.perturb"));
  for (const auto& [from, to] : {std::pair{"\"width\":24", "\"width\":2000000000"},
                                 {"\"height\":16", "\"height\":2000000000"},
                                 {"[16,24]", "[2000000000,2000000000]"},
                                 {"[16,24]", "[2000000000,2000000000]"}})
    header.replace(header.find(from), std::string(from).size(), to);
  write("a.perturb", with_checksum(header, fields));
  EXPECT_NE(error_of("a.perturb").find("a field is longer than the file"), std::string::npos) << error_of("a.perturb");
}

// A preset's file is found next to the state, and nowhere else.
TEST_F(StateTrust, RequiresPresetFileInSameFolder) {
  const std::string mine = "simulation = 'wave'\ntitle = 'Mine'\n";
  std::filesystem::create_directory(path("elsewhere"));
  write("elsewhere/mine.toml", mine);
  const Outcome saved =
      run("'" + path("elsewhere/mine.toml") + "' --headless --backend cpu --size 16 --steps 1 --save s.perturb");
  ASSERT_EQ(saved.code, 0) << saved.err;
  EXPECT_EQ(load_state(path("s.perturb")).preset, "");
  EXPECT_NE(scene_of(load_state(path("s.perturb"))).title, "Mine");
  EXPECT_EQ(run("--load s.perturb --headless --backend cpu --steps 1").code, 0);
  write("mine.toml", mine);
  EXPECT_EQ(scene_of(load_state(path("s.perturb"))).title, "Mine");
}

}  // namespace
}  // namespace perturb
