#include "app/ui/kernels/puzzle_card.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/edited/edited_kernel.h"
#include "app/i18n/language.h"
#include "app/io/preset/lesson_text.h"
#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/access_map.h"
#include "app/kernels/puzzles/puzzle_check.h"
#include "app/ui/kernels/access_map_view.h"
#include "app/ui/kernels/kernel_text.h"
#include "app/ui/widgets/fonts.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// The puzzle at an index, with the text that the user has written for it or the one to begin with.
void show_puzzle(PuzzleCardState& state, std::size_t index) {
  state.texts[all_puzzles()[state.index].id] = state.field.text;
  state.index = index;
  const Puzzle& puzzle = all_puzzles()[index];
  const auto own = state.texts.find(puzzle.id);
  set_text(state.field, own == state.texts.end() ? puzzle.start : own->second);
  state.field.replaced.clear();
  state.field.takes_focus = true;  // Ctrl+Enter checks it
  state.hints = 0;
  state.shows_accesses = false;
}

void draw_task(const Panel& panel, const Puzzle& puzzle, int hints) {
  for (const std::string& paragraph : paragraphs_of(puzzle.task)) draw_wrapped(paragraph, color::text);
  ImGui::PushFont(panel.style.code);
  draw_wrapped(Message::value("__global__ void kernel(" + puzzle.signature + ")"));
  ImGui::PopFont();
  for (const PuzzleGoal& goal : puzzle.goals)
    for (const PuzzleCount& count : puzzle_counts())
      if (count.count == goal.count) draw_wrapped({"Goal: {}: at most {}", Message(count.label), count_text(goal.max)});
  for (int k = 0; k < hints; ++k)
    draw_wrapped({"Hint {}: {}", k + 1, Message(puzzle.hints[static_cast<std::size_t>(k)])}, color::text);
  ImGui::Dummy(ImVec2(0, panel.style.px(2)));
}

void draw_score(const Puzzle& puzzle, const PuzzleScore& score) {
  for (const PuzzleCount& count : puzzle_counts()) {
    const double value = score.*count.count;
    if (value > 0) draw_wrapped({"{}: {}", Message(count.label), count_text(value)});
  }
  if (!puzzle.built_in.empty())
    draw_wrapped({"The built-in kernel {} needs at least {} bytes per cell and step.", puzzle.built_in,
                  format_number(puzzle.built_in_bytes, 3)});
  draw_wrapped("Counted on the processor as a GPU without caches moves it; not timed.");
}

// Of the last check, if it was one of this puzzle; null: none.
const AccessMap* accesses_of_check(const PuzzleController& puzzles, const Puzzle& puzzle) {
  if (puzzles.puzzle() != puzzle.id || !puzzles.result()) return nullptr;
  return puzzles.result()->accesses.get();
}

// The task, or what the threads did in the last check.
void draw_task_or_accesses(const Panel& panel, PuzzleCardState& state, const Puzzle& puzzle) {
  const PuzzleController& puzzles = panel.session.puzzles();
  const AccessMap* const accesses = accesses_of_check(puzzles, puzzle);
  if (state.checks != puzzles.checks()) {
    state.checks = puzzles.checks();
    state.shows_accesses = accesses != nullptr;
    if (accesses) state.thread = accesses->thread;
  }
  if (!accesses) return draw_task(panel, puzzle, state.hints);
  constexpr const char* labels[] = {"Task", "Accesses"};
  int chosen = state.shows_accesses ? 1 : 0;
  segmented_control(panel.style, "##part", labels, 2, chosen, panel.style.px(220));
  state.shows_accesses = chosen == 1;
  if (state.shows_accesses)
    draw_access_map(panel.style, *accesses, state.thread, ImGui::GetContentRegionAvail());
  else
    draw_task(panel, puzzle, state.hints);
}

void draw_result(const Panel& panel, const Puzzle& puzzle) {
  const PuzzleController& puzzles = panel.session.puzzles();
  if (puzzles.is_checking()) return draw_wrapped("Checking ...");
  if (puzzles.puzzle() != puzzle.id) return;
  if (!puzzles.error().empty()) return draw_compile_problems(puzzles.problems(), puzzles.error());
  if (!puzzles.result()) return;
  const PuzzleResult& result = *puzzles.result();
  if (result.is_solved())
    draw_wrapped("Solved: all cells are right.", color::good);
  else
    draw_wrapped(result.complaint, color::bad);
  if (result.score) draw_score(puzzle, *result.score);
}

}  // namespace

bool puzzle_card_is_shown(const Panel& panel, const PuzzleCardState& state) {
  const Preferences& preferences = panel.interface().preferences;
  return state.open && preferences.edit_kernels && !preferences.simple;
}

void draw_puzzle_card(const Panel& panel, PuzzleCardState& state) {
  if (!puzzle_card_is_shown(panel, state)) return;
  const std::vector<Puzzle>& all = all_puzzles();
  if (!state.begun) {
    state.begun = true;
    set_text(state.field, all[state.index].start);
  }
  const Style& style = panel.style;
  begin_card_over_view(panel, "##puzzle");
  const Puzzle& puzzle = all[state.index];
  const Message number("{} of {}: {}", state.index + 1, all.size(), Message(puzzle.title));
  const bool is_solved = panel.session.puzzles().is_solved(puzzle.id);
  ImGui::PushFont(style.strong);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(is_solved ? Message("{} (solved)", number) : number).c_str());
  ImGui::PopFont();
  const float button = style.px(26);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
  if (icon_button(style, "close", Icon::close, button)) state.open = false;
  tooltip(style, "Close the puzzles");

  bool check = text_button(style, "Check text", true);
  tooltip(style, "Compile, run and score this text  (Ctrl+Enter)");
  ImGui::SameLine(0, style.gap());
  std::size_t next = state.index;
  if (text_button(style, "Previous", false) && next > 0) --next;
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Next", false) && next + 1 < all.size()) ++next;
  ImGui::SameLine(0, style.gap());
  const int texts = state.field.texts;
  draw_replace_button(style, state.field, puzzle.start, "Start text", "Return to the text to begin with");
  if (state.field.texts != texts) state.field.takes_focus = true;
  // The last button: no other one moves below the pointer when the last hint is shown.
  if (state.hints < static_cast<int>(puzzle.hints.size())) {
    ImGui::SameLine(0, style.gap());
    if (text_button(style, "Hint", false)) {
      ++state.hints;
      state.shows_accesses = false;
      state.field.takes_focus = true;
    }
  }

  const float height = ImGui::GetContentRegionAvail().y;
  ImGui::BeginChild("##task", ImVec2(0, (state.shows_accesses ? 0.55f : 0.35f) * height), false);
  draw_task_or_accesses(panel, state, puzzle);
  ImGui::EndChild();
  const bool shows_problems = panel.session.puzzles().puzzle() == puzzle.id;
  static const std::vector<CompileProblem> none;
  check |= draw_kernel_text(style, state.field, shows_problems ? panel.session.puzzles().problems() : none,
                            shows_problems && panel.session.puzzles().is_checking(),
                            (state.shows_accesses ? 0.25f : 0.38f) * height);
  ImGui::BeginChild("##result", ImVec2(0, 0), false);
  draw_result(panel, puzzle);
  ImGui::EndChild();
  if (check) {
    panel.ask(CheckPuzzle{puzzle.id, state.field.text});
    state.field.takes_focus = true;
  }
  if (next != state.index) show_puzzle(state, next);
  end_card_over_view(panel);
}

}  // namespace perturb
