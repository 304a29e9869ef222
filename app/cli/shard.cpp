#include "app/cli/shard.h"

#include <cstdint>

#include "app/cli/option_set.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr double max_shards = 1e9;

using Variable = std::function<std::optional<std::string>(const std::string&)>;

std::int64_t number_of(const Variable& variable, const std::string& name, std::int64_t otherwise) {
  const std::optional<std::string> text = variable(name);
  return text ? parse_whole(name, *text, 0, max_shards) : otherwise;
}

Shard checked(std::int64_t index, std::int64_t count, const std::string& source) {
  if (index < 1 || index > count)
    throw InputError("--shard: {} gives part {} of {}. Number the parts from 1 to {}.", source, index, count, count);
  return {static_cast<std::size_t>(index), static_cast<std::size_t>(count)};
}

Shard slurm_array(const Variable& variable) {
  const std::string id = "SLURM_ARRAY_TASK_ID", count_name = "SLURM_ARRAY_TASK_COUNT";
  if (!variable(id) || !variable(count_name))
    throw InputError(
        "--shard auto needs the array of a Slurm job, and {} is not set. Give the part, such as --shard 2/8, or the "
        "number of parts, such as --shard auto/8.",
        variable(id) ? count_name : id);
  const std::int64_t count = number_of(variable, count_name, 1), first = number_of(variable, "SLURM_ARRAY_TASK_MIN", 1),
                     step = number_of(variable, "SLURM_ARRAY_TASK_STEP", 1);
  const std::int64_t distance = number_of(variable, id, 1) - first;
  // Of a list such as --array=1,3,7 a task does not know its position.
  if (const std::int64_t last = number_of(variable, "SLURM_ARRAY_TASK_MAX", first + (count - 1) * step);
      step < 1 || last != first + (count - 1) * step || distance % step != 0)
    throw InputError("--shard auto needs an array without gaps, such as --array=1-{}. Give the part as --shard I/N.",
                     count);
  return checked(distance / step + 1, count, "the Slurm array");
}

}  // namespace

Shard read_shard(const std::string& text, const Variable& variable) {
  if (text.empty()) return {};
  if (text == "auto") return slurm_array(variable);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw InputError("--shard cannot be \"{}\": it must be I/N, such as 2/8, auto or auto/8.", text);
  const std::string part = text.substr(0, slash);
  const std::int64_t count = parse_whole("--shard", text.substr(slash + 1), 1, max_shards);
  if (part != "auto") return checked(parse_whole("--shard", part, 0, max_shards), count, "\"" + text + "\"");
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "PARALLEL_SEQ"})
    if (variable(name)) return checked(number_of(variable, name, 0), count, name);
  throw InputError(
      "--shard {} needs the number of the task, and none of SLURM_ARRAY_TASK_ID, HQ_TASK_ID and PARALLEL_SEQ is set. "
      "Give it, such as --shard 1/{}.",
      text, count);
}

}  // namespace perturb
