// Untrusted text is printed to the terminal as one harmless line.
#include "app/cli/terminal.h"

#include <sstream>

#include <gtest/gtest.h>

#include "app/io/state/state_file.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

TEST(Terminal, EscapesControlCharacters) {
  EXPECT_EQ(escape_for_terminal("a sentence: \"name\", 5 µm, 東京."), "a sentence: \"name\", 5 µm, 東京.");
  EXPECT_EQ(escape_for_terminal("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(escape_for_terminal("one\ntwo\r\tthree"), "one\\ntwo\\r\\tthree");
  EXPECT_EQ(escape_for_terminal(std::string("nul\0here", 8)), "nul\\x00here");
  EXPECT_EQ(escape_for_terminal("C1 \xc2\x9b"
                                "31m, raw \x9b"
                                "31m"),
            "C1 \\u009b31m, raw \\x9b31m");
  EXPECT_EQ(escape_for_terminal("turned \xe2\x80\xaetxt.exe, broken \xe2\x80\xa8here"),
            "turned \\u202etxt.exe, broken \\u2028here");
  // A truncated character, an overlong encoding, half of a surrogate pair, and a code point beyond the last.
  EXPECT_EQ(escape_for_terminal("\xe6\x9d"), "\\xe6\\x9d");
  EXPECT_EQ(escape_for_terminal("\xc0\x8a"), "\\xc0\\x8a");
  EXPECT_EQ(escape_for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(escape_for_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Terminal, KeepsPrintableText) {
  const std::string once = escape_for_terminal("\x1b]0;title\x07 \"a\\nb\"");
  EXPECT_EQ(escape_for_terminal(once), once) << "a sentence may pass through more than once";
}

TEST(Terminal, ShortensLongNamesInMiddle) {
  const std::string name = "begin" + std::string(500, 'x') + "end";
  const std::string line = escape_for_terminal("There is no \"" + name + "\": try \"short\".");
  EXPECT_LT(line.size(), 220u);
  EXPECT_TRUE(line.starts_with("There is no \"beginxxx")) << line;
  EXPECT_NE(line.find("xxxend\": try \"short\"."), std::string::npos) << line;
  EXPECT_LT(escape_for_terminal(std::string(std::size_t{50} << 20, 'y')).size(), 1300u);
  // No character is cut.
  std::string wide = "\"";
  for (int k = 0; k < 200; ++k) wide += "東";
  EXPECT_EQ(escape_for_terminal(wide + "\"").find("\\x"), std::string::npos);
  std::ostringstream out;
  print_line(out, "a\nb");
  EXPECT_EQ(out.str(), "a\\nb\n");
}

class TerminalProgram : public ScratchFolder {
 protected:
  // Expects one line with the usual beginning, no control character except the line break, and limited length.
  static void expect_line(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err.substr(0, 500);
    EXPECT_TRUE(outcome.err.starts_with("perturb: "));
    for (const char c : outcome.err.substr(0, outcome.err.size() - 1))
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << outcome.err.substr(0, 500);
    EXPECT_LT(outcome.err.size(), 1400u);
  }
};

TEST_F(TerminalProgram, OptionsAreQuotedHarmlessly) {
  const std::string escape = "\"$(printf '\\033[31mred\\nperturb: all is well\\007')\"";
  for (const std::string& arguments :
       {escape, "wave --headless --set damping=" + escape, "wave --headless --set " + escape + "=1",
        "wave --headless --quantity " + escape, "wave --headless --script " + escape,
        "wave --headless --save no/" + escape, "--load " + escape, "wave --" + escape, "list " + escape,
        "bench " + escape, "wave --range " + escape}) {
    SCOPED_TRACE(arguments);
    expect_line(run(arguments));
  }
  expect_line(run("\"$(head -c 100000 /dev/zero | tr '\\0' x)\""));
  expect_line(run("wave --headless --set damping=\"$(head -c 100000 /dev/zero | tr '\\0' x)\""));
}

TEST_F(TerminalProgram, EscapesTextsOfFiles) {
  write("key.toml", "simulation = 'wave'\n\"a\\u001b[31m\\nb\" = 3\n");
  expect_line(run("key.toml --headless"));
  write("kind.toml", "simulation = \"wa\\u001b[2Jve\"\n");
  expect_line(run("kind.toml --headless"));
  write("long.toml", "simulation = \"" + std::string(1 << 20, 'w') + "\"\n");
  expect_line(run("long.toml --headless"));
  write("discs.txt", "1 20 1 4\n0 5 \x1b[31mred 1 0\n");
  expect_line(run("particles --headless --input discs.txt"));
}

TEST_F(TerminalProgram, EscapesNameOfSavedPreset) {
  ASSERT_EQ(run("wave --headless --size 16 --steps 1 --save a.perturb").code, 0);
  State state = load_state(path("a.perturb"));
  state.preset = "rain\x1b[31m\nWrote /etc/passwd";
  save_state(state, path("b.perturb"));
  const Outcome outcome = run("--load b.perturb --headless --steps 1 --kernel fused");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
}

}  // namespace
}  // namespace perturb
