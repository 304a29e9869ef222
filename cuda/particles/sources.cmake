# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  measure/describe.cpp
  measure/marks.cpp
  measure/measure.cpp
  measure/microscope.cpp
  model/editor.cpp
  particles.cpp
  setup.cpp
  view/picture.cpp)
set(wide_loops kernels/cpu_search.cpp)
