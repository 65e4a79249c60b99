"""Runs programs in PyTorch on one thread: a question in JSON on each line of stdin, an answer on each line of stdout.

A question has an expression, its inputs (name, dtype, shape, file of elements), a file for the results and milliseconds to measure.
The answer has the milliseconds of one call and the results' dtypes and shapes, or an error.
"""
import ctypes
import functools
import json
import math
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(0)


def read(given):
    with open(given["file"], "rb") as file:
        flat = torch.frombuffer(bytearray(file.read()), dtype=getattr(torch, given["dtype"]))
    return flat.reshape(given["shape"])


def batch(run, calls):
    start = time.process_time()
    for _ in range(calls):
        run()
    return (time.process_time() - start) * 1e3 / calls


def answer(question):
    names = [given["name"] for given in question["inputs"]]
    scope = {"torch": torch, "F": F, "math": math, "functools": functools}
    function = eval(f"lambda {', '.join(names)}: {question['expression']}", scope)
    inputs = [read(given) for given in question["inputs"]]
    result = function(*inputs).contiguous()
    with open(question["result"], "wb") as file:
        file.write(ctypes.string_at(result.data_ptr(), result.numel() * result.element_size()))
    for _ in range(3):
        time_of_one = batch(lambda: function(*inputs), 1)
    calls = max(1, round(question["milliseconds"] / 9 / max(time_of_one, 1e-3)))
    times = sorted(batch(lambda: function(*inputs), calls) for _ in range(9))
    return {"milliseconds": times[4], "dtype": str(result.dtype).removeprefix("torch."), "shape": list(result.shape)}


torch.set_num_threads(1)
torch.set_grad_enabled(False)
print(json.dumps({"version": torch.__version__}), flush=True)
for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as error:  # the program's own fault is an answer too
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
