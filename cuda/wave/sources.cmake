# What no file name shows of the sources of this folder (scripts/cmake/Simulation.cmake).
set(device_sources
  measure/directions.cpp
  measure/limit.cpp
  measure/measure.cpp
  measure/screen.cpp
  model/medium.cpp
  view/picture.cpp
  view/relief.cpp
  view/surface.cpp)
set(wide_loops kernels/cpu_steps.cpp)
