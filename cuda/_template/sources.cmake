# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  heat.cpp)
# What an edited kernel is compiled from, each after those that it includes.
set(editable_sources
  cuda/core/backend/host_device.h
  cuda/core/backend/view.h
  cuda/core/simulation/edited_cells.h
  cuda/core/simulation/edited_grid.h
  model/cell.h)
