set(sources
  fibers.cpp
  fibers_actions.cpp
  fibers_evaluate.cpp
  fibers_flow.cpp
  fibers_hand.cpp
  fibers_interaction.cpp
  fibers_measure.cpp
  fibers_nodes.cpp
  fibers_params.cpp
  fibers_picture.cpp
  fibers_plan.cpp
  fibers_rates.cpp
  fibers_run.cpp
  fibers_saved.cpp
  fibers_saved_fields.cpp
  fibers_start.cpp
  fibers_studies.cpp
  fibers_verify.cpp)
set(kernels fibers_kernels.cu fibers_nodes_kernels.cu)
set(fallback fibers_no_kernels.cpp)
# By the host compiler in every build: nvcc knows no vector types.
target_sources(perturb_compute PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fibers/fibers_cpu.cpp
                                       ${CMAKE_CURRENT_SOURCE_DIR}/fibers/fibers_nodes_cpu.cpp)
