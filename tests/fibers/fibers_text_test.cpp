// Fibers as text: what is read is what was written.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/state/text.h"
#include "tests/support/error_thrown_by.h"

namespace perturb::fibers {
namespace {

perturb::Setup fiber_base(std::map<std::string, double> parameters = {}) {
  perturb::Setup setup;
  setup.simulation = "fibers";
  setup.parameters = std::move(parameters);
  return setup;
}

TextStart read_fibers(const std::string& text) { return read_text(text, "fibers.csv", fiber_base()); }

std::unique_ptr<Simulation> run_of(Backend& backend, const TextStart& text) {
  auto run = fibers_simulation().create(backend, text.setup);
  run->load(text.state);
  return run;
}

TEST(FibersText, ReadsTwoFibers) {
  const auto cpu = Backend::make_cpu(1);
  const TextStart text =
      read_fibers("# upright, side by side\n tz, tx,ty, x,y,z\n\n1,0,0,-0.5,0,0 # one\n3,0,0,0.5,0,2\n");
  EXPECT_EQ(text.steps, 0);
  EXPECT_EQ(text.setup.width, 2);
  const auto run = run_of(*cpu, text);
  EXPECT_EQ(write_text(run->save(), false), "time,fiber,x,y,z,tx,ty,tz\n0,0,-0.5,0,0,0,0,1\n0,1,0.5,0,2,0,0,1\n");
  run->step(2);
  EXPECT_EQ(write_text(run->save(), true).find("time,fiber,x,y,z,tx,ty,tz\n0.2,0,"), 0u);
}

// A run from a text continues at the text's time; without one it begins at 0.
TEST(FibersText, ContinuesAtGivenTime) {
  const auto cpu = Backend::make_cpu(1);
  const std::string head = "time,fiber,x,y,z,tx,ty,tz\n";
  const auto run = run_of(*cpu, read_fibers(head + "0,0,0,0,0,0,0,1\n" + head + "2.5,0,0,0,-2.5,0,0,1\n"));
  EXPECT_EQ(run->time(), 2.5);
  EXPECT_EQ(run->steps(), 25) << "of 0.1";
  run->step(1);
  EXPECT_DOUBLE_EQ(run->time(), 2.6);
  EXPECT_EQ(write_text(run->save(), true).find(head + "2.6,0,"), 0u);
  EXPECT_EQ(run_of(*cpu, read_fibers("x,y,z,tx,ty,tz\n0,0,0,0,0,1\n"))->time(), 0);
  const auto other = run_of(*cpu, read_fibers(head + "2.5,0,0,0,0,0,0,1\n" + "x,y,z,tx,ty,tz\n0,0,0,0,0,1\n"));
  EXPECT_EQ(other->time(), 0) << "the last table has no time";
}

// A lone upright fiber falls at exactly 1, one of half-length 2 at d'/d.
TEST(FibersText, HalfLengthsCount) {
  const auto cpu = Backend::make_cpu(1);
  const auto run = run_of(*cpu, read_fibers("x,y,z,tx,ty,tz,half_length\n0,0,0,0,0,1,2\n"));
  run->step(1);
  const double d = fiber_d(Parameters{}.slenderness);
  const auto z = run->save().get<double>("position", {1, 3})[2];
  EXPECT_NEAR(z, -Parameters{}.time_step * (d + 2 * std::log(2.0)) / d, 1e-12);
}

TEST(FibersText, RoundTripsBitForBit) {
  const auto cpu = Backend::make_cpu(2);
  for (const double spread : {0.0, 0.3}) {
    perturb::Setup setup = fiber_base({{"length_spread", spread}, {"radius", 3}});
    setup.width = 20;
    const auto first = fibers_simulation().create(*cpu, setup);
    const std::string all = write_text(first->save(), false) + "\n" + write_text(first->save(), true);
    const auto second = run_of(*cpu, read_fibers(all));
    EXPECT_EQ(write_text(second->save(), true) + "", write_text(first->save(), true));
    first->select_kernel("stable");
    second->select_kernel("stable");
    first->step(3);
    second->step(3);
    const State a = first->save(), b = second->save();
    for (const char* name : {"position", "tangent", "velocity"})
      EXPECT_TRUE(a.datasets.at(name).bytes == b.datasets.at(name).bytes) << name;
  }
}

TEST(FibersText, RejectsErrorsByLineAndColumn) {
  const auto expect_rejected = [](const std::string& text, const std::string& where, const std::string& word) {
    const std::string error = error_thrown_by([&] { read_fibers(text); });
    EXPECT_EQ(error.find(where), 0u) << error;
    EXPECT_NE(error.find(word), std::string::npos) << error;
  };
  const std::string head = "x,y,z,tx,ty,tz\n";
  expect_rejected("", "fibers.csv:1:1: ", "file is empty");
  expect_rejected(head, "fibers.csv:1:1: ", "No fiber after the headings");
  expect_rejected("1,2,3,0,0,1\n", "fibers.csv:1:1: ", "names the columns");
  expect_rejected("x,y,z,tx,ty\n", "fibers.csv:1:1: ", "tz is missing");
  expect_rejected("x,y,z,tx,ty,tz,colour\n", "fibers.csv:1:16: ", "is not a heading");
  expect_rejected("x,y,z,tx,ty,tz,x\n", "fibers.csv:1:16: ", "twice");
  expect_rejected(head + "0,0,0,0,1\n", "fibers.csv:2:9: ", "5 fields");
  expect_rejected(head + "0,0,0,0,0,1,4\n", "fibers.csv:2:13: ", "7 fields");
  expect_rejected(head + "0,0,zero,0,0,1\n", "fibers.csv:2:5: ", "not a finite number");
  expect_rejected(head + "0,0,0,0,0,nan\n", "fibers.csv:2:11: ", "finite");
  expect_rejected(head + "0,0,2e9,0,0,1\n", "fibers.csv:2:5: ", "must be from");
  expect_rejected(head + "0,0,0,0,0,0\n", "fibers.csv:2:7: ", "not a direction");
  expect_rejected("time,x,y,z,tx,ty,tz\n1,0,0,0,0,0,1\n2,3,0,0,0,0,1\n", "fibers.csv:3:1: ", "one time");
  expect_rejected("time,x,y,z,tx,ty,tz\nsoon,0,0,0,0,0,1\n", "fibers.csv:2:1: ", "not a finite number");
  expect_rejected("x,y,z,tx,ty,tz,half_length\n0,0,0,0,0,1,0.01\n", "fibers.csv:2:13: ", "must be from");
  expect_rejected(head + "0,5,0,0,0,0,1\n", "fibers.csv:2:13: ", "Fields end at a comma");
  expect_rejected("x;y;z;tx;ty;tz\n0;5;0;0;0;0;1\n", "fibers.csv:2:13: ", "Fields end at a semicolon");
  expect_rejected("x;y;z;tx;ty;tz\n1.000,5;0;0;0;0;1\n", "fibers.csv:2:1: ", "not a finite number");
  expect_rejected("x y z tx ty tz\n0 0 0 0 0 1\n", "fibers.csv:1:1: ", "commas, semicolons or tabs");
  expect_rejected(head + "0,0,\"0,0,0,1\n0,0,0,0,0,1\n", "fibers.csv:2:5: ", "quotation mark is not closed");
  expect_rejected(head + "\"0\"5,0,0,0,0,1\n", "fibers.csv:2:4: ", "after a closing quotation mark");
}

// The same two fibers as written by hand, by spreadsheets in two languages, and with what spreadsheets add.
TEST(FibersText, ReadsTablesOfSpreadsheets) {
  const State plain = read_fibers("x,y,z,tx,ty,tz\n-0.5,0,0,0,0,1\n0.5,0,2,0.6,0,0.8\n").state;
  for (const std::string text : {
           "\"x\",\"y\",\"z\",\"tx\",\"ty\",\"tz\"\r\n-0.5,0,0,0,0,1\r\n0.5,0,2,0.6,0,0.8\r\n",
           "\xef\xbb\xbfx,y,z,tx,ty,tz\n\"-0.5\",\"0\",\"0\",\"0\",\"0\",\"1\"\n0.5,0,2,0.6,0,0.8",
           "x;y;z;tx;ty;tz\n-0,5;0;0;0;0;1\n0,5;0;2;0,6;0;0,8\n",
           "x\ty\tz\ttx\tty\ttz\r\n-0,5\t0\t0\t0\t0\t1\r\n0,5\t0\t2\t0,6\t0\t0,8\r\n",
           "x,y,z,tx,ty,tz\n,,,,,\n-0.5,0,0,0,0,1\n,,,,,\n\n0.5,0,2,0.6,0,0.8\n,,,,,\n",
           ";;;;;\nx;y;z;tx;ty;tz;;\n-0.5;0;0;0;0;1;;\n0.5;0;2;0.6;0;0.8;;\n",
           "# a \"comment\n\"x\" , y,z,tx,ty,tz # one more\n-0.5,0,0,0,0,1\n0.5,0,2,0.6,0,0.8\n",
       }) {
    const State read = read_fibers(text).state;
    for (const char* name : {"position", "tangent"})
      EXPECT_TRUE(read.datasets.at(name).bytes == plain.datasets.at(name).bytes) << name << " of " << text;
  }
}

}  // namespace
}  // namespace perturb::fibers
