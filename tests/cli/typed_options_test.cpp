// Command lines as users type them: a decimal comma, one number as a size, a missing state file.
#include <string>

#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

using TypedOptions = ScratchFolder;

TEST_F(TypedOptions, ACommaIsRejectedWithThePointNamed) {
  const Outcome outcome = run("wave --headless --backend cpu --size 16x16 --steps 1 --set damping=0,5");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("decimal point"), std::string::npos) << outcome.err;
}

TEST_F(TypedOptions, PrintsBothSidesOfOneNumberSize) {
  const Outcome one = run("wave --headless --backend cpu --size 10 --steps 1");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find(", 10x10 cells: "), std::string::npos) << one.out;
  const Outcome two = run("wave --headless --backend cpu --size 10x12 --steps 1");
  EXPECT_EQ(two.out.find(" cells: "), std::string::npos) << two.out;
}

// A state of such a run would be rejected.
TEST_F(TypedOptions, ASizeThatMakesTheBoxTooWideIsRejected) {
  const Outcome outcome = run("particles --headless --backend cpu --size 9x2 --set count=1 --set box=1e9 --steps 1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("Choose a smaller size or a smaller box"), std::string::npos) << outcome.err;
}

TEST_F(TypedOptions, AMissingStateIsNoMissingScene) {
  for (const char* name : {"x.hdf5", "x.h5", "x.perturb"}) {
    const Outcome outcome = run(std::string(name) + " --headless --steps 1");
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("does not exist"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("scene"), std::string::npos) << outcome.err;
  }
}

TEST_F(TypedOptions, Hdf5IsExportedAndNotSaved) {
  const std::string wave = "wave --headless --backend cpu --size 16x16 --steps 3 ";
  for (const char* name : {"a.h5", "a.HDF5"}) {
    const Outcome outcome = run(wave + "--save " + name);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("--export"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
  EXPECT_EQ(run(wave + "--export a.perturb").code, 2);
  EXPECT_EQ(run(wave + "--export a.h5 --save a.perturb").code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("a.h5")));
  EXPECT_EQ(run("a.perturb --headless --backend cpu --steps 1").code, 0);
  EXPECT_NE(run("a.h5 --headless --backend cpu --steps 1").err.find("h5_to_perturb.py"), std::string::npos);
}

}  // namespace
}  // namespace perturb
