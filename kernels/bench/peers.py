#!/usr/bin/env python3
"""Peers of wk-bench that live in Python: PyTorch (eager and compiled) and CuPy.

Prints one line a measurement, tabs between the fields:
    work  size  peer  median  low  high        (seconds a call; 10th and 90th percentile)
and one line `version <tab> text` for each library. wk-bench puts them beside its own rows of the
same work and size. A library that is not installed is left out. Optional argument: only rows whose
work contains this text. A file conv_peers.py beside this one may add rows: cases(wanted, emit).
"""
import importlib
import os
import statistics
import sys

REPEATS = 20


def emit(work, size, peer, seconds):
    seconds = sorted(seconds)
    cut = statistics.quantiles(seconds, n=10, method="inclusive")
    print("\t".join([work, size, peer, repr(statistics.median(seconds)), repr(cut[0]), repr(cut[-1])]), flush=True)


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"peers: {name} is not installed, its rows are left out", file=sys.stderr)
        return None


def torch_seconds(torch, call):
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    seconds = []
    for _ in range(REPEATS):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        stop.synchronize()
        seconds.append(start.elapsed_time(stop) * 1e-3)
    return seconds


def cupy_seconds(cupy, call):
    for _ in range(3):
        call()
    cupy.cuda.runtime.deviceSynchronize()
    seconds = []
    for _ in range(REPEATS):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        stop.record()
        stop.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(start, stop) * 1e-3)
    return seconds


def present_value(face, years, rate, spread):
    return face * (-(rate + spread) * years).exp()


def portfolio(face, years, rate, spread):
    y = rate + spread
    p = face * (-y * years).exp()
    value = p.sum()
    return value, (p * years).sum() / value, (p * y).sum() / value


def torch_cases(torch, wanted):
    print(f"version\tPyTorch {torch.__version__}", flush=True)
    n = 1 << 28
    x, y, r, s, out = (torch.rand(n, device="cuda") for _ in range(5))

    def case(work, size, peer, call):
        if wanted(work):
            try:
                emit(work, size, peer, torch_seconds(torch, call))
            except Exception as e:  # a missing compiler must not take the other rows with it
                print(f"peers: {work} with {peer}: {e}", file=sys.stderr)

    case("scale f32", "2^28", "PyTorch", lambda: torch.mul(x, 1.25, out=out))
    case("axpy f32", "2^28", "PyTorch", lambda: torch.add(y, x, alpha=1.25, out=out))
    case("sum f32", "2^28", "PyTorch", lambda: torch.sum(x))
    case("min f32", "2^28", "PyTorch", lambda: torch.min(x))
    case("argmax f32", "2^28", "PyTorch", lambda: torch.argmax(x))
    case("dot f32", "2^28", "PyTorch", lambda: torch.dot(x, y))
    case("scan f32, inclusive", "2^28", "PyTorch", lambda: torch.cumsum(x, 0, out=out))
    for cols in (64, 1024, 8192, 1 << 24):
        m = x.view(-1, cols)
        case("sum f32 of rows", f"2^28 / {cols}", "PyTorch", lambda m=m: torch.sum(m, 1))
    terms = (x, y, r, s)
    case("bonds present value, SoA", "2^28", "PyTorch", lambda: present_value(*terms))
    for work in ("bonds portfolio, f64 sums", "bonds portfolio, f32 sums"):
        case(work, "2^28", "PyTorch", lambda: portfolio(*terms))
    if wanted("bonds"):
        try:
            value_compiled, portfolio_compiled = torch.compile(present_value), torch.compile(portfolio)
            case("bonds present value, SoA", "2^28", "PyTorch compiled", lambda: value_compiled(*terms))
            case("bonds portfolio, f32 sums", "2^28", "PyTorch compiled", lambda: portfolio_compiled(*terms))
        except Exception as e:
            print(f"peers: torch.compile: {e}", file=sys.stderr)


def cupy_cases(cupy, wanted):
    print(f"version\tCuPy {cupy.__version__}", flush=True)
    n = 1 << 28
    x, y = (cupy.random.random(n, dtype=cupy.float32) for _ in range(2))
    out = cupy.empty_like(x)
    for work, call in (
        ("scale f32", lambda: cupy.multiply(x, cupy.float32(1.25), out=out)),
        ("sum f32", lambda: cupy.sum(x)),
        ("min f32", lambda: cupy.min(x)),
        ("scan f32, inclusive", lambda: cupy.cumsum(x, out=out)),
    ):
        if wanted(work):
            emit(work, "2^28", "CuPy", cupy_seconds(cupy, call))
    del x, y, out
    cupy.get_default_memory_pool().free_all_blocks()


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    wanted = lambda work: only in work
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    torch, cupy = load("torch"), load("cupy")
    if torch:
        torch_cases(torch, wanted)
        torch.cuda.empty_cache()
    if cupy:
        cupy_cases(cupy, wanted)
    if os.path.exists(os.path.join(sys.path[0], "conv_peers.py")):
        importlib.import_module("conv_peers").cases(wanted, emit)


if __name__ == "__main__":
    main()
