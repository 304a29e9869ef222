set(sources
  membrane_actions.cpp
  membrane_choice.cpp
  membrane_cover.cpp
  membrane_gauss.cpp
  membrane_info.cpp
  membrane_params.cpp
  membrane_saved.cpp
  membrane_saved_fields.cpp
  membrane_setup.cpp
  membrane_space.cpp
  membrane_structure.cpp
  membrane_swing.cpp
  membrane_theory.cpp
  membrane_verify.cpp)
set(launches
  membrane.cpp
  membrane_assembly.cpp
  membrane_discretisation.cpp
  membrane_measure.cpp
  membrane_picture.cpp
  membrane_solution.cpp
  membrane_solver.cpp
  membrane_studies.cpp
  membrane_studies_tables.cpp)
set(kernels membrane_kernels.cu)
set(fallback membrane_no_kernels.cpp)
