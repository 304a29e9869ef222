// The editor of kernels, and the dialog about a text from a file, laid out by ImGui without a screen.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/cli/window_start.h"
#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/app/files_scratch.h"
#include "tests/support/drawn_text.h"

namespace perturb {
namespace {

class UiKernelEditor : public ScratchFolder {
 protected:
  static Scene tank(const std::string& scene = "wave/droplet") {
    Scene s = load_scene(scene);
    s.setup.width = s.setup.height = 64;
    return s;
  }
  void SetUp() override {
    ScratchFolder::SetUp();
    session_.file_opener().set_script_reader(read_script_run);
    session_.execute(ShowTab{Tab::kernels});
    draw(), draw();
  }
  void draw() {
    session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    session_.observe(true);
    gui_.begin_frame(layout_, 1.0 / 60);
    panels_.draw(session_, gui_.style(), layout_, {"host-mapped", ""});
    gui_.end_frame();
    session_.end_frame(1.0 / 60, 0.004);
  }
  void enable() {
    Preferences preferences = session_.interface().preferences;
    preferences.edit_kernels = true;
    session_.execute(ChangePreferences{preferences});
    draw(), draw();
  }
  bool shows(const std::string& part) const { return !find_drawn_text(part).text.empty(); }
  void click(const std::string& text) {
    const DrawnText drawn = find_drawn_text(text);
    ASSERT_FALSE(drawn.text.empty()) << text;
    click_on(drawn, [this] { draw(); });
  }
  // Draws frames until the compiler has finished.
  void wait_for_compiler() {
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      draw();
    } while (session_.kernel_editor().is_compiling());
    draw();
  }
  void compile(const std::string& text) {
    session_.execute(CompileKernel{text});
    wait_for_compiler();
  }
  std::string built_in() const { return std::string(session_.run().kernel_source->built_in_text()); }
  // With a line "mistake" before the returned value of wave_advance.
  std::string with_mistake() const {
    std::string text = built_in();
    return text.insert(text.find("  return multiply_add(courant2, laplacian, memory);"), "  mistake;\n");
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 2};
  Layout layout_ = make_layout(1600, 2200, 1, 1, true);
};

TEST_F(UiKernelEditor, IsOffUntilTheUserEnablesIt) {
  EXPECT_TRUE(shows("Switch on"));
  click("Edited");
  EXPECT_FALSE(shows("Update of a cell"));
  session_.execute(CompileKernel{built_in()});
  EXPECT_EQ(session_.run().kernel, "auto");
  EXPECT_TRUE(session_.message().is_error);
  enable();
  EXPECT_FALSE(shows("Switch on"));
  click("Edited");
  EXPECT_TRUE(shows("Update of a cell"));
  EXPECT_TRUE(shows("Built-in text"));
  EXPECT_TRUE(shows("The built-in kernel is in use."));
}

TEST_F(UiKernelEditor, ShowsTheBuiltInTextWithLineNumbers) {
  enable();
  click("Edited");
  EXPECT_EQ(panels_.states().kernel_editor.text, built_in());
  EXPECT_TRUE(shows("wave_advance(Real u, Real u_previous"));
  const Rect number = find_drawn_text("57").box, text = find_drawn_text("PERTURB_HD inline Real wave_advance").box;
  EXPECT_GT(number.width, 0);
  EXPECT_LT(number.x + number.width, text.x);
}

TEST_F(UiKernelEditor, CompilesAndReverts) {
  enable();
  click("Edited");
  click("Compile");
  wait_for_compiler();
  EXPECT_EQ(session_.run().kernel, edited_kernel_id(built_in()));
  EXPECT_TRUE(shows("The edited kernel is in use."));
  experiment_.advance(2);
  click("Built-in text");
  EXPECT_EQ(session_.run().kernel, "auto");
  session_.execute(CommandId::undo);
  draw(), draw();
  EXPECT_EQ(session_.run().kernel, edited_kernel_id(built_in()));
}

TEST_F(UiKernelEditor, ShowsErrorsAtTheirLine) {
  enable();
  click("Edited");
  const std::string text = with_mistake();
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("mistake")), '\n');
  compile(text);
  EXPECT_TRUE(shows("Line " + std::to_string(line) + ", column 3:"));
  EXPECT_EQ(session_.run().kernel, "auto");
  compile(built_in());
  EXPECT_FALSE(shows("column 3:"));
}

TEST_F(UiKernelEditor, RunContinuesWhileTextIsCompiled) {
  enable();
  session_.execute(CompileKernel{built_in() + "// new"});
  ASSERT_TRUE(session_.kernel_editor().is_compiling());
  EXPECT_EQ(session_.run().kernel, "auto");
  experiment_.advance(3);
  draw();
  EXPECT_EQ(session_.run().steps, 3);
  wait_for_compiler();
  EXPECT_EQ(session_.run().kernel, edited_kernel_id(built_in() + "// new"));
  EXPECT_EQ(session_.run().steps, 3);
}

TEST_F(UiKernelEditor, TextIsNotUsedInAnotherScene) {
  enable();
  session_.execute(CompileKernel{built_in() + "// for the droplet"});
  session_.execute(OpenScene{"wave/rain"});
  wait_for_compiler();
  EXPECT_EQ(session_.run().kernel, "auto");
  EXPECT_TRUE(session_.kernel_editor().error().empty());
}

TEST_F(UiKernelEditor, KeepsReasonOfRevertUntilNextEdit) {
  enable();
  click("Edited");
  std::string text = built_in();
  const std::string result = "multiply_add(courant2, laplacian, memory)";
  compile(text.replace(text.find(result), result.size(), "u / (u - u)"));
  experiment_.advance(1);
  for (int k = 0; k < 20 * 60; ++k) session_.end_frame(1.0 / 60, 0.004);  // longer than the status line shows it
  draw();
  EXPECT_EQ(session_.run().kernel, "auto");
  EXPECT_TRUE(shows("not a finite number"));
  compile(built_in());
  EXPECT_FALSE(shows("not a finite number"));
}

TEST_F(UiKernelEditor, TextFromAFileIsCompiledOnlyAfterAClick) {
  const std::string text = "// peculiar words\n" + built_in();
  const std::string file = write("new.h", text);
  session_.execute(OpenFile{file});
  draw(), draw();
  EXPECT_FALSE(shows("Kernel from a file")) << "editing is off";
  enable();
  for (const bool accept : {false, true}) {
    session_.execute(OpenFile{file});
    draw(), draw();
    EXPECT_TRUE(shows("Kernel from a file"));
    EXPECT_TRUE(shows("new.h"));
    EXPECT_TRUE(shows("peculiar words"));
    EXPECT_EQ(session_.run().kernel, "auto");
    click(accept ? "Compile and use" : "Do not compile");
    wait_for_compiler();
    EXPECT_FALSE(shows("Kernel from a file"));
    EXPECT_EQ(session_.run().kernel, accept ? edited_kernel_id(text) : "auto");
  }
}

TEST_F(UiKernelEditor, ScriptWithAnEditedKernelIsOpenedOnlyAfterAClick) {
  enable();
  const std::string file = write("run.toml",
                                 "start = [\"wave/droplet\", \"--size\", \"64x64\"]\nsteps = 3\n[[event]]\nstep = 1\n"
                                 "kernel = \"edited:this is no kernel at all\"\n");
  session_.execute(OpenFile{file});
  draw(), draw();
  EXPECT_TRUE(shows("this is no kernel at all"));
  const int scenes = session_.scenes();
  click("Do not compile");
  EXPECT_EQ(session_.scenes(), scenes);
}

TEST_F(UiKernelEditor, IsGreyedWhereKernelsCannotBeEdited) {
  enable();
  session_.execute(OpenScene{"fibers"});
  draw(), draw();
  EXPECT_TRUE(shows("The kernels of this simulation cannot be edited."));
}

TEST_F(UiKernelEditor, SavesTheText) {
  session_.output().set_chosen(path(""));
  session_.execute(SaveKernelText{"// my kernel\n"});
  ASSERT_EQ(files(), 1U);
  const std::filesystem::path saved = std::filesystem::directory_iterator(path(""))->path();
  EXPECT_EQ(saved.extension(), ".h");
  EXPECT_EQ(read(saved.filename().string()), "// my kernel\n");
}

}  // namespace
}  // namespace perturb
