set(sources fibers.cpp fibers_actions.cpp fibers_flow.cpp fibers_interaction.cpp fibers_params.cpp fibers_start.cpp fibers_verify.cpp)
set(kernels fibers_kernels.cu)
set(fallback fibers_no_kernels.cpp)
# By the host compiler in every build: nvcc knows no vector types.
target_sources(perturb_compute PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fibers/fibers_cpu.cpp)
