#include "app/ui/panels/lesson_panel.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/i18n/language.h"
#include "app/io/preset/lesson_text.h"
#include "app/io/preset/scenes.h"
#include "app/kernels/kernel_numbers.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/result_code.h"
#include "app/ui/kernels/kernel_panel.h"
#include "app/ui/panels/parameter_panel.h"
#include "app/ui/plots/roofline_plot.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/sketch_pad.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

Message points_text(int points, int of) {
  return of == 1 ? Message("{} of 1 point", points) : Message("{} of {} points", points, of);
}

// A number of the simulation, as the question asks for it.
Message number_in(const LessonQuestion& question, double value) {
  return with_unit(format_number(value * question.shown.factor, 4), question.shown.text);
}

void draw_paragraphs(const Style& style, const std::string& text, ImU32 ink) {
  for (const std::string& paragraph : paragraphs_of(text)) {
    draw_wrapped(paragraph, ink);
    ImGui::Dummy(ImVec2(0, style.px(1)));
  }
}

// A name at the left and a value at the right; on two lines if the column is too narrow.
void draw_labelled_value(const Style& style, const Message& name, const Message& value) {
  const float width = ImGui::GetContentRegionAvail().x, left = style.px(104);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::string label = wrap_text(name, left - style.px(8)), lines = wrap_text(value, width - left);
  list->AddText(at, color::dim, label.c_str());
  list->AddText(ImVec2(at.x + left, at.y), color::text, lines.c_str());
  ImGui::Dummy(ImVec2(width, std::max(ImGui::CalcTextSize(label.c_str()).y, ImGui::CalcTextSize(lines.c_str()).y)));
}

void draw_progress(const Style& style, double share) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(6);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), color::raised, height / 2);
  if (share > 0)
    list->AddRectFilled(at, ImVec2(at.x + std::max(height, width * static_cast<float>(share)), at.y + height),
                        color::accent, height / 2);
  ImGui::Dummy(ImVec2(width, height));
}

// A dot for each step in the colour of its result, with a ring around the open one.
void draw_step_dots(const Style& style, const LessonSession& lesson) {
  const std::size_t count = lesson.lesson().steps.size();
  const float width = ImGui::GetContentRegionAvail().x, radius = style.px(4);
  const float pitch = std::min(4 * radius, width / static_cast<float>(count));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t k = 0; k < count; ++k) {
    const ImVec2 center(at.x + 2 * radius + pitch * static_cast<float>(k), at.y + 2 * radius);
    if (const std::optional<int> points = lesson.points_of(k))
      list->AddCircleFilled(center, radius,
                            *points == max_points_of_answer ? color::good
                            : *points > 0                   ? color::warning
                                                            : color::bad);
    else
      list->AddCircle(center, radius, color::dim, 0, style.px(1));
    if (k == lesson.index()) list->AddCircle(center, 1.75f * radius, color::accent_bright, 0, style.px(1.5f));
  }
  ImGui::Dummy(ImVec2(width, 4 * radius));
}

// One of the answers of a multiple-choice question, over the whole width; it wraps. `ruled_out`: it was a wrong first
// try.
bool draw_answer_choice(const Style& style, int index, const Message& words, bool chosen, bool enabled,
                        bool ruled_out) {
  const float width = ImGui::GetContentRegionAvail().x, letter = style.px(26), pad = style.px(6);
  const std::string lines = wrap_text(words, width - letter - pad);
  const float height = ImGui::CalcTextSize(lines.c_str()).y + 2 * pad;
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  ImGui::PushID(index);
  if (!enabled) ImGui::BeginDisabled();
  const bool pressed = press_area("##choice", ImVec2(width, height));
  if (!enabled) ImGui::EndDisabled();
  ImGui::PopID();
  const bool lit = enabled && (ImGui::IsItemHovered() || ImGui::IsItemFocused());
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, to, chosen ? color::accent_fill : lit ? color::hovered : color::raised, style.px(5));
  const char name[] = {static_cast<char>('A' + index), '\0'};
  list->AddText(ImVec2(at.x + style.px(9), at.y + pad), chosen ? color::accent_bright : color::dim, name);
  list->AddText(ImVec2(at.x + letter, at.y + pad), ruled_out ? color::dim : color::text, lines.c_str());
  return pressed;
}

// Why the machine does not have this kernel; empty: it does, or no kernel is named.
Message missing_kernel_reason_of(const RunStatus& run, const std::string& kernel) {
  for (const KernelVariant& one : run.info->kernels)
    if (one.id == kernel) return missing_kernel_reason(*run.backend, one);
  return {};
}

// Text of the empty field; the longest that fits the width.
std::string placeholder_of(const std::string& unit, float width) {
  if (unit.empty()) return tr("a number or a formula");
  const Message whole("a number or a formula, in {}", Message(unit));
  return tr(text_size(whole).x <= width ? whole : Message("a number, in {}", Message(unit)));
}

void draw_answer_field(const Panel& panel, LessonPanelState& state, const LessonQuestion& question, bool waits) {
  const Style& style = panel.style;
  const Message words = waits ? "Change" : "Answer";
  const float button = text_size(words).x + style.px(28), width = ImGui::GetContentRegionAvail().x;
  const float field = width - button - style.gap(), padding = style.px(10);
  ImGui::SetNextItemWidth(field);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(padding, style.px(8)));
  const int rejections = panel.session.lessons().rejections();
  if (std::exchange(state.rejections, rejections) != rejections) type_in_next_item();  // to correct it
  const std::string hint = placeholder_of(question.shown.text, field - 2 * padding);
  const bool entered =
      text_field("##answer", hint.c_str(), state.answer, sizeof state.answer, ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip(style, "Formulas work too, such as 2 * pi / 5 or sin(30 * deg).");
  ImGui::PopStyleVar();
  ImGui::SameLine(0, style.gap());
  if ((text_button(style, words, !waits) || entered) && state.answer[0] != '\0')
    panel.ask(AnswerQuestion{state.answer, -1});
}

// The wrong first try, what is wrong with it, the hint, and what a second try is worth. Shows no number of the run.
void draw_first_try(const Style& style, const LessonSession& lesson) {
  const LessonSession::Answer& first = *lesson.first_try();
  const LessonQuestion& question = *lesson.step().question;
  const Message given = question.sketch     ? Message("your sketch")
                        : question.is_task  ? number_in(question, first.number)
                        : first.choice >= 0 ? Message(first.given)
                                            : Message::value(first.given);
  ImGui::PushFont(style.strong);
  draw_wrapped({"Not quite: {}", given}, color::bad);
  ImGui::PopFont();
  draw_paragraphs(style, lesson.explanation(), color::text);
  draw_paragraphs(style, lesson.hint(), color::text);
  draw_wrapped({"A right answer is now worth {}.", points_text(lesson.points_to_gain(), max_points_of_answer)});
}

// The error in the answer, then the right answer.
void draw_explanations(const Style& style, const LessonSession& lesson) {
  ImGui::Dummy(ImVec2(0, style.px(2)));
  for (const std::string& text : {lesson.explanation(), lesson.step().question->reveal})
    if (!text.empty()) draw_paragraphs(style, text, color::text);
}

void draw_score(const Panel& panel, const LessonSession& lesson) {
  const Style& style = panel.style;
  const LessonQuestion& question = *lesson.step().question;
  const LessonSession::Answer& answer = *lesson.answer();
  const FoundNumbers& found = *answer.found;
  const bool is_right = answer.points == lesson.points_to_gain();
  const char* verdict = "Far off: {}";
  if (is_right && lesson.first_try())
    verdict = "Right in the second try: {}";
  else if (is_right)
    verdict = "Right: {}";
  else if (answer.points > 0)
    verdict = "Nearly right: {}";
  else if (answer.choice >= 0 || found.right_choice >= 0)
    verdict = "Wrong: {}";
  const auto with_its_unit = [&](double value) { return number_in(question, value); };
  ImGui::PushFont(style.strong);
  draw_wrapped({verdict, points_text(answer.points, max_points_of_answer)}, is_right            ? color::good
                                                                            : answer.points > 0 ? color::warning
                                                                                                : color::bad);
  ImGui::PopFont();
  if (question.sketch) {
    draw_sketch_and_curve(style, question, answer);
    draw_labelled_value(style, "Deviation", {"{} % of the height on average", format_number(100 * found.asked, 2)});
    draw_explanations(style, lesson);
    return;
  }
  if (answer.choice < 0)
    draw_labelled_value(style, question.is_task ? "Measured" : "Your answer", with_its_unit(answer.number));
  if (found.right_choice >= 0 && found.right_choice != answer.choice)
    draw_labelled_value(style, "Correct answer", question.choices[static_cast<std::size_t>(found.right_choice)].text);
  draw_labelled_value(style, question.measured.empty() || question.is_task ? "Theory" : "Measured",
                      with_its_unit(found.asked));
  if (found.theory) {
    double error = *found.theory != 0 ? 100 * (found.asked / *found.theory - 1) : 0;
    if (std::abs(error) < 1e-6) error = 0;  // rounding
    draw_labelled_value(style, "Theory", with_its_unit(*found.theory));
    draw_labelled_value(style, "Measured against theory",
                        Message::value((error > 0 ? "+" : "") + format_number(error, 2) + " %"));
  }
  draw_explanations(style, lesson);
}

void draw_question(const Panel& panel, LessonPanelState& state, const LessonSession& lesson) {
  const Style& style = panel.style;
  const LessonQuestion& question = *lesson.step().question;
  const LessonSession::Answer *answer = lesson.answer(), *first = lesson.first_try();
  heading(style, "Question");
  draw_paragraphs(style, question.text, color::text);
  const bool found = answer && answer->found;
  if (first && !found) draw_first_try(style, lesson);
  for (std::size_t k = 0; k < question.choices.size(); ++k) {
    const auto index = static_cast<int>(k);
    const bool is_chosen = answer && answer->choice == index, is_ruled_out = first && first->choice == index;
    const LessonChoice& choice = question.choices[k];
    const Message missing = missing_kernel_reason_of(panel.run(), choice.kernel);
    const Message words = missing.empty() ? Message(choice.text) : Message("{} ({})", Message(choice.text), missing);
    if (draw_answer_choice(style, index, words, is_chosen, !found && !is_ruled_out && missing.empty(),
                           is_ruled_out || !missing.empty()))
      panel.ask(AnswerQuestion{"", index});
  }
  if (question.sketch && !found)
    draw_sketch_pad(panel, state, question, answer != nullptr);
  else if (question.is_task && !found && text_button(style, "Check the task", !answer))
    panel.ask(AnswerQuestion{"", -1});
  else if (question.is_number() && !found)
    draw_answer_field(panel, state, question, answer != nullptr);
  const LessonController& lessons = panel.session.lessons();
  if (!found && !lessons.answer_error().empty()) draw_wrapped(lessons.answer_error(), color::bad);
  if (lessons.awaits_prediction() && !panel.session.playback().playing())
    draw_wrapped({"The run is paused until you answer, or until you press {}.", shown_chord(CommandId::play_pause)});
  if (found) {
    draw_score(panel, lesson);
  } else if (answer) {
    const double share = lesson.progress(panel.run().steps);
    if (!lesson.error().empty() && share >= 1)
      draw_wrapped(lesson.error(), color::warning);
    else if (!panel.session.playback().playing())
      draw_wrapped({"The run is paused. Continue ({}) to see the result.", shown_chord(CommandId::play_pause)},
                   color::warning);
    else
      draw_wrapped("Now watch the simulation find the answer.");
    draw_progress(style, share);
  }
}

// The times of the kernels on this machine, the longest with the longest bar. Those that it does not have are grey.
void draw_kernel_bars(const Panel& panel) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  const KernelController& measurement = panel.session.kernel_controller();
  heading(style, "Times of the kernels on this machine");
  if (measurement.is_measuring()) {
    const KernelProgress& progress = measurement.progress();
    draw_wrapped(progress.current.empty() ? Message("Measuring the peak rates of this machine.")
                                          : Message("Measuring {}; kernels left: {}.",
                                                    kernel_name(run, progress.current), progress.remaining));
  }
  double longest = 0;
  for (const KernelStatus& kernel : run.kernels)
    if (kernel.timing) longest = std::max(longest, kernel.timing->seconds_per_step);
  const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight(), height = style.px(6);
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelVariant& kernel = run.info->kernels[k];
    const std::optional<KernelTiming>& timing = run.kernels[k].timing;
    const Message missing = missing_kernel_reason(*run.backend, kernel);
    const UnmeasuredKernel* const why = measurement.unmeasured(kernel.id);
    const ImVec2 at = ImGui::GetCursorScreenPos(), below(at.x + width, at.y + line);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text_in(list, at, below, missing.empty() ? color::text : color::faint, kernel.title);
    const Message aside = !missing.empty() ? missing
                          : timing         ? prefixed_text(timing->seconds_per_step, "s")
                                           : Message("not measured");
    draw_text_in(list, at, below, missing.empty() ? color::text : color::faint, aside, 1);
    const float y = below.y + style.px(3);
    list->AddRectFilled(ImVec2(at.x, y), ImVec2(at.x + width, y + height), color::raised, height / 2);
    if (timing && longest > 0) {
      const auto share = static_cast<float>(timing->seconds_per_step / longest);
      list->AddRectFilled(ImVec2(at.x, y), ImVec2(at.x + std::max(height, width * share), y + height), kernel_ink(k),
                          height / 2);
    }
    ImGui::Dummy(ImVec2(width, line + height + style.px(6)));
    if (why && missing.empty() && !timing) draw_wrapped(why->reason);
  }
  draw_wrapped("Time of a step: a shorter bar is faster. The tab \"Kernels\" of the full view shows more.");
}

// The sliders of the parameters that the step names, as in the tab "Physics".
void draw_unlocked_parameters(const Panel& panel, const LessonStep& step) {
  if (!step.unlocked || step.unlocked->empty()) return;
  heading(panel.style, "Parameters you can change");
  const std::vector<Parameter>& table = panel.run().info->parameters;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (!panel.session.lessons().parameter_is_open(table[k].id)) continue;
    if (const auto value = draw_parameter_row(panel, k)) panel.ask(ParameterChange{table[k].id, *value});
  }
}

// The end of a lesson: the points, what the student now knows, and the result sheet.
void draw_ending(const Panel& panel, LessonPanelState& state, const LessonSession& lesson) {
  const Style& style = panel.style;
  heading(style, "You have finished this lesson");
  if (lesson.all_points() > 0)
    draw_wrapped({"Your result: {}.", points_text(lesson.points(), lesson.all_points())}, color::text);
  draw_paragraphs(style, lesson.lesson().learned, color::text);
  if (const std::shared_ptr<const Lesson> next = next_lesson(all_lessons(), lesson.lesson())) {
    draw_wrapped({"Next: {}", Message(next->title)});
    if (text_button(style, "Next lesson", true)) panel.ask(OpenLesson{next->path()});
  }
  if (lesson.all_points() == 0) return;
  heading(style, "Result sheet");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), style.px(8)));
  const bool entered = text_field("##student", tr("Your name").c_str(), state.student.data(), state.student.size(),
                                  ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleVar();
  if (text_button(style, "Save result sheet", false) || entered) panel.ask(SaveResultSheet{state.student.data()});
  if (text_button(style, "Printable page", false)) panel.ask(SaveResultSheet{state.student.data(), true});
  if (const std::string code = result_code(result_sheet_of(lesson, "")); !code.empty()) {
    draw_wrapped({"Code: {}", code}, color::text);
    draw_wrapped(
        "If you cannot hand in a file, give the code and your name to your teacher. The code is no protection against "
        "cheating.");
  }
}

// Forgets what belongs to another step. In a second try the sketch stays, to be corrected.
void follow_step(const LessonController& lessons, LessonPanelState& state) {
  const bool is_second_try = lessons.open_lesson()->first_try() != nullptr;
  if (state.visit != lessons.visits()) {
    const auto student = state.student;
    state = {};
    state.student = student;
    state.visit = lessons.visits();
    state.rejections = lessons.rejections();
  } else if (is_second_try && !state.second_try) {
    state.answer[0] = '\0';
    state.pen.reset();
    if (!ImGui::IsAnyItemActive()) state.rejections = -1;  // the field takes the keyboard, as after a rejected answer
  }
  state.second_try = is_second_try;
}

}  // namespace

void draw_lesson_panel(const Panel& panel, LessonPanelState& state) {
  const Style& style = panel.style;
  const LessonSession& lesson = *panel.session.lesson();
  const LessonStep& step = lesson.step();
  follow_step(panel.session.lessons(), state);
  const std::size_t count = lesson.lesson().steps.size();

  ImGui::Dummy(ImVec2(0, style.px(2)));
  const Message title = lesson.lesson().title;
  if (lesson.all_points() > 0)
    draw_wrapped({"{} \u2013 step {} of {}, {}", title, lesson.index() + 1, count,
                  points_text(lesson.points(), lesson.all_points())});
  else
    draw_wrapped({"{} \u2013 step {} of {}", title, lesson.index() + 1, count});
  draw_step_dots(style, lesson);
  ImGui::PushFont(style.strong);
  draw_wrapped(step.title, color::text);
  ImGui::PopFont();
  draw_paragraphs(style, step.text, color::text);
  if (step.question) draw_question(panel, state, lesson);
  if (panel.session.lessons().shows_kernels()) draw_kernel_bars(panel);
  draw_unlocked_parameters(panel, step);
  const bool is_decided = !step.question || (lesson.answer() && lesson.answer()->found);
  if (lesson.is_last() && lesson.is_done() && is_decided) draw_ending(panel, state, lesson);

  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (!lesson.is_first()) {
    if (text_button(style, "Back", false)) panel.ask(CommandId::previous_step);
    tooltip(style, shown_chord(CommandId::previous_step));
    ImGui::SameLine();
  }
  if (!lesson.is_last()) {
    if (text_button(style, "Next", is_decided)) panel.ask(CommandId::next_step);
    tooltip(style, shown_chord(CommandId::next_step));
  } else if (text_button(style, "End the lesson", is_decided)) {
    panel.ask(CommandId::close_lesson);
  }
  if (lesson.is_last()) return;
  // Offers to continue where the user stopped before.
  const LessonScore* score = panel.session.lessons().progress().score_of(lesson.lesson().path());
  if (lesson.is_first() && score && score->max_points > 0)
    draw_wrapped({"Your best score: {}.", points_text(score->best_points, score->max_points)});
  if (text_button(style, "Leave the lesson", false)) panel.ask(CommandId::close_lesson);
}

void draw_lesson_list(const Panel& panel) {
  const Style& style = panel.style;
  const LessonLibrary& library = all_lessons();
  const LessonSession* open = panel.session.lesson();
  std::string simulation;
  for (const auto& lesson : library.lessons) {
    if (lesson->simulation != simulation) {
      simulation = lesson->simulation;
      for (const SceneEntry& scene : all_scenes())
        if (scene.simulation == simulation) {
          heading(style, scene.simulation_title);
          break;
        }
    }
    const LessonScore* score = panel.session.lessons().progress().score_of(lesson->path());
    Message words = lesson->summary;
    if (score && score->max_points > 0)
      words = words + Message("Best: {}.", points_text(score->best_points, score->max_points));
    else if (score)
      words = words + Message("Started: step {}, points: {}.", score->step + 1, score->current_points);
    const float button = style.px(28), width = ImGui::GetContentRegionAvail().x - button, pad = style.px(4);
    const std::string lines = wrap_text(words, width - 2 * style.px(8));
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos(),
                 size(width, line + ImGui::CalcTextSize(lines.c_str()).y + 2 * pad + style.px(2));
    ImGui::PushID(lesson->path().c_str());
    if (list_line("##lesson", open && open->lesson().path() == lesson->path(), size))
      panel.ask(OpenLesson{lesson->path()});
    const ImVec2 below = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(ImVec2(at.x + width, at.y));
    if (icon_button(style, "sheet", Icon::disk, button)) panel.ask(SaveTeacherSheet{lesson->path()});
    tooltip(style, "Save the sheet for teachers, with all answers, as HTML");
    ImGui::SetCursorScreenPos(below);
    ImGui::PopID();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddText(style.strong, style.strong->FontSize, ImVec2(at.x + style.px(8), at.y + pad), color::accent_bright,
                  tr(lesson->title).c_str());
    list->AddText(ImVec2(at.x + style.px(8), at.y + pad + line + style.px(2)), color::text, lines.c_str());
  }
  for (const Message& problem : library.problems) draw_wrapped(problem, color::warning);
}

}  // namespace perturb
