# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  fibers.cpp
  kernels/contact_search.cpp
  kernels/stepper.cpp
  measure/measure.cpp
  measure/microscope.cpp
  model/extension.cpp
  model/flow.cpp
  model/fluid.cpp
  model/levels.cpp
  model/matrix.cpp
  model/nodes.cpp
  model/solver.cpp
  setup.cpp
  view/picture.cpp)
