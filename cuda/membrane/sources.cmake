# Properties of this folder's sources that their file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  kernels/cell_results.cpp
  measure/measure.cpp
  measure/microscope.cpp
  membrane.cpp
  model/algebra.cpp
  model/assembly.cpp
  model/discretisation.cpp
  model/hierarchy.cpp
  model/motion.cpp
  model/solution.cpp
  model/spectrum.cpp
  view/picture.cpp)
