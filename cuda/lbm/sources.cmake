set(sources
  lbm.cpp
  lbm_actions.cpp
  lbm_cpu_steps.cpp
  lbm_gauges.cpp
  lbm_info.cpp
  lbm_inlet_stability.cpp
  lbm_params.cpp
  lbm_report.cpp
  lbm_saved.cpp
  lbm_saved_fields.cpp
  lbm_scheme.cpp
  lbm_setup.cpp
  lbm_stability.cpp
  lbm_stepper.cpp
  lbm_studies.cpp
  lbm_tables.cpp
  lbm_verify.cpp
  lbm_walls.cpp)
set(launches
  lbm_dye.cpp
  lbm_kernels.cpp
  lbm_lattice.cpp
  lbm_marks.cpp
  lbm_measure.cpp
  lbm_picture.cpp)
set(kernels lbm_kernels.cu lbm_temporal.cu)
set(fallback lbm_no_kernels.cpp)
set(wide_loops lbm_cpu_steps.cpp)
