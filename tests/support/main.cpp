// Main function of every test program. A test that loads a state starts its own program again as a child process, as
// the real program does.
#include <cstdlib>

#include <gtest/gtest.h>

#include "app/edited/compiler.h"
#include "app/edited/kernel_process.h"
#include "app/io/files/process.h"
#include "app/kernels/puzzles/puzzle_process.h"

int main(int argc, char** argv) {
  perturb::run_process_task(argc, argv, {perturb::compiler_task, perturb::kernel_task, perturb::puzzle_task});
  setenv("LC_ALL", "C.UTF-8", 1);  // windows use English, whatever the user's locale
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
