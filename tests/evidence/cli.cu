this is no CUDA
