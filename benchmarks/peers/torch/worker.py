"""Runs programs and training steps in PyTorch on one thread: a question in JSON on each line of stdin, an answer on each of stdout.

{expression, inputs, result} prepares a program: inputs have a name, a dtype, a shape and a file of elements, and the elements of what
it computes are written into the file `result`. Its answer has their dtype and shape.
{network, parameters, images, labels, batch} prepares training by Adam: `network` is an expression over torch.nn.
{calls} runs what was prepared last so often. Its answer has the milliseconds of processor time of one call, and losses where it trains.
"""
import ctypes
import functools
import json
import math
import os
import re
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(0)


def blas():
    """The library that products are from: which one it is decides their speed."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "blas" in line or "libmkl" in line}
    except OSError:
        return "unknown"
    return ", ".join(sorted({os.path.basename(os.path.realpath(path)) for path in paths})) or "built in"


def hello():
    capability = re.search(r"CPU capability usage: (\S+)", torch.__config__.show())
    return {
        "version": torch.__version__,
        "threads": torch.get_num_threads(),
        "vectors": capability.group(1) if capability else "unknown",
        "blas": blas(),
    }


def read(given):
    with open(given["file"], "rb") as file:
        flat = torch.frombuffer(bytearray(file.read()), dtype=getattr(torch, given["dtype"]))
    return flat.reshape(given["shape"])


def prepare_program(question):
    names = [given["name"] for given in question["inputs"]]
    scope = {"torch": torch, "F": F, "math": math, "functools": functools}
    function = eval(f"lambda {', '.join(names)}: {question['expression']}", scope)
    inputs = [read(given) for given in question["inputs"]]

    def call():
        with torch.inference_mode():
            return function(*inputs)

    result = call().contiguous()
    with open(question["result"], "wb") as file:
        file.write(ctypes.string_at(result.data_ptr(), result.numel() * result.element_size()))
    shown = {"dtype": str(result.dtype).removeprefix("torch."), "shape": list(result.shape)}
    return call, shown


def prepare_training(question):
    network = eval(question["network"], {"nn": torch.nn})
    with torch.no_grad():
        for parameter, given in zip(network.parameters(), question["parameters"], strict=True):
            parameter.copy_(read(given))
    images, labels, batch = read(question["images"]), read(question["labels"]), question["batch"]
    optimizer = torch.optim.Adam(network.parameters())
    begin = 0

    def step():
        nonlocal begin
        optimizer.zero_grad()
        loss = F.cross_entropy(network(images[begin : begin + batch]), labels[begin : begin + batch])
        loss.backward()
        optimizer.step()
        begin = (begin + batch) % len(labels)
        return loss.item()

    return step, {}


def run(call, calls):
    losses = []
    start = time.process_time()
    for _ in range(calls):
        result = call()
        if isinstance(result, float):
            losses.append(result)
    return {"milliseconds": (time.process_time() - start) * 1e3 / calls, "losses": losses}


torch.set_num_threads(1)
print(json.dumps(hello()), flush=True)
prepared = None
for line in sys.stdin:
    try:
        question = json.loads(line)
        if "calls" in question:
            reply = run(prepared, question["calls"])
        else:
            prepare = prepare_program if "expression" in question else prepare_training
            prepared, reply = prepare(question)
    except Exception as error:  # the program's own fault is an answer too
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
