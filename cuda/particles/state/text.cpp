#include "cuda/particles/state/text.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/text_format.h"
#include "cuda/particles/model/start.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/state/saved.h"

namespace perturb::particles {

namespace {

// Remaining text: its lines, and the fields of a line.
class TextLines {
 public:
  TextLines(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // Reads the next line that is not empty; false at the end.
  bool next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++line_;
      const std::size_t mark = std::min(line.find('#'), line.size());
      remark_ = line.substr(std::min(mark + 1, line.size()));
      line = line.substr(0, mark);
      fields_.clear();
      for (std::size_t k = 0; k < line.size();) {
        if (is_blank(line[k])) {
          ++k;
          continue;
        }
        std::size_t stop = k;
        while (stop < line.size() && !is_blank(line[stop])) ++stop;
        fields_.push_back({line.substr(k, stop - k), static_cast<int>(k) + 1});
        k = stop;
      }
      end_column_ = static_cast<int>(line.size()) + 1;
      if (!fields_.empty()) return true;
    }
    fields_.clear();
    ++line_;
    end_column_ = 1;
    return false;
  }
  int line() const { return line_; }
  // Characters after the line that was read last.
  std::size_t left() const { return text_.size() - std::min(at_, text_.size()); }
  const std::vector<TextField>& fields() const { return fields_; }
  // Text after a # in the line.
  std::string_view remark() const { return remark_; }

  [[noreturn]] void reject(int line, int column, const Message& what) const { reject_text(name_, line, column, what); }
  [[noreturn]] void reject(const TextField& field, const Message& what) const { reject(line_, field.column, what); }
  [[noreturn]] void reject_end(const Message& what) const { reject(line_, end_column_, what); }

  // Whether the line is a header that ends in a mode, not a number.
  bool has_word() const {
    double value = 0;
    return fields_.size() == 5 && !read_number(fields_[4].word, value);
  }
  double number(std::size_t k, const char* what) const { return finite_number(name_, line_, fields_[k], what); }
  std::int64_t whole(std::size_t k, const char* what, std::int64_t min_value, std::int64_t max_value) const {
    const TextField& field = fields_[k];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(field.word.data(), field.word.data() + field.word.size(), value);
    if (end != field.word.data() + field.word.size() || error != std::errc() || value < min_value || value > max_value)
      reject(field, Message("\"{}\" is not valid for {}: a whole number from {} to {} is needed.", field.word, what,
                            min_value, max_value));
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  std::string_view text_, remark_;
  std::string name_;
  std::size_t at_ = 0;
  int line_ = 0, end_column_ = 1;
  std::vector<TextField> fields_;
};

struct TextDiscs {
  std::vector<double> position, velocity;  // [N, 2], by id
  std::vector<std::uint32_t> wall_collisions, disc_collisions;
  std::vector<int> lines;  // line that gave each disc; 0: none yet
};

// Largest speed of a disc in the precision of the run.
double fastest_in_text(const Setup& base, double box) {
  Parameters parameters;
  ParameterSet set(parameter_table(), &parameters);
  if (const auto given = base.parameters.find("precision"); given != base.parameters.end())
    set.set("precision", given->second);
  return fastest_disc(parameters.precision, box);
}

void read_disc(const TextLines& text, double box, double radius, double fastest, std::size_t fields, TextDiscs& discs) {
  const std::size_t n = discs.lines.size();
  const std::string columns = fields == 7 ? "id x y vx vy wc pc" : "id x y vx vy";
  if (text.fields().size() < fields)
    text.reject_end(Message("A field is missing: found {} of {} ({}).", text.fields().size(), fields, columns));
  if (text.fields().size() > fields)
    text.reject(text.fields()[fields], Message("Too many fields: the line of a disc has {} ({}).", fields, columns));
  const auto id = static_cast<std::size_t>(text.whole(0, "the id of a disc", 0, static_cast<std::int64_t>(n) - 1));
  if (discs.lines[id] != 0)
    text.reject(text.fields()[0], Message("Disc {} is already given in line {}.", id, discs.lines[id]));
  discs.lines[id] = text.line();
  const char* const names[4] = {"x", "y", "vx", "vy"};
  double values[4];
  for (std::size_t k = 0; k < 4; ++k) values[k] = text.number(k + 1, names[k]);
  for (std::size_t k = 0; k < 2; ++k) {
    // Rounding may put a disc at a wall slightly beyond it.
    const double slack = 1e-12 * box;
    if (values[k] < radius - slack || values[k] > box - radius + slack)
      text.reject(text.fields()[k + 1],
                  Message("Disc {} lies outside the box: its {} is {}, and must be from {} to {}.", id, names[k],
                          format_number(values[k]), format_number(radius), format_number(box - radius)));
    if (std::abs(values[k + 2]) > fastest)
      text.reject(text.fields()[k + 3],
                  Message("Disc {} is too fast: its {} is {}, and must be from {} to {}.", id, names[k + 2],
                          format_number(values[k + 2]), format_number(-fastest), format_number(fastest)));
    discs.position[2 * id + k] = values[k];
    discs.velocity[2 * id + k] = values[k + 2];
  }
  if (fields == 7) {
    discs.wall_collisions[id] = static_cast<std::uint32_t>(text.whole(5, "a count of wall collisions", 0, UINT32_MAX));
    discs.disc_collisions[id] = static_cast<std::uint32_t>(text.whole(6, "a count of disc collisions", 0, UINT32_MAX));
  }
}

constexpr const char* header_words =
    "The first line holds four numbers, N L r S: discs, side of the box, radius, steps; then print or perf, if wanted.";

// Progress of the run that wrote a block: whole units of time, in S, and steps of `of` per unit.
struct Done {
  std::int64_t units = 0, steps = 0;
  int of = 1;
};

// Parses the program's remark after a header; empty: a remark by the user.
std::optional<Done> read_done(std::string_view remark, std::int64_t units) {
  Done done{units};
  const std::string text(remark);
  int end = 0;
  std::sscanf(text.c_str(), " done%n", &end);
  if (end == 0) return std::nullopt;
  std::sscanf(text.c_str(), " done, and %" SCNd64 "/%d", &done.steps, &done.of);
  if (done.of < 1 || done.steps < 0 || done.steps >= done.of) return std::nullopt;
  return done;
}

// A header and its discs.
struct TextBlock {
  double box = 1, radius = 1;
  std::int64_t steps = 0;    // S
  std::optional<Done> done;  // S counts completed steps, not steps to take
  int line = 1;
  TextMode mode = TextMode::unset;
  bool alone = false;  // the text has no discs, which are to be placed at random
  TextDiscs discs;
};

// Reads a block from its header, which is the line that was read last.
TextBlock read_block(TextLines& lines, const Setup& base, bool is_first) {
  if (lines.fields().size() < 4) lines.reject_end(Message("A field is missing.") + header_words);
  if (lines.fields().size() > 5) lines.reject(lines.fields()[5], Message("Too many fields.") + header_words);
  const auto n = static_cast<std::size_t>(lines.whole(0, "N, the number of discs", 1, max_discs));
  TextBlock block;
  const double box = lines.number(1, "L, the side of the box"), radius = lines.number(2, "r, the discs' radius");
  block.box = box;
  block.radius = radius;
  if (lines.fields().size() == 5) {
    const std::string_view word = lines.fields()[4].word;
    if (word != "print" && word != "perf")
      lines.reject(lines.fields()[4], Message("\"{}\" is neither print nor perf.", word) + header_words);
    block.mode = word == "print" ? TextMode::print : TextMode::perf;
  }
  block.steps = lines.whole(3, "S, the number of steps", 0, std::int64_t{1} << 40);
  block.done = read_done(lines.remark(), block.steps);
  block.line = lines.line();
  const ParameterSet known(parameter_table(), nullptr);
  const auto within = [&](std::size_t field, const char* id, double value) {
    const Parameter& parameter = known.find(id);
    if (value < parameter.minimum || value > parameter.maximum)
      lines.reject(lines.fields()[field],
                   Message("{} is out of range: {} goes from {} to {}.", format_number(value), parameter_name(id),
                           format_number(parameter.minimum), format_number(parameter.maximum)));
  };
  within(1, "box", box);
  within(2, "radius", radius);
  if (box < 2 * radius)
    lines.reject(lines.fields()[1], Message("A box of {} holds no disc of radius {}: L must be at least 2 r.",
                                            format_number(box), format_number(radius)));
  if (static_cast<double>(n) * radius * radius > box * box)
    lines.reject(lines.fields()[0],
                 Message("{} discs of radius {} do not fit on a grid in a box of {}: N r² exceeds L².", n,
                         format_number(radius), format_number(box)));

  // After "# done" a run was cut off while it wrote.
  TextLines rest = lines;
  block.alone = is_first && !block.done && !rest.next();
  if (block.alone) {
    block.discs.lines.resize(n);
    return block;
  }

  // A line of a disc has at least ten characters: no memory is allocated for discs that the text cannot contain.
  constexpr std::size_t min_line = 10;
  if (n > lines.left() / min_line + 1)
    lines.reject(lines.fields()[0],
                 Message("N is {}, and the text is too short for that many discs: lines are missing.", n));
  TextDiscs& discs = block.discs;
  discs.position.resize(2 * n);
  discs.velocity.resize(2 * n);
  discs.lines.resize(n);
  discs.wall_collisions.resize(n);
  discs.disc_collisions.resize(n);
  const double fastest = fastest_in_text(base, box);
  std::size_t fields = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (!lines.next())
      lines.reject_end(k == 1 ? Message("N is {}, and {} disc is here: lines are missing.", n, k)
                              : Message("N is {}, and {} discs are here: lines are missing.", n, k));
    if (k == 0) fields = lines.fields().size() == 7 ? 7 : 5;
    read_disc(lines, box, radius, fastest, fields, discs);
  }
  return block;
}

// The discs with which a scene with these parameters begins.
void begin_at_random(const Parameters& parameters, std::uint32_t seed, const TextLines& lines, const TextBlock& block,
                     TextDiscs& discs) {
  Start start;
  try {
    start = make_disc_start(parameters, seed);
  } catch (const InputError& error) {
    lines.reject(block.line, 1, error.message());
  }
  const std::size_t n = start.count();
  discs.wall_collisions.resize(n);
  discs.disc_collisions.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    discs.position.insert(discs.position.end(), {start.x[k], start.y[k]});
    discs.velocity.insert(discs.velocity.end(), {start.vx[k], start.vy[k]});
  }
}

template <class Real>
void put_places(const TextDiscs& discs, State& state) {
  const std::size_t n = discs.lines.size();
  const std::vector<Real> position(discs.position.begin(), discs.position.end());
  const std::vector<Real> velocity(discs.velocity.begin(), discs.velocity.end());
  state.put<Real>("position", {n, 2}, "length", position);
  state.put<Real>("velocity", {n, 2}, "length/time", velocity);
}

void write_number(std::string& text, double value, bool single) {
  // The shortest text that reads as the same number in the run's precision.
  text += ' ';
  text += single ? shortest_text(static_cast<float>(value)) : shortest_text(value);
}

}  // namespace

TextStart read_text(const std::string& text, const std::string& name, const Setup& base) {
  TextLines lines(text, name);
  if (!lines.next()) lines.reject(1, 1, Message("The file is empty.") + header_words);
  // Text written by --print has a block for every step: the last one has the final state.
  TextBlock block = read_block(lines, base, true);
  while (lines.next()) {
    if (lines.fields().size() != 4 && !lines.has_word())
      lines.reject(lines.fields()[0], Message("N is {}, and this line follows that many discs. Remove it or raise N.",
                                              block.discs.lines.size()));
    block = read_block(lines, base, false);
  }
  TextDiscs& discs = block.discs;
  const std::size_t n = discs.lines.size();
  const double box = block.box, radius = block.radius;

  double fastest = 0;
  for (const double v : discs.velocity) fastest = std::max(fastest, std::abs(v));
  TextStart start;
  start.setup = base;
  start.setup.width = start.setup.height = 0;
  start.setup.actions.clear();
  for (const char* id :
       {"aspect", "heavy_radius", "heavy_mass", "piston_speed", "piston_end", "velocities", "cold", "second_share"})
    start.setup.parameters.erase(id);
  start.setup.parameters["count"] = static_cast<double>(n);
  start.setup.parameters["box"] = box;
  start.setup.parameters["radius"] = radius;
  if (block.alone) {
    start.setup.parameters["arrangement"] = static_cast<double>(Arrangement::uniform);
  } else {
    start.setup.parameters["velocity_max"] = std::min(fastest, 1e8);
    start.setup.parameters["arrangement"] = static_cast<double>(Arrangement::given);
  }
  // The steps per unit of time of the run that wrote it, unless another value is requested.
  if (block.done && block.done->of > 1) start.setup.parameters.try_emplace("slow_factor", block.done->of);
  const Parameters parameters = parameters_of(start.setup);  // validates the remaining parameters
  start.mode = block.mode;
  if (block.alone) begin_at_random(parameters, base.seed, lines, block, discs);

  State& state = start.state;
  state.simulation = "particles";
  state.preset = base.preset;
  state.seed = base.seed;
  if (!block.done)
    start.steps = block.steps * parameters.slow_factor;
  else if (const std::int64_t part = block.done->steps * parameters.slow_factor; part % block.done->of == 0)
    state.steps = block.done->units * parameters.slow_factor + part / block.done->of;
  else
    lines.reject(
        block.line, 1,
        Message("This was written {}/{} of a unit of time after a whole one, where no step of {} = {} ends: set "
                "it to {}.",
                block.done->steps, block.done->of, parameter_name("slow_factor"), parameters.slow_factor,
                block.done->of));
  state.time = static_cast<double>(state.steps) / parameters.slow_factor;
  for (const Parameter& p : parameter_table()) state.parameters[p.id] = p.format(p.get(&parameters));
  if (parameters.precision == Precision::fp32)
    put_places<float>(discs, state);
  else
    put_places<double>(discs, state);
  state.put<std::uint32_t>("wall_collisions", {n}, "", discs.wall_collisions);
  state.put<std::uint32_t>("disc_collisions", {n}, "", discs.disc_collisions);
  return start;
}

std::string write_text(const State& state, bool last) {
  Parameters parameters;
  ParameterSet set(parameter_table(), &parameters);
  for (const auto& [id, value] : state.parameters) set.set_text(id, value);
  if (parameters.aspect != 1)
    throw InputError(
        "Cannot write the discs as text: the format holds one side of the box, and this box has two. Choose a scene "
        "with a square box.");
  if (state.has("radius"))
    throw InputError(
        "Cannot write the discs as text: the format holds one radius, and these discs have several. Choose a scene "
        "with equal discs.");
  const std::size_t n = state.datasets.at("position").shape[0];
  const bool single = state.datasets.at("position").type == ElementType::float32;
  std::vector<double> position, velocity;
  if (single) {
    const auto x = state.get<float>("position", {n, 2}), v = state.get<float>("velocity", {n, 2});
    position.assign(x.begin(), x.end());
    velocity.assign(v.begin(), v.end());
  } else {
    position = state.get<double>("position", {n, 2});
    velocity = state.get<double>("velocity", {n, 2});
  }
  const auto walls = state.get<std::uint32_t>("wall_collisions", {n}),
             pairs = state.get<std::uint32_t>("disc_collisions", {n});
  std::string text = std::to_string(n);
  write_number(text, parameters.box, false);
  write_number(text, parameters.radius, false);
  // A comment, which other programs ignore.
  text += ' ' + std::to_string(state.steps / parameters.slow_factor) + " # done";
  if (parameters.slow_factor > 1)
    text +=
        ", and " + std::to_string(state.steps % parameters.slow_factor) + "/" + std::to_string(parameters.slow_factor);
  text += '\n';
  for (std::size_t k = 0; k < n; ++k) {
    text += std::to_string(k);
    for (const double value : {position[2 * k], position[2 * k + 1], velocity[2 * k], velocity[2 * k + 1]})
      write_number(text, value, single);
    if (last) text += ' ' + std::to_string(walls[k]) + ' ' + std::to_string(pairs[k]);
    text += '\n';
  }
  return text;
}

}  // namespace perturb::particles
