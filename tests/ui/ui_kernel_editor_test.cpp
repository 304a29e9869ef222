// The editor of kernels, and the dialog about a text from a file, laid out by ImGui without a screen.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/cli/window_start.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/files_scratch.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

TEST(CodeTokens, FindsTheWordsOfEachKind) {
  using Kind = CodeToken::Kind;
  const std::string text =
      "#pragma once // yes\n/* two\nlines */ template <int N>\nfloat f() { return 1.5e-3f + x2; } // 3\n\"a\\\"b\" 'c";
  std::vector<std::pair<std::string, Kind>> found;
  for (const CodeToken& token : code_tokens(text))
    found.emplace_back(text.substr(token.from, token.to - token.from), token.kind);
  const std::vector<std::pair<std::string, Kind>> expected = {{"#pragma once ", Kind::directive},
                                                              {"// yes", Kind::comment},
                                                              {"/* two", Kind::comment},
                                                              {"lines */", Kind::comment},
                                                              {"template", Kind::keyword},
                                                              {"int", Kind::type},
                                                              {"float", Kind::type},
                                                              {"return", Kind::keyword},
                                                              {"1.5e-3f", Kind::number},
                                                              {"// 3", Kind::comment},
                                                              {"\"a\\\"b\"", Kind::text},
                                                              {"'c", Kind::text}};
  EXPECT_EQ(found, expected);
}

TEST(CodeTokens, FindsTheFirstLineOfCode) {
  EXPECT_EQ(first_code_line("// a\n#include <cmath>\n\n/* b\n */\nint x;"), 5);
  EXPECT_EQ(first_code_line("x = 1;  // a\nint y;"), 0);
  EXPECT_EQ(first_code_line("\n  after[i] = 1;"), 1);
  EXPECT_EQ(first_code_line("// only this"), 0);
  EXPECT_EQ(first_code_line(""), 0);
}

class UiKernelEditor : public ScratchFolder, protected DrawnPanels {
 protected:
  UiKernelEditor() : DrawnPanels(make_layout(1600, 2200, 1, 1, true)) { open(tank()); }
  static Scene tank() { return scene_of_width("wave/droplet", 64); }
  void SetUp() override {
    ScratchFolder::SetUp();
    session_->file_opener().set_script_reader(read_script_run);
    session_->execute(ShowTab{Tab::kernels});
    frame();
    frame();
  }
  // Draws frames until the compiler has finished.
  void wait_for_compiler() {
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      frame();
    } while (session_->kernel_editor().is_compiling());
    frame();
  }
  void compile(const std::string& text) {
    session_->execute(CompileKernel{text});
    wait_for_compiler();
  }
  std::string built_in() const { return std::string(session_->run().kernel_source->built_in_text()); }
  // With a line "mistake" before the returned value of wave_advance.
  std::string with_mistake() const {
    std::string text = built_in();
    return text.insert(text.find("  return multiply_add(courant2, laplacian, memory);"), "  mistake;\n");
  }
};

TEST_F(UiKernelEditor, IsOffUntilTheUserEnablesIt) {
  EXPECT_TRUE(shows("Switch on"));
  click("Edited");
  EXPECT_FALSE(shows("Update of a cell"));
  session_->execute(CompileKernel{built_in()});
  EXPECT_EQ(session_->run().kernel, "auto");
  EXPECT_TRUE(session_->message().is_error);
  enable_editing();
  EXPECT_FALSE(shows("Switch on"));
  click("Edited");
  EXPECT_TRUE(shows("Update of a cell"));
  EXPECT_TRUE(shows("Built-in text"));
  EXPECT_TRUE(shows("The built-in kernel is in use."));
}

TEST_F(UiKernelEditor, ShowsTheBuiltInTextWithLineNumbers) {
  enable_editing();
  click("Edited");
  EXPECT_EQ(panels_.states().kernel_editor.text, built_in());
  EXPECT_TRUE(shows("wave_advance("));
  const Rect number = find_drawn_text("57").box, text = find_drawn_text("wave_advance(").box;
  EXPECT_GT(number.width, 0);
  EXPECT_LT(number.x + number.width, text.x);
}

TEST_F(UiKernelEditor, DrawsCodeInAFontOfFixedWidthWithColoursForWords) {
  enable_editing();
  click("Edited");
  const DrawnText name = find_drawn_text("wave_advance("), keyword = find_drawn_text("return"),
                  comment = find_drawn_text("// The physics of one cell");
  EXPECT_EQ(name.color, color::text);
  EXPECT_NE(keyword.color, color::text);
  EXPECT_NE(comment.color, color::text);
  EXPECT_NE(comment.color, keyword.color);
  const ImFont* const code = gui_.style().code;
  EXPECT_EQ(name.font, code);
  EXPECT_NE(code, gui_.style().body);
  EXPECT_EQ(code->GetCharAdvance('i'), code->GetCharAdvance('m'));
}

// The comment that begins the file is longer than a low window.
TEST_F(UiKernelEditor, ShowsTheFirstCodeAndThenTheLineOfAnError) {
  enable_editing();
  click("Edited");
  layout_ = make_layout(1280, 520, 1, 1, true);
  for (int k = 0; k < 5; ++k) frame();
  EXPECT_TRUE(shows("namespace")) << "the first code";
  EXPECT_FALSE(shows("The physics of one cell"));
  const std::string text = with_mistake();
  const std::string line = std::to_string(
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("mistake")), '\n'));
  const auto is_in_view = [&] {
    const std::vector<DrawnText> texts = drawn_text();
    return std::any_of(texts.begin(), texts.end(), [&](const DrawnText& t) { return t.text == line; });
  };
  EXPECT_FALSE(is_in_view());
  compile(text);
  for (int k = 0; k < 5; ++k) frame();
  EXPECT_TRUE(is_in_view());
}

// A double click selects a word: its second click must meet the same line.
TEST_F(UiKernelEditor, ClickMovesNoLine) {
  enable_editing();
  click("Edited");
  layout_ = make_layout(1280, 720, 1, 1, true);
  for (int k = 0; k < 5; ++k) frame();
  const auto lines = [&] {  // by number, from top to bottom
    std::vector<DrawnText> found;
    for (const DrawnText& text : drawn_text())
      if (text.font == gui_.style().code && text.text.find_first_not_of("0123456789") == std::string::npos &&
          text.color != find_drawn_text("wave_advance(").color && (found.empty() || text.box.x < found[0].box.x + 30))
        found.push_back(text);
    return found;
  };
  const std::vector<DrawnText> before = lines();
  ASSERT_GT(before.size(), 10U);
  DrawnText last = before[before.size() - 3];
  last.box.x += 60;
  click_on(last, [&] { frame(); });
  for (int k = 0; k < 3; ++k) frame();
  EXPECT_EQ(lines().front().text, before.front().text);
}

TEST_F(UiKernelEditor, CompilesAndReverts) {
  enable_editing();
  click("Edited");
  click("Compile");
  wait_for_compiler();
  EXPECT_EQ(session_->run().kernel, edited_kernel_id(built_in()));
  EXPECT_TRUE(shows("The edited kernel is in use."));
  experiment_->advance(2);
  click("Built-in text");
  EXPECT_EQ(session_->run().kernel, "auto");
  session_->execute(CommandId::undo);
  frame();
  frame();
  EXPECT_EQ(session_->run().kernel, edited_kernel_id(built_in()));
}

TEST_F(UiKernelEditor, BringsBackTheTextThatItReplaced) {
  enable_editing();
  click("Edited");
  const std::string& text = panels_.states().kernel_editor.text;
  EXPECT_FALSE(shows("Your text"));
  type("//");
  const std::string own = text;
  ASSERT_NE(own, built_in());
  click("Built-in text");
  EXPECT_EQ(text, built_in());
  click("Your text");
  EXPECT_EQ(text, own);
  EXPECT_TRUE(shows("Built-in text"));
}

TEST_F(UiKernelEditor, KeepsTheTextOfEachSimulation) {
  enable_editing();
  click("Edited");
  type("//");
  const std::string own = panels_.states().kernel_editor.text;
  ASSERT_NE(own, built_in());
  session_->execute(OpenScene{"lbm/taylor-green"});
  frame();
  frame();
  EXPECT_EQ(panels_.states().kernel_editor.simulation, "lbm");
  EXPECT_NE(panels_.states().kernel_editor.text, own);
  session_->execute(OpenScene{"wave/droplet"});
  frame();
  frame();
  EXPECT_EQ(panels_.states().kernel_editor.text, own);
}

TEST_F(UiKernelEditor, ShowsErrorsAtTheirLine) {
  enable_editing();
  click("Edited");
  const std::string text = with_mistake();
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("mistake")), '\n');
  compile(text);
  EXPECT_TRUE(shows("Line " + std::to_string(line) + ", column 3:"));
  EXPECT_EQ(session_->run().kernel, "auto");
  compile(built_in());
  EXPECT_FALSE(shows("column 3:"));
}

TEST_F(UiKernelEditor, RunContinuesWhileTextIsCompiled) {
  enable_editing();
  session_->execute(CompileKernel{built_in() + "// new"});
  ASSERT_TRUE(session_->kernel_editor().is_compiling());
  EXPECT_EQ(session_->run().kernel, "auto");
  experiment_->advance(3);
  frame();
  EXPECT_EQ(session_->run().steps, 3);
  wait_for_compiler();
  EXPECT_EQ(session_->run().kernel, edited_kernel_id(built_in() + "// new"));
  EXPECT_EQ(session_->run().steps, 3);
}

TEST_F(UiKernelEditor, TextIsNotUsedInAnotherScene) {
  enable_editing();
  session_->execute(CompileKernel{built_in() + "// for the droplet"});
  session_->execute(OpenScene{"wave/rain"});
  wait_for_compiler();
  EXPECT_EQ(session_->run().kernel, "auto");
  EXPECT_TRUE(session_->kernel_editor().error().empty());
}

TEST_F(UiKernelEditor, KeepsReasonOfRevertUntilNextEdit) {
  enable_editing();
  click("Edited");
  std::string text = built_in();
  const std::string result = "multiply_add(courant2, laplacian, memory)";
  compile(text.replace(text.find(result), result.size(), "u / (u - u)"));
  experiment_->advance(1);
  for (int k = 0; k < 20 * 60; ++k) session_->end_frame(1.0 / 60, 0.004);  // longer than the status line shows it
  frame();
  EXPECT_EQ(session_->run().kernel, "auto");
  EXPECT_TRUE(shows("not a finite number"));
  compile(built_in());
  EXPECT_FALSE(shows("not a finite number"));
}

TEST_F(UiKernelEditor, TextFromAFileIsCompiledOnlyAfterAClick) {
  const std::string text = "// peculiar words\n" + built_in();
  const std::string file = write("new.h", text);
  session_->execute(OpenFile{file});
  frame();
  frame();
  EXPECT_FALSE(shows("Kernel from a file")) << "editing is off";
  enable_editing();
  for (const bool accept : {false, true}) {
    session_->execute(OpenFile{file});
    frame();
    frame();
    EXPECT_TRUE(shows("Kernel from a file"));
    EXPECT_TRUE(shows("new.h"));
    EXPECT_TRUE(shows("peculiar words"));
    EXPECT_EQ(session_->run().kernel, "auto");
    click(accept ? "Compile and use" : "Do not compile");
    wait_for_compiler();
    EXPECT_FALSE(shows("Kernel from a file"));
    EXPECT_EQ(session_->run().kernel, accept ? edited_kernel_id(text) : "auto");
  }
}

TEST_F(UiKernelEditor, ScriptWithAnEditedKernelIsOpenedOnlyAfterAClick) {
  enable_editing();
  const std::string file = write("run.toml",
                                 "start = [\"wave/droplet\", \"--size\", \"64x64\"]\nsteps = 3\n[[event]]\nstep = 1\n"
                                 "kernel = \"edited:this is no kernel at all\"\n");
  session_->execute(OpenFile{file});
  frame();
  frame();
  EXPECT_TRUE(shows("is no kernel at all"));
  const int scenes = session_->scenes();
  click("Do not compile");
  EXPECT_EQ(session_->scenes(), scenes);
}

TEST_F(UiKernelEditor, IsGreyedWhereKernelsCannotBeEdited) {
  enable_editing();
  session_->execute(OpenScene{"fibers"});
  frame();
  frame();
  EXPECT_TRUE(shows("The kernels of this simulation cannot be edited."));
}

TEST_F(UiKernelEditor, SavesTheText) {
  session_->output().set_chosen(path(""));
  session_->execute(SaveKernelText{"// my kernel\n"});
  ASSERT_EQ(files(), 1U);
  const std::filesystem::path saved = std::filesystem::directory_iterator(path(""))->path();
  EXPECT_EQ(saved.extension(), ".h");
  EXPECT_EQ(read(saved.filename().string()), "// my kernel\n");
}

}  // namespace
}  // namespace perturb
