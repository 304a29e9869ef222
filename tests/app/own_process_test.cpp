// What `doctor` looks at in a process of its own.
#include "app/cli/own_process.h"

#include <csignal>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cuda/core/check.h"

namespace perturb {
namespace {

TEST(OwnProcess, TellsWhatItFoundAndLeavesNothing) {
  int touched = 0;
  // More than a pipe holds at once.
  const std::string long_text(200000, 'x');
  EXPECT_EQ(told_by_own_process([&] {
              touched = 1;
              return long_text;
            }),
            long_text);
  EXPECT_EQ(touched, 0);
  EXPECT_EQ(told_by_own_process([] { return std::string(); }), "");
}

TEST(OwnProcess, WhatItThrowsArrivesInItsWords) {
  try {
    told_by_own_process([]() -> std::string { throw InputError("No such thing: take another."); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "No such thing: take another.");
  }
}

TEST(OwnProcess, ItsDeathIsAFinding) {
  try {
    told_by_own_process([]() -> std::string {
      std::raise(SIGKILL);
      return "alive";
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("signal 9"), std::string::npos) << error.what();
  }
}

TEST(OwnProcess, OneThatHangsIsEnded) {
  const auto hang = []() -> std::string {
    for (;;) pause();
  };
  EXPECT_THROW(told_by_own_process(hang, 0.2), Error);
  StopRequest stop;
  stop.ask();
  EXPECT_THROW(told_by_own_process(hang, 1e9, &stop), Error);
}

}  // namespace
}  // namespace perturb
