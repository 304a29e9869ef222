set(sources
  particles_actions.cpp
  particles_cpu_search.cpp
  particles_discs.cpp
  particles_info.cpp
  particles_params.cpp
  particles_population.cpp
  particles_saved.cpp
  particles_saved_fields.cpp
  particles_start.cpp
  particles_studies.cpp
  particles_studies_blocks.cpp
  particles_studies_divergence.cpp
  particles_studies_figures.cpp
  particles_studies_findings.cpp
  particles_studies_rules.cpp
  particles_studies_sweeps.cpp
  particles_text.cpp
  particles_theory.cpp
  particles_verify.cpp
  particles_verify_gas.cpp
  particles_verify_rules.cpp
  particles_verify_statistics.cpp)
set(launches
  particles.cpp
  particles_describe.cpp
  particles_editor.cpp
  particles_measure.cpp
  particles_picture.cpp
  particles_setup.cpp
  particles_studies_discs.cpp)
set(kernels particles_kernels.cu particles_tiles.cu)
set(fallback particles_no_kernels.cpp)
set(wide_loops particles_cpu_search.cpp)
