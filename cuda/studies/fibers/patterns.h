// Patterns of memory access by threads, good and bad: the paper's figures 5.7 to 5.10 (Eriksson 2014), and its
// algorithms 5.2 to 5.5.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"

namespace perturb::fibers {

// Addresses of a thread's numbers in global memory, for blocks in which the last threads have no work.
enum class GlobalPattern {
  padded,  // next to those of its neighbours, with slots for threads without work, so that each block begins with a
           // whole segment: figure 5.8
  packed,  // the same without these slots, so that blocks begin anywhere: figure 5.7
  own      // a thread's own side by side: neighbours access different segments
};
const char* name_of(GlobalPattern pattern);

// The numbers of `blocks` blocks of 128 threads, of which `working` have work and move `numbers` numbers each from one
// field to another.
struct GlobalTraffic {
  static constexpr int block = 128;
  int blocks = 0, working = 120, numbers = 36;
  std::size_t threads() const { return static_cast<std::size_t>(blocks) * block; }
  // Numbers that a field takes, whatever the pattern.
  std::size_t size() const { return threads() * static_cast<std::size_t>(numbers); }
  // Bytes that are read and written.
  double bytes() const { return 2.0 * sizeof(double) * blocks * working * numbers; }
};
void move_numbers(Backend& backend, GlobalPattern pattern, const GlobalTraffic& traffic, const double* from,
                  double* to);

// Addresses of the six numbers of a thread in a block's shared memory.
enum class SharedPattern {
  rows,         // single precision, next to those of its neighbours: figure 5.9
  one_bank,     // single precision, all of a warp in one bank
  rows_double,  // double precision in rows: two threads in a bank at once on compute capability 1.3, figure 5.10
  halves,       // double precision as two rows of halves: without conflicts there, and with more instructions
  own_double    // double precision, a thread's own six side by side
};
const char* name_of(SharedPattern pattern);

// A recursion of `turns` turns over those six numbers in each of `blocks` blocks of 128 threads; results [blocks·128].
// Throws Error without CUDA.
void run_shared_pattern(Backend& backend, SharedPattern pattern, int blocks, int turns, double* results);

// A value that alternates between two in each turn of a loop, and the sums of six numbers with the matrix of Legendre
// polynomials, which is the same for all threads.
enum class LoopPattern {
  recomputed,  // a - b c with b = 1, -1, ...: algorithm 5.2
  kept,        // both values in registers: algorithm 5.3
  global,      // the sums of algorithm 5.4, with the matrix in global memory
  shared,      // in shared memory
  constant,    // in constant memory
  tiled        // algorithm 5.5: in shared memory, and six partial sums of each thread too
};
const char* name_of(LoopPattern pattern);
constexpr int legendre_size = 6;  // rows and columns of the matrix, and numbers of a thread

// `turns` turns of such a loop in each of `blocks` blocks of 128 threads. `numbers` [parts·6·blocks·128]: of the sums,
// a part for each turn; `results` [6·blocks·128], of which the alternating value takes a sixth. Throws Error without
// CUDA.
void run_loop_pattern(Backend& backend, LoopPattern pattern, int blocks, int turns, int parts, const double* numbers,
                      double* results);

namespace detail {
void loop_pattern_cuda(Backend&, LoopPattern, int blocks, int turns, int parts, const double* numbers, double* results);
void shared_pattern_cuda(Backend&, SharedPattern, int blocks, int turns, double* results);
}  // namespace detail

}  // namespace perturb::fibers
