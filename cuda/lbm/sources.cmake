set(sources lbm.cpp lbm_actions.cpp lbm_params.cpp lbm_setup.cpp lbm_tables.cpp lbm_verify.cpp lbm_walls.cpp)
set(kernels lbm_kernels.cu)
set(fallback lbm_no_kernels.cpp)
