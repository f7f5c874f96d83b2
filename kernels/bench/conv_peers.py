"""CuPy's ndimage and PyTorch's conv2d for the convolution rows of wk-bench.

peers.py calls cases(wanted, emit). Rows are those of conv_bench.cu with the same border (zeros). A
separable row uses the library's separable way where it has one.
"""
import sys

from peers import cupy_seconds, load, torch_seconds

ROWS = [(16384, k, False) for k in (3, 5, 7, 11, 15, 21, 31)] + [(16384, k, True) for k in (7, 11, 15, 21, 31)]
ROWS += [(1024, k, False) for k in (3, 5, 7, 11, 15, 31)] + [(1024, k, True) for k in (11, 31)]
BACK_TO_BACK = 50  # of the small ones, so that the launches overlap


def name(k, separable):
    return f"conv {k}x{k}" + (", separable" if separable else "")


def repeated(call, times):
    def run():
        for _ in range(times):
            call()

    return run


def measure(seconds_of, library, call, size):
    times = BACK_TO_BACK if size <= 1024 else 1
    return [s / times for s in seconds_of(library, repeated(call, times))]


def cupy_rows(cupy, wanted, emit):
    from cupyx.scipy import ndimage

    for size, k, separable in ROWS:
        if not wanted(name(k, separable)) or (size > 1024 and k > 7 and not separable):
            continue  # a large part of a second each call
        image = cupy.random.random((size, size), dtype=cupy.float32)
        out = cupy.empty_like(image)
        if separable:
            line, between = cupy.random.random(k, dtype=cupy.float32), cupy.empty_like(image)

            def call():
                ndimage.correlate1d(image, line, axis=0, output=between, mode="constant")
                ndimage.correlate1d(between, line, axis=1, output=out, mode="constant")
        else:
            weights = cupy.random.random((k, k), dtype=cupy.float32)

            def call():
                ndimage.correlate(image, weights, output=out, mode="constant")

        emit(name(k, separable), f"{size}^2", "CuPy", measure(cupy_seconds, cupy, call, size))
        del image, out
        cupy.get_default_memory_pool().free_all_blocks()


def torch_rows(torch, wanted, emit):
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    for size, k, separable in ROWS:
        if not wanted(name(k, separable)) or (size > 1024 and k > 7):
            continue  # cuDNN, which has rows of its own
        image = torch.rand(1, 1, size, size, device="cuda")
        weights = [torch.rand(1, 1, k, 1, device="cuda"), torch.rand(1, 1, 1, k, device="cuda")]
        if not separable:
            weights = [torch.rand(1, 1, k, k, device="cuda")]

        def call():
            with torch.no_grad():
                x = image
                for w in weights:
                    x = torch.nn.functional.conv2d(x, w, padding=(w.shape[2] // 2, w.shape[3] // 2))

        emit(name(k, separable), f"{size}^2", "PyTorch", measure(torch_seconds, torch, call, size))
        del image
        torch.cuda.empty_cache()


def cases(wanted, emit):
    for module, rows in (("cupy", cupy_rows), ("torch", torch_rows)):
        library = load(module)
        if not library:
            continue
        try:
            rows(library, wanted, emit)
        except Exception as e:  # out of memory, say: the other library's rows stand
            print(f"peers: convolution with {module}: {e}", file=sys.stderr)
