#include "cuda/lbm/model/dye.h"

#include <algorithm>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

void Dye::need_fields() {
  if (!now_.empty()) return;
  Field<float> a(backend_, width_, height_, "dye"), b(backend_, width_, height_, "dye");
  now_ = std::move(a);
  next_ = std::move(b);
}

void Dye::paint(const StepParams& flow, const CellSegment& stroke, float radius, float amount, bool hold) {
  const auto& [copies, box] = patch_around(stroke, 3 * radius, repeating(flow));
  if (box.empty()) return;
  const Walls walls = flow.painted ? Walls{flow.links} : Walls{};
  parallel_for(backend_, "lbm.drop_dye", box.size,
               DropDye{now_.view(), walls, stroke, copies, radius, amount, hold, box.i, box.j});
}

void Dye::drop(const StepParams& flow, const CellSegment& stroke, float radius, float amount) {
  need_fields();
  paint(flow, stroke, radius, amount, false);
}

void Dye::lay(const std::vector<float>& amounts, const std::vector<std::uint8_t>& walls) {
  need_fields();
  std::vector<float> dye = now_.download();
  for (std::size_t k = 0; k < dye.size(); ++k)
    if (walls.empty() || walls[k] == 0) dye[k] = std::min(1.f, dye[k] + amounts[k]);
  now_.upload(dye);
}

void Dye::add_source(const StepParams& flow, const DyeSource& source) {
  if (sources_.size() >= max_dye_sources)
    throw InputError("Cannot add another dye source: at most {} are allowed. Remove them with clear-dye.",
                     max_dye_sources);
  need_fields();
  sources_.push_back(source);
  feed(flow);
}

void Dye::change_source(const StepParams& flow, const DyeSource& source) {
  for (DyeSource& s : sources_)
    if (s.id == source.id) s = source;
  feed(flow);
}

void Dye::remove_source(int id) {
  std::erase_if(sources_, [&](const DyeSource& source) { return source.id == id; });
}

void Dye::clear() {
  now_ = {};
  next_ = {};
  sources_.clear();
}

void Dye::feed(const StepParams& flow) {
  for (const DyeSource& s : sources_) {
    const float x = exact_cells(s.x * width_, width_), y = exact_cells(s.y * height_, height_);
    paint(flow, {x, y, x, y}, std::max(1.f, static_cast<float>(s.radius * height_)), 1, true);
  }
}

void Dye::carry(const StepParams& flow, const Lattice& lattice) {
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    CarryDye<T> body{};
    body.velocity = lbm_velocity(flow, g);
    body.from = now_.view();
    body.to = next_.view();
    body.span = interval;
    body.wrap_x = lbm_wraps_x(flow);
    body.wrap_y = lbm_wraps_y(flow);
    const auto open = [](const Side& side) { return side.kind == Boundary::inlet || side.kind == Boundary::outlet; };
    body.open_left = open(flow.left);
    body.open_right = open(flow.right);
    body.open_bottom = open(flow.bottom);
    body.open_top = open(flow.top);
    parallel_for(backend_, "lbm.carry_dye", Range2D{width_, height_}, CarryDyeRows<T>{body});
  });
  now_.swap(next_);
  feed(flow);
}

void Dye::save_to(State& state) const {
  if (now_.empty()) return;
  state.put("dye", {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)}, "", now_.download());
  save_sources_to(state);
}

void Dye::save_sources_to(State& state) const {
  if (now_.empty()) return;
  std::vector<double> table, ids;
  for (const DyeSource& source : sources_) {
    table.insert(table.end(), {source.x, source.y, source.radius});
    ids.push_back(source.id);
  }
  state.put("dye_sources", {sources_.size(), 3}, "", table);
  state.put("dye_source_ids", {ids.size()}, "", ids);
}

void Dye::load(const std::vector<float>& values, std::vector<DyeSource> sources) {
  if (values.empty()) {
    clear();
  } else {
    need_fields();
    now_.upload(values);
  }
  sources_ = std::move(sources);
}

void Dye::swap(Dye& other) noexcept {
  now_.swap(other.now_);
  next_.swap(other.next_);
  sources_.swap(other.sources_);
}

void Dye::visit_members(MemberCopier& copy) {
  copy(now_, sources_);
  if (!copy.is_restoring()) return;
  if (now_.empty())
    next_ = {};
  else if (next_.empty())
    next_ = Field<float>(backend_, width_, height_, "dye");
}

}  // namespace perturb::lbm
