# Properties of this folder's sources that file names do not show (scripts/cmake/Simulation.cmake).
set(device_sources
  discs.cpp
  memory.cpp)
