set(sources heat_info.cpp heat_verify.cpp)
set(launches heat.cpp)
set(kernels)
set(fallback)
