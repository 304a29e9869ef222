#include "app/cli/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "app/cli/option_set.h"
#include "app/cli/version.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

namespace {

bool is_subcommand(const std::string& word) {
  return std::find(command_names().begin(), command_names().end(), word) != command_names().end();
}

// "help bench" is "bench --help".
void read_help_command(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return;
  words.erase(words.begin());
  if (!words.empty() && !is_subcommand(words.front()))
    throw InputError("There is no command \"{}\"{}", words.front(),
                     did_you_mean(words.front(), command_names(), ". \"perturb --help\" lists them."));
  words.push_back("--help");
}

void describe_list(OptionSet& options, ListOptions& list) {
  const std::string group = "Options";
  options.text("SIM", "", "A simulation, or a scene with its values (wave/rain); default: all simulations", group,
               list.listed);
  options.flag("--json", "Print JSON", group, list.json);
}

void describe_paper(OptionSet& options, PaperOptions& paper) {
  const std::string group = "Options";
  options.text("PAPER", "", "A paper (fibers), or its simulation; default: list all", group, paper.paper);
  options.text("ITEM", "", "A place (\"table 6.1\") or words of a claim; default: the main claims", group, paper.item);
  options.flag("--json", "Print JSON", group, paper.json);
}

void describe_lesson(OptionSet& options, LessonOptions& lesson) {
  const std::string group = "Options";
  options.text("LESSON", "", "A lesson (wave/two-slits) or a lesson file (mine.toml); default: list all", group,
               lesson.lesson);
  options.flag("--headless", "Run all steps without a window and compare measurement with theory", group,
               lesson.headless);
  options.text("--screenshot", "DIR|FILE.png",
               "The same, with an image of each step in a folder, or of the last one in a file", group,
               lesson.screenshot);
  options.value("--step", "N", "Stop after this step (default: the last)", group,
                [&](const std::string& text) { lesson.last_step = parse_whole("--step", text, 1, 1e6); });
  options.text("--sketch", "FILE.csv", "Without a window: the curve to draw as the answer, in lines x,y", group,
               lesson.sketch);
  options.text(
      "--answers", "FILE",
      "Without a window: a line for each question with a number, the letter of a choice, the file of a "
      "sketch, or for a task PARAMETER = VALUE or the file of an edited kernel; \"5 | 20\": first and second try",
      group, lesson.answers);
  options.flag("--edited-kernels", "Compile the kernels that the answers name: only if you trust them", group,
               lesson.edited_kernels);
  options.text("--result", "FILE.csv", "Without a window: write the answers and points as a result sheet", group,
               lesson.result);
  options.text("--sheet", "FILE.html", "Write the lesson on paper, for teachers: aim, time, questions and answers",
               group, lesson.sheet);
  options.text("--student", "NAME", "Name of the student in the result sheet", group, lesson.student);
  add_backend(options, lesson.backend, lesson.threads, group);
  add_window_size(options, lesson.window_size, lesson.window_size_given, group);
  add_fresh(options, lesson.fresh, group);
  add_frame_rate(options, lesson.frame_rate, group);
  add_output_folder(options, lesson.output_folder, group);
  add_language(options, lesson.language, group);
  options.value("--ui-scale", "X", "Scale of the panels (default: that of the monitor)", group,
                [&](const std::string& text) { lesson.ui_scale = parse_real("--ui-scale", text, 0.5, 4); });
}

void describe_puzzle(OptionSet& options, PuzzleOptions& puzzle) {
  const std::string group = "Options";
  options.text("PUZZLE", "", "A puzzle (guard); default: list all", group, puzzle.puzzle);
  options.text("FILE", "", "The file with your text of the kernel, which is compiled and run; default: show the task",
               group, puzzle.file);
  options.value("--hint", "N", "Print the first N hints", group,
                [&](const std::string& text) { puzzle.hint = parse_whole("--hint", text, 1, 100); });
  options.flag("--start", "Print the text to begin with; with --image, check it", group, puzzle.start);
  options.flag("--solution", "Print a solution; with --image, check it", group, puzzle.solution);
  options.text("--image", "FILE.png", "Image of the cells that the threads of a block read and write", group,
               puzzle.image);
  options.flag("--json", "Print the list or the result as JSON", group, puzzle.json);
}

void describe_serve(OptionSet& options, ServeOptions& serve) {
  const std::string group = "Options";
  options.text("SCENE", "", "A scene (wave/double-slit); default: the first one", group, serve.scene);
  options.flag("--lan", "For everybody in the local network who has the code, not for this computer alone", group,
               serve.lan);
  options.value("--port", "N", "Port of the server (default: any free one)", group,
                [&](const std::string& text) { serve.port = static_cast<int>(parse_whole("--port", text, 1, 65535)); });
  options.text("--certificate", "FILE.pem", "Certificate for https, with its chain", group, serve.certificate);
  options.text("--key", "FILE.pem", "Key of the certificate", group, serve.key);
  options.flag("--lockstep", "Every browser computes the run itself; only what people do travels. Needs --page", group,
               serve.lockstep);
  options.flag("--own-runs",
               "Every browser has a run of its own, and the teacher sees the answers of a lesson. Needs --page", group,
               serve.own_runs);
  options.text("--page", "FOLDER", "The page with its engine for browsers, made by scripts/web (build/web)", group,
               serve.page);
  options.text("--kernel", "ID", "How a step is computed (default: the fastest that fits)", group, serve.kernel);
  add_backend(options, serve.backend, serve.threads, group);
}

void describe_sweep(OptionSet& options, SweepOptions& sweep) {
  const std::string group = "Options";
  options.text("FILE.toml", "", "The scene, the values of its parameters, and what to record", group, sweep.file);
  options.text("--output", "FILE.jsonl",
               "File for the lines of JSON (default: that of FILE with .jsonl, in this folder; with --shard 2/8 "
               "FILE-2-of-8.jsonl)",
               group, sweep.output);
  options.flag("--resume", "Keep the lines that are in the file, and take the runs that are missing", group,
               sweep.resume);
  options.text(
      "--shard", "I/N|auto|auto/N",
      "Take part I of N of the runs; auto: both from Slurm's array; auto/N: the number of the task from Slurm, "
      "HyperQueue or GNU parallel",
      group, sweep.shard);
  options.value(
      "--at-once", "N", "Runs at the same time (default: one per processor; on a GPU one)", group,
      [&](const std::string& text) { sweep.at_once = static_cast<int>(parse_whole("--at-once", text, 1, 4096)); });
  add_backend(options, sweep.backend, sweep.threads, group,
              "CPU threads of each run (default: 1, more if there are fewer runs than processors)");
}

void describe_results(OptionSet& options, ResultsOptions& results) {
  const std::string group = "Options";
  options.text("FOLDER", "", "Folder with the students' result sheets (.csv) and codes (.txt, lines NAME: CODE)", group,
               results.folder);
  options.value(
      "--code", "\"NAME: CODE\"", "The code that a student has read out; may be given several times", group,
      [&](const std::string& text) { results.codes.push_back(text); }, true);
  options.flag("--questions", "A row for each question instead of one for each student", group, results.questions);
  options.text("--csv", "FILE.csv", "Write the table to a file too", group, results.csv);
}

void describe_verify(OptionSet& options, VerifyOptions& verify) {
  const std::string group = "Options";
  options.text("SIM", "", "A simulation (default: all)", group, verify.simulation);
  add_backend(options, verify.backend, verify.threads, group);
  options.flag("--json", "Print JSON", group, verify.json);
  options.flag("--long", "Include checks that take minutes", group, verify.with_long);
  const std::string presets = "Check presets as the window runs them";
  options.flag("--presets", "Run each preset (SIM, SIM/PRESET or all) and count failures", presets, verify.presets);
  options.flag("--sliders", "The same, each time with one slider at its end", presets, verify.sliders);
  options.value("--slider", "ID", "Only this slider, by the id of its parameter", presets,
                [&](const std::string& text) {
                  verify.slider = text;
                  verify.sliders = true;
                });
  options.value("--minutes", "N", "Simulated window time per preset (default: 60)", presets,
                [&](const std::string& text) {
                  verify.minutes = parse_real("--minutes", text, 0.001, 1e6);
                  verify.presets_only = "--minutes";
                });
  options.value("--seconds", "N", "Time limit per preset (default: 600)", presets, [&](const std::string& text) {
    verify.seconds = parse_real("--seconds", text, 0.001, 1e6);
    verify.presets_only = "--seconds";
  });
  options.value("--at-once", "N", "Presets in parallel, each with its own threads or stream (default: 1)", presets,
                [&](const std::string& text) {
                  verify.at_once = static_cast<int>(parse_whole("--at-once", text, 1, 256));
                  verify.presets_only = "--at-once";
                });
}

void check_puzzle_options(const PuzzleOptions& puzzle) {
  const int prints = (puzzle.hint ? 1 : 0) + (puzzle.start ? 1 : 0) + (puzzle.solution ? 1 : 0);
  if (prints > 1) throw InputError("Only one of --hint, --start and --solution can be printed. Choose one.");
  if (prints > 0 && puzzle.puzzle.empty())
    throw InputError("--hint, --start and --solution need a puzzle. Name one: \"perturb puzzle\" lists them.");
  if (prints > 0 && !puzzle.file.empty())
    throw InputError("A file is checked without --hint, --start and --solution. Leave out one of the two.");
  if (puzzle.json && !puzzle.puzzle.empty() && puzzle.file.empty() && puzzle.image.empty())
    throw InputError("--json prints the list of puzzles, or the result of a file. Name a file, or omit --json.");
  if (puzzle.image.empty()) return;
  if (puzzle.file.empty() && !puzzle.start && !puzzle.solution)
    throw InputError("--image needs a text that is checked. Name its file, or give --start or --solution.");
  check_ending("--image", puzzle.image, ".png");
}

const char* overview =
    "Perturb: interactive physics simulations on the GPU or the CPU.\n"
    "\n"
    "  perturb                      opens a wave tank; click into the water\n"
    "  perturb wave/rain            opens a scene; perturb list shows them all\n"
    "  perturb --load x.perturb     continues a saved state\n"
    "  perturb race [SCENE]         compares kernels, backends or parameters side by side\n"
    "  perturb list                 scenes, presets, parameters\n"
    "  perturb lesson [LESSON]      opens a lesson; without LESSON: lists all lessons\n"
    "  perturb puzzle [NAME [FILE]] checks and scores a kernel that you write; without NAME: lists all puzzles\n"
    "  perturb paper [NAME [ITEM]]  what holds today of the paper that a simulation follows\n"
    "  perturb results FOLDER       tables for a class from the students' result sheets\n"
    "  perturb sweep FILE.toml      many runs over lists, ranges and seeds, with a line of JSON each\n"
    "  perturb serve [SCENE]        lets many browsers see and disturb one run\n"
    "  perturb verify [SIM]         compares the simulations with theory\n"
    "  perturb bench [SIM]          times the kernels\n"
    "  perturb doctor               shows what this machine supports and what Perturb uses\n"
    "\n"
    "\"perturb COMMAND --help\" shows the options of a command. Options of a run:\n";

// CLI11's layout with this program's texts: no dots after options that are only collected as lists.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string line = "Usage: perturb " + name;
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) line += " [" + option->get_name(true) + "]";
    return line + " [OPTIONS]\n\n";
  }
};

}  // namespace

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names = {"run",     "race",  "list",  "lesson", "puzzle", "paper",
                                                 "results", "sweep", "serve", "verify", "bench",  "doctor"};
  return names;
}

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  // `run` is the default subcommand, so that "perturb wave" works; a subcommand must come first.
  std::string name = "run";
  std::vector<std::string> rest = arguments;
  read_help_command(rest);
  const bool overview_asked = !rest.empty() && (rest.front() == "--help" || rest.front() == "-h");
  if (!rest.empty() && rest.front() == "--version") return PrintText{version_text() + "\n"};
  if (!rest.empty() && is_subcommand(rest.front())) {
    name = rest.front();
    rest.erase(rest.begin());
  }

  CLI::App app("", name);
  app.allow_extras();
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Show this help");
  OptionSet options(app);

  RunOptions run;
  ListOptions list;
  PaperOptions paper;
  VerifyOptions verify;
  BenchOptions bench;
  LessonOptions lesson;
  PuzzleOptions puzzle;
  ResultsOptions results;
  ServeOptions serve;
  SweepOptions sweep;
  StudiesGiven studies;
  if (name == "run" || name == "race") add_run_options(options, run);
  if (name == "race") add_race_options(options, run);
  if (name == "list") describe_list(options, list);
  if (name == "paper") describe_paper(options, paper);
  if (name == "lesson") describe_lesson(options, lesson);
  if (name == "puzzle") describe_puzzle(options, puzzle);
  if (name == "results") describe_results(options, results);
  if (name == "serve") describe_serve(options, serve);
  if (name == "sweep") describe_sweep(options, sweep);
  if (name == "verify") describe_verify(options, verify);
  if (name == "bench") add_bench_options(options, bench, studies, simulation_named_in(rest));

  try {
    std::reverse(rest.begin(), rest.end());  // CLI11 takes them from the back
    app.parse(rest);
    options.finish();
  } catch (const CLI::CallForHelp&) {
    return PrintText{(overview_asked ? overview : "") + app.help()};
  } catch (const CLI::ParseError& error) {
    throw InputError("{}. Show the options with \"perturb {} --help\".", error.what(), name);
  }

  choose_study(bench, studies);

  if (name == "list") return list;
  if (name == "paper") return paper;
  if (name == "verify") {
    verify.presets = verify.presets || verify.sliders;
    if (!verify.presets && !verify.presets_only.empty())
      throw InputError("{} needs --presets or --sliders. Add one of them.", verify.presets_only);
    return verify;
  }
  if (name == "bench") return bench;
  if (name == "lesson") return lesson;
  if (name == "puzzle") {
    check_puzzle_options(puzzle);
    return puzzle;
  }
  if (name == "results") return results;
  if (name == "serve") return serve;
  if (name == "sweep") {
    if (sweep.file.empty())
      throw InputError("A sweep needs a file that describes its runs, such as \"perturb sweep strouhal.toml\".");
    check_ending("--output", sweep.output, ".jsonl");
    return sweep;
  }
  if (name == "doctor") return DoctorOptions{};
  if (is_subcommand(run.scene))
    throw InputError("\"{}\" is a command, not a scene. Commands come first, as in \"perturb {}\".", run.scene,
                     run.scene);
  check_run(run);
  return run;
}

}  // namespace perturb
