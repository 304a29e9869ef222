#include "app/io/preset/lesson_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/toml_reader.h"
#include "app/io/preset/toml_text.h"
#include "app/kernels/kernel_numbers.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/formula.h"

namespace perturb {

namespace {

constexpr const char* no_parameter = "There is no parameter \"{}\" in {}{}";
constexpr const char* no_tool = "There is no tool \"{}\" in {}{}";
constexpr const char* no_kernel = "There is no kernel \"{}\" in {}{}";
constexpr const char* no_scene = "There is no scene \"{}\" in {}{}";

// `format`: of the error message, with the id, the simulation, and the nearest id.
void require_known(const TableReader& reader, const toml::node& node, const char* format, const std::string& id,
                   const std::vector<std::string>& known, const std::string& simulation) {
  if (std::find(known.begin(), known.end(), id) == known.end())
    reader.fail(node, {format, id, simulation, did_you_mean(id, known)});
}

// Reads one step, given the state after the earlier ones.
class StepReader {
 public:
  StepReader(const std::string& name, const SimulationInfo& info) : name_(name), info_(info) {}

  LessonStep read(const toml::table& table) {
    TableReader reader(table, name_);
    LessonStep step;
    step.title = needed_text(reader, "title", "Predict");
    step.text = needed_text(reader, "text", "What do you see?");
    read_scene(reader, step);
    read_changes(reader, step);
    step.unlocked = read_ids(reader, "unlocked", no_parameter, ids_of(info_.parameters));
    const std::vector<std::string> tools = ids_of(info_.tools);
    std::vector<std::string> usable = tools;
    usable.emplace_back(objects_as_tool);
    step.tools = read_ids(reader, "tools", no_tool, usable);
    step.tool = reader.text("tool", "");
    if (!step.tool.empty()) require_known(reader, *reader.find("tool"), no_tool, step.tool, tools, info_.id);
    if (const toml::node* steps = reader.find("steps")) step.steps = reader.integer(*steps, "steps", 0, 1000000000);
    step.measures_kernels = reader.boolean("measure_kernels", false);
    if (step.measures_kernels && !now_.lanes.empty())
      reader.fail(*reader.find("measure_kernels"),
                  "kernels are measured one after the other, not in a race. Use a step without lanes.");
    const toml::table* question = reader.subtable("question");
    reader.finish();  // first: below a misspelt [step.question], TOML makes a question without its lines
    if (question) step.question = read_question(*question);
    return step;
  }

 private:
  static std::string needed_text(TableReader& reader, const std::string& key, const std::string& example) {
    const std::string text = reader.text(key, "");
    if (text.empty()) reader.fail({"missing line: {} = \"{}\".", key, example});
    return text;
  }

  void read_scene(TableReader& reader, LessonStep& step) {
    const toml::node* scene = reader.find("scene");
    if (scene) {
      std::string preset = reader.text("scene", "");
      if (const std::string prefix = info_.id + "/"; preset.starts_with(prefix)) preset.erase(0, prefix.size());
      std::vector<std::string> known = preset_ids(info_.id);
      // User presets too, by their file names: a teacher's lesson usually uses them.
      if (std::find(known.begin(), known.end(), preset) == known.end())
        for (const SceneEntry& own : find_user_presets(user_presets_folder()).presets)
          if (own.simulation == info_.id) known.push_back(std::filesystem::path(own.preset).stem().string());
      require_known(reader, *scene, no_scene, preset, known, info_.id);
      now_ = load_scene(info_.id + "/" + preset);
      // The lesson gives the instructions.
      now_.hint.clear();
      now_.touch_hint.clear();
      step.begins_scene = has_scene_ = true;
    }
    if (!has_scene_) {
      const std::vector<std::string> presets = preset_ids(info_.id);
      reader.fail(
          {"the first step needs a scene, such as scene = \"{}\".", presets.empty() ? std::string() : presets.front()});
    }
    const toml::array* size = reader.pair("size", "[512, 512]");
    const toml::node* seed = reader.find("seed");
    const toml::node* pace = reader.find("steps_per_frame");
    const auto actions = reader.subtables("action");
    const std::vector<Lane> lanes = read_lanes(reader, info_);
    const bool by_time = read_race_by_time(reader, lanes);
    for (const char* key : {"size", "seed", "steps_per_frame", "action", "lane"})
      if (const toml::node* node = reader.find(key); node && !scene)
        reader.fail(*node, {"{} needs a scene. Add the line scene = \"...\".", std::string(key)});
    if (size) {
      now_.setup.width = static_cast<int>(reader.integer(*size->get(0), "size", 1, 1 << 30));
      now_.setup.height = static_cast<int>(reader.integer(*size->get(1), "size", 1, 1 << 30));
    }
    if (seed)
      now_.setup.seed =
          static_cast<std::uint32_t>(reader.integer(*seed, "seed", 0, std::numeric_limits<std::uint32_t>::max()));
    if (pace) now_.steps_per_frame = static_cast<int>(reader.integer(*pace, "steps_per_frame", 1, 1000000));
    if (!lanes.empty()) {
      now_.lanes = lanes;
      now_.race_by_time = by_time;
    }
    for (const toml::table* action : actions) {
      TableReader fields(*action, name_);
      const toml::node* kind = fields.find("kind");
      if (!kind) fields.fail({"an action needs its kind. List the kinds with \"perturb list {} --json\".", info_.id});
      now_.setup.actions.push_back(read_action(fields, *kind, fields.text("kind", ""), info_));
    }
  }

  void read_changes(TableReader& reader, LessonStep& step) {
    if (const toml::table* table = reader.subtable("parameters")) {
      TableReader parameters(*table, name_);
      for (const Parameter& p : info_.parameters)
        if (const toml::node* node = parameters.find(p.id)) {
          now_.setup.parameters[p.id] = parameters.value(*node, p);
          step.changes.push_back({p.id, now_.setup.parameters[p.id]});
        }
      parameters.finish();
    }
    if (const toml::table* view = reader.subtable("view")) {
      read_view(*view, name_, info_, now_.view, now_.camera);
      step.changes_view = true;
    }
    step.scene = now_;
  }

  std::optional<std::vector<std::string>> read_ids(TableReader& reader, const std::string& key, const char* unknown,
                                                   const std::vector<std::string>& known) {
    const toml::node* node = reader.find(key);
    if (!node) return {};
    const toml::array* array = node->as_array();
    std::vector<std::string> ids;
    if (!array)
      reader.fail(*node, {"{} must be a list of names, such as {} = [{}].", key, key,
                          known.empty() ? std::string() : toml_string(known.front())});
    for (const toml::node& element : *array) {
      const auto* id = element.as_string();
      if (!id) reader.fail(element, {"{} must contain only texts in quotes.", key});
      require_known(reader, element, unknown, id->get(), known, info_.id);
      ids.push_back(id->get());
    }
    return ids;
  }

  LessonQuestion read_question(const toml::table& table) {
    TableReader reader(table, name_);
    LessonQuestion question;
    question.text = needed_text(reader, "text", "How large is it?");
    question.id = reader.text("id", "");
    question.unit = reader.text("unit", "");
    question.shown = display_unit(now_.units, question.unit);
    question.measured = read_formula(reader, "measured");
    question.theory = read_formula(reader, "theory");
    question.hint = reader.text("hint", "");
    question.reveal = reader.text("reveal", "");
    question.misconception = reader.text("misconception", "");
    if (const toml::table* sketch = reader.subtable("sketch")) question.sketch = read_sketch(*sketch);
    question.is_task = reader.boolean("task", false);
    if (question.asked().empty() && !question.sketch)
      reader.fail("a question needs a reference for its answer: measured = \"...\", theory = \"...\", or both.");
    for (auto [key, share] : {std::pair("agreement", &question.agreement), {"tolerance", &question.tolerance}})
      if (const toml::node* node = reader.find(key)) {
        *share = reader.number(*node, key);
        if (!(*share > 0 && *share <= 1))
          reader.fail(*node, {"{} must be a fraction above 0 and up to 1, such as {} = 0.1.", std::string(key),
                              std::string(key)});
      }
    const auto choices = reader.subtables("choice");
    for (const toml::table* entry : choices) {
      TableReader choice(*entry, name_);
      LessonChoice& made = question.choices.emplace_back();
      made = {needed_text(choice, "text", "Twice as much"), read_formula(choice, "value"),
              choice.text("explanation", ""), choice.text("kernel", "")};
      if (!made.kernel.empty()) {
        require_known(choice, *choice.find("kernel"), no_kernel, made.kernel, ids_of(info_.kernels), info_.id);
        if (made.value.empty()) made.value = made.kernel + ".seconds_per_step";
      }
      if (made.value.empty()) choice.fail("a choice needs a value, such as value = \"2\".");
      choice.finish();
    }
    const auto mistakes = reader.subtables("mistake");
    for (const toml::table* entry : mistakes) {
      TableReader mistake(*entry, name_);
      question.mistakes.push_back(
          {read_formula(mistake, "value"), needed_text(mistake, "text", "This is the radius, not the diameter.")});
      if (question.mistakes.back().value.empty()) mistake.fail("a mistake needs a value, such as value = \"2\".");
      mistake.finish();
    }
    if (question.is_task && (question.sketch || !choices.empty() || !mistakes.empty() || question.measured.empty() ||
                             question.theory.empty()))
      reader.fail(*reader.find("task"),
                  "a task needs measured and theory. Remove the sketch, the choices and the mistakes.");
    if (!mistakes.empty() && (question.sketch || !choices.empty()))
      reader.fail("a mistake is a typed number. Give wrong choices an explanation instead.");
    if (question.allows_second_try() && choices.size() == 2)
      reader.fail(*reader.find("hint"),
                  "with two choices, the second try would be the other one. Remove the hint or add a choice.");
    if (question.sketch && (!choices.empty() || !question.asked().empty() || !question.id.empty()))
      reader.fail("a sketch is compared with its curve. Remove id, measured, theory and choices.");
    if (choices.size() == 1)
      reader.fail("a question needs at least two choices. Add another [[step.question.choice]].");
    reader.finish();
    if (!question.id.empty()) {
      if (std::find(ids_.begin(), ids_.end(), question.id) != ids_.end())
        reader.fail(*reader.find("id"),
                    {"two questions have the id \"{}\". Give each question its own id.", question.id});
      ids_.push_back(question.id);
    }
    return question;
  }

  LessonSketch read_sketch(const toml::table& table) {
    TableReader reader(table, name_);
    LessonSketch sketch;
    sketch.curve = needed_text(reader, "curve", "screen");
    const auto read_ends = [&](const char* key, double& low, double& high) {
      const toml::array* pair = reader.pair(key, "[0, 1]");
      if (!pair) reader.fail({"a sketch needs the ends of its axes, such as {} = [0, 1].", std::string(key)});
      low = reader.number(*pair->get(0), key);
      high = reader.number(*pair->get(1), key);
      if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        reader.fail(*pair, {"{} must go from a smaller number to a larger one.", std::string(key)});
    };
    read_ends("x", sketch.x0, sketch.x1);
    read_ends("y", sketch.y0, sketch.y1);
    sketch.x_label = reader.text("x_label", "");
    sketch.y_label = reader.text("y_label", "");
    sketch.shown_x = display_unit(now_.units, reader.text("x_unit", ""));
    sketch.free_height = reader.boolean("free_height", false);
    reader.finish();
    return sketch;
  }

  // Names of measurements are known only while running, so they are not checked here. The kind of an action must exist.
  std::string read_formula(TableReader& reader, const std::string& key) {
    const std::string formula = reader.text(key, "");
    if (formula.empty()) return formula;
    const toml::node& node = *reader.find(key);
    std::vector<std::string> names;
    try {
      names = names_in_formula(formula);
    } catch (const InputError& error) {
      reader.fail(node, error.message());
    }
    for (const std::string& name : names) {
      if (name.find('.') == std::string::npos) continue;
      std::vector<std::string> known;
      for (const Action& action : now_.setup.actions)
        for (const ActionKind& kind : info_.actions)
          if (kind.id == action.kind)
            for (const ValueInfo& field : kind.fields) known.push_back(formula_name(kind.id) + "." + field.id);
      for (const std::string& number : kernel_number_names(info_)) known.push_back(number);
      if (std::find(known.begin(), known.end(), name) == known.end())
        reader.fail(node,
                    {"No action of this scene and no kernel has a number \"{}\"{}", name, did_you_mean(name, known)});
    }
    return formula;
  }

  static std::string formula_name(std::string kind) {
    std::replace(kind.begin(), kind.end(), '-', '_');
    return kind;
  }

  const std::string& name_;
  const SimulationInfo& info_;
  Scene now_;
  bool has_scene_ = false;
  std::vector<std::string> ids_;  // of the questions
};

}  // namespace

Lesson parse_lesson(const std::string& text, const std::string& name, const std::string& simulation,
                    const std::string& id) {
  const toml::table table = parse_toml(text, name);
  TableReader reader(table, name);
  Lesson lesson;
  lesson.id = id;
  lesson.simulation = reader.text("simulation", simulation);
  if (lesson.simulation.empty()) {
    lesson.simulation = std::filesystem::path(name).parent_path().filename().string();
    if (!is_simulation(lesson.simulation))
      reader.fail({"the lesson names no simulation. Add a line such as simulation = \"{}\".", catalog().front()->id});
  }
  if (!is_simulation(lesson.simulation)) {
    std::vector<std::string> known;
    for (const SimulationInfo* info : catalog()) known.push_back(info->id);
    const Message message("There is no simulation \"{}\"{}", lesson.simulation, did_you_mean(lesson.simulation, known));
    const toml::node* node = reader.find("simulation");
    if (node) reader.fail(*node, message);
    reader.fail(message);
  }
  lesson.title = reader.text("title", id);
  lesson.summary = reader.text("summary", "");
  lesson.learned = reader.text("learned", "");
  lesson.aim = reader.text("aim", "");
  lesson.prior = reader.text("prior", "");
  if (const toml::node* minutes = reader.find("minutes")) lesson.minutes = reader.integer(*minutes, "minutes", 1, 1000);
  const std::string theme_key = reader.find("theme") ? "theme" : "look";  // "look": the name in older files
  lesson.theme = reader.text(theme_key, "");
  if (!lesson.theme.empty() && lesson.theme != "dark" && lesson.theme != "light" && lesson.theme != "high-contrast")
    reader.fail(*reader.find(theme_key), {"{} must be \"dark\", \"light\" or \"high-contrast\".", theme_key});
  lesson.order = std::numeric_limits<std::int64_t>::max();
  if (const toml::node* order = reader.find("order")) lesson.order = reader.integer(*order, "order", 0, 1000000);
  lesson.window_only = reader.boolean("window_only", false);
  StepReader steps(name, find_simulation(lesson.simulation));
  for (const toml::table* step : reader.subtables("step")) lesson.steps.push_back(steps.read(*step));
  reader.finish();
  if (lesson.steps.empty()) reader.fail("a lesson needs steps. Begin each step with the line [[step]].");
  return lesson;
}

bool Lesson::has_tasks() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const LessonStep& step) { return step.question && step.question->is_task; });
}

std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> all;
  std::string paragraph;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find_first_not_of(' ') != std::string::npos)
      paragraph += (paragraph.empty() ? "" : " ") + line;
    else if (!paragraph.empty())
      all.push_back(std::exchange(paragraph, {}));
    at = end + 1;
  }
  if (!paragraph.empty()) all.push_back(paragraph);
  return all;
}

}  // namespace perturb
