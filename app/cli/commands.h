// The subcommands. Each prints its result and returns the exit code. The caller handles InputError and Error.
#pragma once

#include <string>
#include <vector>

#include "app/cli/child_process.h"
#include "app/cli/options.h"

namespace perturb {

int run_command(const RunOptions& options);
int list_command(const ListOptions& options);
int paper_items_command(const PaperOptions& options);
int lesson_command(const LessonOptions& options);
int puzzle_command(const PuzzleOptions& options);
int results_command(const ResultsOptions& options);
int sweep_command(const SweepOptions& options);
int verify_command(const VerifyOptions& options);
int bench_command(const BenchOptions& options);
int doctor_command(const DoctorOptions& options);

// Of a process of doctor_command: reports what a run without a window would find.
std::string describe_offscreen(const std::vector<std::string>& arguments);
inline constexpr ProcessTask offscreen_task = text_task<describe_offscreen>("@offscreen");

}  // namespace perturb
