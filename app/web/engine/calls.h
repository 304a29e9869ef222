// The calls of the engine, one function each, and their common helpers. Each throws InputError for invalid `args` and
// then leaves the run unchanged.
#pragma once

#include <functional>
#include <vector>

#include "app/run/experiment.h"
#include "app/web/engine/request.h"
#include "app/web/engine/web_run.h"

namespace perturb {

// ---- engine.cpp
// Executes {"call": "open", "with": {...}} (as text) for a client and returns the result as text; or, if it fails and
// leaves the run unchanged, WebEngine::answer_of(its error).
std::string answer(WebRun& web, const std::string& request);
// NaN and infinity become null.
std::string text_of(const WebJson& json);
// For tests: the names of all calls.
std::vector<std::string> names_of_calls();
// Whether the engines of all people of a run must execute this call, in the same order, so that they stay equal to the
// bit; the others read, or concern one person. False for a name that is unknown.
bool is_shared_call(const std::string& name);
// The least role that may use it. Throws InputError if there is no such call.
Role least_role(const std::string& name);

// ---- calls, in the order of the table in engine.cpp
// call_tables.cpp
WebJson call_catalog(WebRun& web, const WebJson& args);
WebJson call_add_texts(WebRun& web, const WebJson& args);
WebJson call_add_colors(WebRun& web, const WebJson& args);
WebJson call_translate(WebRun& web, const WebJson& args);
WebJson call_verify(WebRun& web, const WebJson& args);

// call_open.cpp
WebJson call_open(WebRun& web, const WebJson& args);
WebJson call_scene(WebRun& web, const WebJson& args);
WebJson call_status(WebRun& web, const WebJson& args);
WebJson call_checksum(WebRun& web, const WebJson& args);
WebJson call_save(WebRun& web, const WebJson& args);
WebJson call_load(WebRun& web, const WebJson& args);
WebJson call_script(WebRun& web, const WebJson& args);

// call_diagnostics.cpp
WebJson call_advance(WebRun& web, const WebJson& args);
WebJson call_diagnostics(WebRun& web, const WebJson& args);
// Its answer for numbers that have been read, with the arguments "curves", "for_files" and "scene_units".
WebJson json_of_diagnostics(WebRun& web, const JobResult& result, const WebJson& args);
WebJson call_field(WebRun& web, const WebJson& args);
WebJson call_view(WebRun& web, const WebJson& args);
WebJson call_locate(WebRun& web, const WebJson& args);
WebJson call_overlay(WebRun& web, const WebJson& args);
WebJson call_describe(WebRun& web, const WebJson& args);

// call_actions.cpp
WebJson call_gesture(WebRun& web, const WebJson& args);
WebJson call_act(WebRun& web, const WebJson& args);
WebJson call_drag_object(WebRun& web, const WebJson& args);
WebJson call_sing(WebRun& web, const WebJson& args);
WebJson call_set(WebRun& web, const WebJson& args);
WebJson call_restart(WebRun& web, const WebJson& args);
WebJson call_undo(WebRun& web, const WebJson& args);
WebJson call_redo(WebRun& web, const WebJson& args);
WebJson call_return_to_step(WebRun& web, const WebJson& args);
WebJson call_restore_last_good(WebRun& web, const WebJson& args);
WebJson call_find_remedy(WebRun& web, const WebJson& args);
WebJson call_apply_remedy(WebRun& web, const WebJson& args);
WebJson call_place(WebRun& web, const WebJson& args);
WebJson call_count(WebRun& web, const WebJson& args);
WebJson call_kernel(WebRun& web, const WebJson& args);

// call_lessons.cpp
WebJson call_lesson_open(WebRun& web, const WebJson& args);
WebJson call_lesson_step(WebRun& web, const WebJson& args);
WebJson call_lesson_answer(WebRun& web, const WebJson& args);
WebJson call_lesson_update(WebRun& web, const WebJson& args);
// Throws InputError for a file, which nobody may name from afar.
std::shared_ptr<const Lesson> lesson_called(const std::string& path);
// Adds answers as the page keeps them. Skips those to questions that the lesson no longer asks, and damaged ones.
void restore_answers(LessonSession& lesson, const WebJson& answers);
// With new numbers of the run: decides an answer that waits for them.
void update_lesson(WebRun& web, const Diagnostics& diagnostics);
// The result sheet of the open lesson: the name of its file, its table (CSV) and its page for paper (HTML).
WebJson call_lab_report(WebRun& web, const WebJson& args);
WebJson call_lesson_sheet(WebRun& web, const WebJson& args);
// A lesson on paper, for teachers (HTML).
WebJson call_teacher_sheet(WebRun& web, const WebJson& args);
WebJson call_lesson_close(WebRun& web, const WebJson& args);

// call_instruments.cpp
WebJson call_add_instrument(WebRun& web, const WebJson& args);
WebJson call_drag_instrument(WebRun& web, const WebJson& args);
WebJson call_change_instrument(WebRun& web, const WebJson& args);
WebJson call_remove_instrument(WebRun& web, const WebJson& args);
WebJson call_sound(WebRun& web, const WebJson& args);
WebJson call_use_image(WebRun& web, const WebJson& args);
// [x, y]: the pixel of a position in the domain.
using PixelOf = std::function<WebJson(const CurvePoint& place)>;
WebJson json_of_instruments(WebRun& web, const DisplayUnits& units, const PixelOf& pixel_of);
WebJson json_of_inspection(WebRun& web, const DisplayUnits& units, const Camera::Point& at, const PixelOf& pixel_of);
// Their time series, spectra and profiles, in the simulation's units. `for_files`: all readings that are kept;
// otherwise the newest ones. `units`: of a frequency in a label.
std::vector<Curve> curves_of_instruments(WebRun& web, const DisplayUnits& units, bool for_files);
// The instruments of a link, in the spelling of the option --instrument. Throws InputError.
std::vector<Instrument> instruments_from(const SimulationInfo& info, const WebJson& list);
void replace_instruments(WebRun& web, std::vector<Instrument> instruments);
WebJson json_of_arguments(const WebRun& web);

// The status of the run, returned after each change.
WebJson status_of_run(WebRun& web);
// The units of displayed values: those of the scene if `args` has "scene_units": true, otherwise the simulation's.
// Lessons show the scene's. Messages follow the last choice.
const DisplayUnits& units_from(WebRun& web, const WebJson& args);
// The text in the units of the page's last choice.
WebJson json_in_shown_units(WebRun& web, const Message& text);
// The view and the camera with the changes in `args`.
ViewChange view_from(const SimulationInfo& info, ViewChange shown, const WebJson& args);
WebJson json_of_view(const ViewChange& shown, const ViewSettings& resolved);

}  // namespace perturb
