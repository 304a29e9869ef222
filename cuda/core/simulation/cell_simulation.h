// A simulation of one field on a grid, in which a step computes each cell from the old values of the field.
//
// A file that includes this is a launch (scripts/cmake/Simulation.cmake).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cuda/core/simulation/edited_grid.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/grid_simulation.h"

namespace perturb {

// `Step`: the functor of a step, in model/cell.h, so that a user can edit it while the simulation runs:
//
//   struct Step {
//     using Constants = float;    // whatever a step needs besides the field; plain data
//     View2D<const float> from;
//     View2D<float> to;
//     Constants constants;
//     PERTURB_HD void operator()(int i, int j) const;
//   };
//
// It is perturb::ID::Step, with the id of the simulation.
template <class Parameters, class Step>
class CellSimulation : public GridSimulation<Parameters>, public EditableCell {
 public:
  using Base = GridSimulation<Parameters>;
  using Base::backend;
  using Base::info;

  void step(std::int64_t count) override {
    if (!edited_) return Base::step(count);
    while (count > 0) {
      backend().stop_point();
      const int steps = static_cast<int>(std::min<std::int64_t>(count, max_edited_steps));
      take_edited_steps(steps);
      count -= steps;
    }
  }
  void select_kernel(const std::string& id) override {
    Base::select_kernel(id);
    if (!edited_) return;
    edited_.reset();
    unshare_fields(backend(), now_, next_);
  }
  const KernelSource& kernel_source() const override { return source_; }
  std::string rows_class() const override { return "perturb::EditedGridRows<perturb::" + info().id + "::Step>"; }
  void use_edited_kernel(const std::string& id, std::unique_ptr<EditedKernel> kernel) override {
    share_fields(backend(), *kernel, now_, next_);
    this->kernel_ = id;
    edited_ = std::move(kernel);
  }

  State save() const override {
    State state = Base::save();
    save_kernel(state, this->kernel_, used_text_);
    return state;
  }
  void load(const State& state) override {
    std::string used_text = load_edited_kernel(state);
    Base::load(state);
    used_text_ = std::move(used_text);
  }

 protected:
  // `files`: embedded_NAME_kernel(), from the list editable_sources in sources.cmake.
  CellSimulation(Backend& place, const SimulationInfo& simulation_info, const Setup& setup, GridSize grid_size,
                 std::span<const EmbeddedFile> files)
      : Base(place, simulation_info, setup, grid_size),
        now_(place, grid_size.width, grid_size.height, "field"),
        next_(place, grid_size.width, grid_size.height, "next field"),
        source_(files),
        step_label_(simulation_info.id + ".step") {
    this->keep_field(now_);
  }

  virtual typename Step::Constants constants() const = 0;
  // The time that a step covers.
  virtual double time_step() const = 0;

  View2D<float> field() { return now_.view(); }

  void visit_members(MemberCopier& copy) override {
    copy(used_text_);
    Base::visit_members(copy);
  }

 private:
  // On the CPU so few rows stay in the cache; on CUDA the field is copied to the kernel and back.
  static constexpr int max_edited_steps = 16;

  double take_step() final {
    parallel_for(backend(), step_label_.c_str(), this->cells(), Step{now_.view(), next_.view(), constants()});
    now_.swap(next_);
    return time_step();
  }
  void take_edited_steps(int steps) {
    EditedGrid<Step> grid{};
    grid.width = now_.width();
    grid.height = now_.height();
    grid.levels = steps;
    grid.stride = now_.view().stride;
    grid.constants = constants();
    const std::size_t bytes = Field<float>::bytes_of(now_.width(), now_.height());
    EditedPass pass(backend(), *edited_);
    pass.read(grid.from, now_.view().data, bytes);
    pass.write(grid.fields[0], next_.view().data, bytes);
    if (steps > 1) pass.scratch(grid.fields[1], bytes);
    pass.run(grid);
    now_.swap(next_);
    used_text_ = edited_text(this->kernel_);
    for (int k = 0; k < steps; ++k) this->add_step(time_step());
  }

  Field<float> now_, next_;
  KernelSource source_;
  std::string step_label_;
  std::unique_ptr<EditedKernel> edited_;  // takes the steps instead; null: none
  std::string used_text_;                 // of the edited kernel that took the last steps with one; saved
};

}  // namespace perturb
