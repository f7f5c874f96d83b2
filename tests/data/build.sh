#!/bin/sh
# Makes the cubins and fatbins of the tests from the sources beside this script: build.sh OUTPUT_FOLDER [WORK_FOLDER]
# They are checked in, so that the tests need no CUDA toolkit; a test compares them with a fresh build where nvcc is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/cubin" "$1/fatbin"
out=$(cd "$1" && pwd)
work=${2:-/tmp/warpgrind_data} # line tables hold this path: what is checked in is made at the same one
mkdir "$work"
trap 'rm -rf "$work"' EXIT
cp "$here"/*.cu "$work"
cd "$work"

for sm in 75 80 86 89 90 120; do
    nvcc -cubin -arch=sm_$sm -lineinfo probe.cu -o "$out/cubin/probe_sm$sm.cubin"
done
nvcc -cubin -arch=sm_80 -lineinfo tiny.cu -o "$out/cubin/tiny_sm80.cubin"
for sm in 80 90; do
    nvcc -dc -arch=sm_$sm linked_a.cu linked_b.cu
    nvlink -arch=sm_$sm linked_a.o linked_b.o -o "$out/cubin/linked_sm$sm.cubin"
done

# probe_cuda11_sm80.cubin and probe_cuda12_sm90a.cubin are probe.cu's PTX through the ptxas of CUDA 11.8 and 12.4
# (its .version lowered; takes_large left out for 11.8, which has no parameters that large).

targets="-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=[sm_80,compute_80] \
         -gencode arch=compute_90a,code=sm_90a"
nvcc -fatbin $targets --compress-mode=none tiny.cu -o "$out/fatbin/tiny_stored.fatbin"
nvcc -fatbin $targets --compress-mode=size tiny.cu -o "$out/fatbin/tiny_zstd.fatbin"
nvcc -fatbin $targets --compress-mode=speed -Xfatbin -compress-all tiny.cu -o "$out/fatbin/tiny_lz4.fatbin"
nvcc -c $targets tiny.cu -o "$out/fatbin/tiny_host.o"     # a host object: .nv_fatbin
nvcc -dc $targets linked_b.cu -o "$out/fatbin/linked_b.o" # relocatable: __nv_relfatbin
nvcc -ptx -arch=compute_80 tiny.cu -o "$out/fatbin/tiny.ptx"
