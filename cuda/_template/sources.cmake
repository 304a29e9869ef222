set(sources heat.cpp)
set(kernels)
set(fallback)
