// Files from elsewhere, damaged or malicious: each is rejected with one plain message, and nothing else is read,
// written or shown.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/toml_reader.h"
#include "app/io/state/portable_state.h"
#include "app/ui/widgets/font_file.h"
#include "app/ui/widgets/fonts.h"
#include "cuda/core/backend/check.h"
#include "tests/io/state_samples.h"
#include "tests/support/files_scratch.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

const std::string headless = " --headless --backend cpu --steps 1 ";
const std::string wave = "wave/droplet --size 16" + headless;

// "a.a.a. ... a"
std::string dotted(int parts) {
  std::string text = "a";
  for (int k = 1; k < parts; ++k) text += ".a";
  return text;
}

class HostileInput : public ScratchFolder {
 protected:
  void expect_error(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("perturb: ")) << outcome.err;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << arguments << "\n" << outcome.err;
  }
  // A script in this folder whose start contains this text.
  std::string script(const std::string& name, const std::string& words) const {
    return write(name, "start = [" + words + "]\nsteps = 1\n");
  }
  // The program's data folder is here.
  std::string own_folder() const { return "XDG_DATA_HOME='" + path("data") + "'"; }
};

// ---- TOML

TEST_F(HostileInput, RejectsDeepKeysAndBracketsWithTheirPlace) {
  for (const std::string& text : {"[" + dotted(31000) + "]\n", dotted(31000) + " = 1\n", "[[" + dotted(33) + "]]\n",
                                  "a = { " + dotted(33) + " = 1 }\n", "a = { \"b\" . " + dotted(32) + " = 1 }\n"}) {
    write("deep.toml", "simulation = \"wave\"\n" + text);
    expect_error("deep.toml" + headless, {"deep.toml:2:", "at most 32 parts"});
    expect_error(wave + "--script deep.toml", {"deep.toml:2:", "at most 32 parts"});
    expect_error("lesson deep.toml --headless", {"deep.toml:2:", "at most 32 parts"});
  }
  write("brackets.toml", "a = " + std::string(100000, '['));
  expect_error("brackets.toml" + headless, {"brackets.toml:1:", "at most 32 deep"});
}

TEST_F(HostileInput, ReadsKeysAndTextsThatOnlyLookDeep) {
  const std::string dots = dotted(1000), brackets(1000, '[');
  const toml::table table =
      parse_toml("title = \"" + dots + brackets + " \\\" " + dots + "\" # " + dots + brackets + "\nhint = '" + dots +
                     "'\nlong = \"\"\"\n" + dots + " \"\" " + brackets + "\"\"\"\"\"\nnumbers = [" +
                     std::string(300, ' ') + "1.5, 2.5, 1.5, 2.5, [1.5, 2.5]]\n" + dotted(32) + " = 1\n",
                 "plain.toml");
  EXPECT_TRUE(table["title"].is_string());
  EXPECT_TRUE(table["long"].is_string());
  EXPECT_EQ(table["numbers"].as_array()->size(), 5u);
}

TEST_F(HostileInput, ListsUserPresetsNextToADeepOne) {
  fs::create_directories(path("data/perturb/presets/wave"));
  write("data/perturb/presets/wave/deep.toml", "[" + dotted(31000) + "]\n");
  write("data/perturb/presets/wave/good.toml", "title = \"A good one\"\n");
  const Outcome outcome = run("list wave", own_folder());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("A good one"), std::string::npos);
  EXPECT_NE(outcome.err.find("at most 32 parts"), std::string::npos) << outcome.err;
}

// ---- messages

TEST_F(HostileInput, AnErrorInTheStartOfAScriptNamesTheScript) {
  for (const auto& [start, error] : {std::pair{"'wave/nothing'", "There is no scene"},
                                     {"'wave/rain', '--grid', '8'", "There is no option --grid"},
                                     {"'wave/rain', '--size', '0x3'", "--size cannot be"},
                                     {"'wave/rain', '--set', 'damping=-1'", "damping cannot be"},
                                     {"'verify', 'wave'", "does not start a run"}}) {
    script("start.toml", start);
    expect_error("--script start.toml" + headless, {"start.toml: its start", "cannot be used. ", error});
  }
}

TEST_F(HostileInput, AnInstrumentOfAnUnknownQuantityIsRejected) {
  expect_error(wave + "--instrument 'probe 0.5 0.5 speedy'", {"no quantity \"speedy\"", "speed"});
}

TEST_F(HostileInput, RejectsTextsWithNulsInAWholeMessage) {
  write("nul.toml", "simulation = \"wave\"\n[[action]]\nkind = \"drop\\u0000let\"\n");
  expect_error("nul.toml" + headless, {"nul.toml:3:", "NUL character", "remove it."});
  write("long.toml", "simulation = \"wave\"\n[[action]]\nkind = \"drop\\U00000000let\"\n");
  expect_error("long.toml" + headless, {"long.toml:3:", "NUL character", "remove it."});
  write("raw.toml", std::string("simulation = \"wave\"\nkind = \"drop\0let\"\n", 39));
  expect_error("raw.toml" + headless, {"raw.toml", "NUL character in line 2", "Choose a text file."});
  write("discs.txt", std::string("2 20 1\0 3\n0 5 5 1 0\n1 9 5 -1 0\n", 31));
  expect_error("particles --input discs.txt" + headless, {"discs.txt", "NUL character in line 1"});
}

TEST_F(HostileInput, PrintsTitlesAndNamesOfFilesWithoutEscapeSequences) {
  fs::create_directories(path("data/perturb/presets/wave"));
  write("data/perturb/presets/wave/red.toml", "title = \"\\u001b[31mRED\\u001b]0;owned\\u0007\\u202eabc\"\n");
  write("data/perturb/presets/wave/\x1b[2Jname.toml", "title = \"Named\"\n");
  write("data/perturb/presets/wave/\x1b[2Jbroken.toml", "title = \n");
  fs::create_directories(path("data/perturb/lessons/wave"));
  write("data/perturb/lessons/wave/red.toml",
        "title = \"\\u001b[31mRED\"\nsummary = \"\\u001b[5m\"\n[[step]]\ntitle = \"a\"\ntext = \"b\"\nscene = "
        "\"droplet\"\n");
  for (const char* command : {"list", "list wave", "lesson"}) {
    const Outcome outcome = run(command, own_folder());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("RED"), std::string::npos) << command;
    for (const std::string& text : {outcome.out, outcome.err}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << command;
      EXPECT_EQ(text.find('\a'), std::string::npos) << command;
      EXPECT_EQ(text.find("\u202e"), std::string::npos) << command;
    }
  }
}

TEST_F(HostileInput, RejectsDamagedPortableStatesInItsOwnWords) {
  ASSERT_EQ(run(wave + "--save good.perturb").code, 0);
  const auto [header, fields] = plain_parts_of(read("good.perturb"));
  int rejected = 0;
  for (std::size_t k = 0; k < header.size(); ++k)
    for (const char* other : {"", "\"", "7", "}", "-", "\\u0000"}) {
      std::string damaged = header;
      damaged.replace(k, 1, other);
      try {
        const std::string file = with_checksum(damaged, fields);
        read_portable_state(std::as_bytes(std::span(file)));
      } catch (const InputError& error) {
        ++rejected;
        const std::string words = error.what();
        for (const char* raw_words : {"json", "exception", "std::", "basic_"})
          ASSERT_EQ(words.find(raw_words), std::string::npos) << words;
        ASSERT_GT(words.size(), 20u) << words;
      }
    }
  EXPECT_GT(rejected, 1000);
}

TEST_F(HostileInput, RejectsHeaderNumbersThatDoNotFit) {
  ASSERT_EQ(run(wave + "--save good.perturb").code, 0);
  const auto [good, fields] = plain_parts_of(read("good.perturb"));
  const std::string unchanged = with_checksum(good, fields);
  EXPECT_EQ(read_portable_state(std::as_bytes(std::span(unchanged))).width, 16);
  for (const char* number : {"1e300", "4294967312", "16.5", "-1"}) {
    std::string header = good;
    const std::size_t at = header.find("\"width\":16");
    ASSERT_NE(at, std::string::npos);
    header.replace(at + 8, 2, number);
    const std::string file = with_checksum(header, fields);
    EXPECT_THROW(read_portable_state(std::as_bytes(std::span(file))), InputError) << number;
  }
}

// ---- fonts

TEST_F(HostileInput, DetectsDamagedFonts) {
  const std::string file = find_font(FontWeight::regular);
  if (file.empty()) GTEST_SKIP() << "no font here";
  std::ifstream stream(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(is_whole_font(whole));
  EXPECT_FALSE(is_whole_font(""));
  for (std::size_t length = 0; length < whole.size(); length = 2 * length + 1)
    EXPECT_FALSE(is_whole_font(whole.substr(0, length))) << length;
  for (std::size_t k = 300; k < whole.size(); k += whole.size() / 50) {
    std::string damaged = whole;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x40);
    // The padding bytes between tables belong to none.
    EXPECT_TRUE(!is_whole_font(damaged) || whole[k] == 0) << k;
  }
}

TEST_F(HostileInput, RejectsFontWithOverlappingTables) {
  const std::vector<std::string> tags = {"glyf", "loca", "cmap", "head", "hhea", "hmtx", "maxp"};
  const auto big = [](std::size_t value, int bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes) & 0xff);
    return text;
  };
  constexpr std::size_t length = 1000;  // zeros, whose sum is zero
  const std::size_t data = 12 + 16 * tags.size();
  const auto font = [&](bool shared) {
    std::string text = big(0x00010000, 4) + big(tags.size(), 2) + big(0, 6);
    for (std::size_t k = 0; k < tags.size(); ++k)
      text += tags[k] + big(0, 4) + big(shared ? data : data + k * length, 4) + big(length, 4);
    return text + std::string(shared ? length : tags.size() * length, '\0');
  };
  EXPECT_TRUE(is_whole_font(font(false)));
  EXPECT_FALSE(is_whole_font(font(true)));
}

// fontconfig scans a folder, and keeps the result until the folder changes.
TEST_F(HostileInput, DrawsPanelsWithAnotherFontWhereTheFontFileIsDamaged) {
  const std::string file = find_font(FontWeight::regular);
  if (file.empty()) GTEST_SKIP() << "no font here";
  const std::string name = fs::path(file).filename().string();
  fs::create_directories(path("fonts"));
  fs::copy_file(file, path("fonts/" + name));
  write("fonts.conf", "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>" +
                          path("fonts") + "</dir><cachedir>" + path("cache") + "</cachedir></fontconfig>");
  const std::string fonts = "FONTCONFIG_FILE='" + path("fonts.conf") + "'";
  const std::string picture = wave + "--window-size 320x240 --with-ui --screenshot a.png";
  ASSERT_EQ(run(picture, fonts).code, 0);
  for (const std::size_t left : {fs::file_size(file) / 3, std::uintmax_t{0}}) {
    fs::resize_file(path("fonts/" + name), left);
    const Outcome outcome = run(picture + " --curves k.png", fonts);
    EXPECT_EQ(outcome.code, 0) << left << " bytes\n" << outcome.err;
  }
}

// ---- files that a script names, files that are written without a request, files that are open

TEST_F(HostileInput, ReadsNoFileOutsideOfTheFolderForAScript) {
  fs::create_directories(path("scripts"));
  fs::create_directories(path("below"));
  write("secret.txt", "the secret\n");
  fs::create_symlink(path("secret.txt"), path("scripts/link.txt"));
  ASSERT_EQ(run(wave + "--save below/a.perturb").code, 0);
  for (const std::string& named :
       {path("secret.txt"), std::string("../secret.txt"), std::string("link.txt"), std::string("/etc/passwd")}) {
    script("scripts/input.toml", "\"fibers\", \"--input\", \"" + named + "\"");
    const Outcome outcome = run("--script scripts/input.toml" + headless);
    EXPECT_EQ(outcome.code, 2) << named;
    EXPECT_NE(outcome.err.find("outside the folder of the script"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("secret\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("root:"), std::string::npos) << outcome.err;
  }
  script("scripts/load.toml", "\"--load\", \"../below/a.perturb\"");
  expect_error("--script scripts/load.toml" + headless,
               {"outside the folder of the script", "Copy it into that folder"});
}

TEST_F(HostileInput, ReadsFilesNextToScriptFromAnyFolder) {
  fs::create_directories(path("scripts/states"));
  ASSERT_EQ(run(wave + "--save scripts/states/a.perturb").code, 0);
  script("scripts/relative.toml", "\"--load\", \"states/a.perturb\"");
  script("scripts/whole.toml", "\"--load\", \"" + path("scripts/states/a.perturb") + "\"");
  for (const char* name : {"scripts/relative.toml", "scripts/whole.toml"}) {
    const Outcome outcome = run("--script " + std::string(name) + " --headless --backend cpu --steps 1");
    EXPECT_EQ(outcome.code, 0) << name << "\n" << outcome.err;
  }
}

TEST_F(HostileInput, WritesThePictureOfARunWithoutADisplayOverNoFile) {
  write("victim", "precious");
  fs::create_symlink(path("victim"), path("perturb.png"));
  write("perturb-2.png", "older");
  const Outcome outcome =
      run("wave/droplet --size 16 --backend cpu --window-size 64x64", "env -u WAYLAND_DISPLAY DISPLAY=");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read("victim"), "precious");
  EXPECT_EQ(read("perturb-2.png"), "older");
  EXPECT_TRUE(read("perturb-3.png").starts_with("\x89PNG")) << outcome.err;
  EXPECT_NE(outcome.err.find("perturb-3.png"), std::string::npos) << outcome.err;
}

TEST_F(HostileInput, ChildProcessesInheritNoOpenFiles) {
  write("ffmpeg", "#!/bin/sh\nls -l /proc/$$/fd >files.txt\ncat >/dev/null\n");
  fs::permissions(path("ffmpeg"), fs::perms::owner_all);
  write("private", "secret");
  shell("exec 9<private; PATH=\"" + path("") + ":$PATH\" '" PERTURB_BINARY "' " + wave +
        "--window-size 64x64 --csv a.csv --record film.mp4");
  const std::string files = read("files.txt");
  EXPECT_NE(files.find(" 0 -> "), std::string::npos) << files;
  EXPECT_EQ(files.find("private"), std::string::npos) << files;
  EXPECT_EQ(files.find("csv"), std::string::npos) << files;
  EXPECT_EQ(files.find("/dev/dri"), std::string::npos) << files;
}

// ---- texts from other programs

TEST_F(HostileInput, ReadsTextsWithAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  write("discs.txt", mark + "2 20 1 3\n0 5 5 1 0\n1 9 5 -1 0\n");
  EXPECT_EQ(run("particles --input discs.txt" + headless).code, 0);
  write("fibers.csv", mark + "x,y,z,tx,ty,tz\n0,0,0,1,0,0\n");
  EXPECT_EQ(run("fibers --input fibers.csv" + headless).code, 0);
  write("preset.toml", mark + "simulation = \"wave\"\nsize = [16, 16]\n");
  EXPECT_EQ(run("preset.toml" + headless).code, 0);
  write("script.toml", mark + "start = [\"wave/droplet\", \"--size\", \"16\"]\nsteps = 1\n");
  EXPECT_EQ(run("--script script.toml --headless --backend cpu").code, 0);
  write("wide.txt", std::string("\xff\xfe"
                                "2\0 \0",
                                6));
  expect_error("particles --input wide.txt" + headless, {"wide.txt", "UTF-16", "Save it as UTF-8"});
}

TEST_F(HostileInput, ReportsPlaceOfBadNumbersInTexts) {
  write("fast.txt", "2 20 1 3\n0 5 5 1e300 0\n1 9 5 -1 0\n");
  expect_error("particles --input fast.txt" + headless, {"fast.txt:2:7:", "too fast", "1e+300"});
  write("one_place.txt", "3 20 1 3\n0 5 5 1 0\n1 5 5 -1 0\n2 5 5 0 0\n");
  expect_error("particles --input one_place.txt" + headless,
               {"In \"one_place.txt\"", "at the same position", "Correct"});
  write("before.csv", "time,x,y,z,tx,ty,tz\n-1,0,0,0,1,0,0\n");
  expect_error("fibers --input before.csv" + headless, {"before.csv:2:1:", "time is -1"});
  for (const char* name : {"fast.txt", "one_place.txt"})
    EXPECT_EQ(run("particles --input " + std::string(name) + headless).err.find("saved state"), std::string::npos);
}

}  // namespace
}  // namespace perturb
