// Main function of every test program. A test that loads a state starts its own program again as a child process, as
// the real program does.
#include <cstdlib>

#include <gtest/gtest.h>

#include "app/edited/edited_kernel.h"
#include "app/io/state/state_reader.h"
#include "app/kernels/puzzles/puzzle_process.h"

int main(int argc, char** argv) {
  if (perturb::is_state_reader(argc, argv)) perturb::serve_as_state_reader();
  if (perturb::is_kernel_process(argc, argv)) perturb::serve_as_kernel_process(argc, argv);
  if (perturb::is_puzzle_process(argc, argv)) perturb::serve_as_puzzle_process(argc, argv);
  setenv("LC_ALL", "C.UTF-8", 1);  // windows use English, whatever the user's locale
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
