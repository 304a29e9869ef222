set(sources
  fibers_actions.cpp
  fibers_cpu.cpp
  fibers_evaluate.cpp
  fibers_interaction.cpp
  fibers_nodes_cpu.cpp
  fibers_params.cpp
  fibers_plan.cpp
  fibers_rates.cpp
  fibers_saved_fields.cpp
  fibers_start.cpp
  fibers_studies.cpp
  fibers_studies_runs.cpp
  fibers_verify.cpp)
set(launches
  fibers.cpp
  fibers_flow.cpp
  fibers_hand.cpp
  fibers_matrix.cpp
  fibers_measure.cpp
  fibers_nodes.cpp
  fibers_picture.cpp
  fibers_run.cpp
  fibers_saved.cpp
  fibers_solver.cpp)
set(kernels fibers_kernels.cu fibers_nodes_kernels.cu)
set(fallback fibers_no_kernels.cpp)
