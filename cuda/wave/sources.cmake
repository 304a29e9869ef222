# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  measure/directions.cpp
  measure/measure.cpp
  measure/microscope.cpp
  measure/screen.cpp
  measure/wedge.cpp
  model/limit.cpp
  model/medium.cpp
  model/surface.cpp
  view/picture.cpp
  view/relief.cpp)
set(wide_loops kernels/cpu_steps.cpp)
# Each after those that it includes.
set(editable_sources
  cuda/core/backend/host_device.h
  cuda/core/math/arithmetic.h
  cuda/core/math/geometry.h
  cuda/core/simulation/edited_cells.h
  model/cell.h
  model/sides.h
  kernels/row_cell.h
  kernels/edited_rows.h)
