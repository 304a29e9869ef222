// The modules of app/: what they include, what they link, and the page that draws them (scripts/modules.py).
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/app/files_scratch.h"
#include "tests_places.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

const fs::path sources = PERTURB_SOURCE_DIR;

class Modules : public ScratchFolder {
 protected:
  Outcome check(const std::string& root) const {
    return shell("python3 '" + (sources / "scripts/modules.py").string() + "' --check --root '" + root + "'");
  }
  // A copy of the checked files, to introduce errors in.
  void SetUp() override {
    ScratchFolder::SetUp();
    fs::create_directory(path("docs"));
    fs::copy(sources / "app", path("app"), fs::copy_options::recursive);
    fs::copy(sources / "cuda", path("cuda"), fs::copy_options::recursive);
    fs::copy_file(sources / "docs/architecture.md", path("docs/architecture.md"));
  }
  void add_line(const std::string& file, const std::string& line) const {
    std::ofstream(path(file), std::ios::app) << line << "\n";
  }
  void expect_violation(const std::string& sentence) const {
    const Outcome outcome = check(path(""));
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.out.find(sentence), std::string::npos) << outcome.out;
  }
};

TEST_F(Modules, IncludesLinksAndDrawingAgree) {
  const Outcome outcome = check(sources.string());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Modules, ReportsIncludeFromUnlinkedModule) {
  add_line("app/render/gl/context.cpp", "#include \"app/io/files/text_file.h\"");
  expect_violation("includes \"app/io/files/text_file.h\", but perturb_gl does not link perturb_files");
  expect_violation("docs/architecture.md: the drawing is not what the includes say");
}

TEST_F(Modules, ReportsCycleEvenIfLinked) {
  add_line("app/run/experiment.h", "#include \"app/session/session.h\"");
  add_line("app/run/CMakeLists.txt", "target_link_libraries(perturb_run PUBLIC perturb_session)");
  expect_violation("A cycle of modules: ");
  expect_violation("perturb_run must do without HDF5");  // because perturb_session links it
}

TEST_F(Modules, ReportsLibraryIncludedWithoutLink) {
  add_line("app/session/labels.cpp", "#include <imgui.h>");
  expect_violation("includes \"imgui.h\", but perturb_session does not link PkgConfig::IMGUI");
}

TEST_F(Modules, ReportsUnusedLink) {
  add_line("app/render/gl/CMakeLists.txt", "target_link_libraries(perturb_gl PRIVATE perturb_files)");
  expect_violation("perturb_gl links perturb_files, but includes nothing from it");
}

TEST_F(Modules, KeepsPresetsFreeOfWindowLibraries) {
  add_line("app/io/preset/presets.cpp", "#include \"app/render/gl/window.h\"");
  add_line("app/io/preset/CMakeLists.txt", "target_link_libraries(perturb_preset PRIVATE perturb_gl)");
  expect_violation("perturb_preset must do without GLFW");
}

TEST_F(Modules, ReportsIncludeOfAParticularSimulation) {
  add_line("app/ui/panels/panels.cpp", "#include \"cuda/wave/wave.h\"");
  add_line("cuda/core/simulation/setup.h", "#include \"cuda/lbm/lbm.h\"");
  expect_violation("app/ must not depend on a particular simulation");
  expect_violation("core must not depend on cuda/lbm");
}

}  // namespace

}  // namespace perturb
