# What no file name shows of the sources of this folder (scripts/cmake/Simulation.cmake).
set(device_sources
  heat.cpp)
