# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  kernels/kernels.cpp
  measure/measure.cpp
  measure/microscope.cpp
  measure/profile.cpp
  model/boundary_links.cpp
  model/curved.cpp
  model/dragged_body.cpp
  model/dye.cpp
  model/forces.cpp
  model/lattice.cpp
  model/tracers.cpp
  view/picture.cpp
  view/streamlines.cpp)
set(wide_loops kernels/cpu_steps.cpp)
# Each after those that it includes.
set(editable_sources
  cuda/core/backend/host_device.h
  cuda/core/backend/view.h
  cuda/core/math/arithmetic.h
  cuda/core/math/pack.h
  cuda/core/math/half.h
  cuda/core/simulation/edited_cells.h
  model/sides.h
  model/cell.h
  model/step_params.h
  kernels/edited_rows.h)
