// Child processes that return one result (app/cli/child_process.h).
#include "app/cli/child_process.h"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

std::string output_of_shell(const std::string& script, double seconds = 60, const StopRequest* stop = nullptr) {
  return output_of_program("/bin/sh", {"-c", script}, seconds, stop);
}

std::string error_of_shell(const std::string& script, double seconds = 60, const StopRequest* stop = nullptr) {
  try {
    output_of_shell(script, seconds, stop);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(OwnProcess, OutputIsComplete) {
  // More than a pipe can buffer.
  EXPECT_EQ(output_of_shell("head -c 200000 /dev/zero | tr '\\0' x"), std::string(200000, 'x'));
  EXPECT_EQ(output_of_shell("exit 0"), "");
}

TEST(OwnProcess, FailureIsAnErrorWithItsMessage) {
  EXPECT_EQ(error_of_shell("printf 'No such thing: take another.'; exit 1"), "No such thing: take another.");
  EXPECT_NE(error_of_shell("exit 3").find("exit code 3"), std::string::npos);
  EXPECT_NE(error_of_shell("kill -9 $$").find("signal 9"), std::string::npos);
  EXPECT_THROW(output_of_program("/no/such/program", {}, 60), Error);
}

TEST(OwnProcess, ProcessThatHangsIsKilled) {
  EXPECT_NE(error_of_shell("exec sleep 1000", 0.2).find("0.2 s"), std::string::npos);
  // One that ignores termination signals, and one that has closed its output.
  EXPECT_NE(error_of_shell("trap '' TERM INT; exec sleep 1000", 0.2).find("0.2 s"), std::string::npos);
  EXPECT_NE(error_of_shell("exec sleep 1000 >&-", 0.2).find("0.2 s"), std::string::npos);
  StopRequest stop;
  stop.request_stop();
  EXPECT_EQ(error_of_shell("exec sleep 1000", 1e9, &stop), "it was interrupted");
}

TEST(OwnProcess, ChildInheritsOnlyStandardFiles) {
  constexpr int other = 50;
  ASSERT_EQ(dup2(STDERR_FILENO, other), other);
  EXPECT_EQ(output_of_shell("for file in 0 1 2 50; do test -e /proc/$$/fd/$file && printf \"$file \"; done; exit 0"),
            "0 1 2 ");
  close(other);
}

}  // namespace
}  // namespace perturb
