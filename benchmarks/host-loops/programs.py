"""The twins of programs.ts in PyTorch, on one thread: `python3 programs.py NAME`."""

import json
import math
import sys
import time

import torch

torch.set_num_threads(1)


def numbers(seed):
    state = seed
    while True:
        state = (state * 16807) % 2147483647
        yield state / 2147483647


def uniform(seed, shape):
    count = 1
    for size in shape:
        count *= size
    source = numbers(seed)
    return (torch.tensor([next(source) for _ in range(count)]) - 0.5).reshape(shape)


def filled(module, seed):
    with torch.no_grad():
        for k, parameter in enumerate(module.parameters()):
            parameter.copy_(uniform(seed + k, parameter.shape))


def edit():
    n = 60
    one, other = ([int(4 * next(source)) for _ in range(n)] for source in (numbers(1), numbers(2)))
    table = torch.zeros(n + 1, n + 1)
    table[0] = torch.arange(n + 1)
    table[:, 0] = torch.arange(n + 1)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost = 0 if one[i - 1] == other[j - 1] else 1
            gap = torch.minimum(table[i - 1, j], table[i, j - 1]) + 1
            table[i, j] = torch.minimum(gap, table[i - 1, j - 1] + cost)
    return table[n, n].item()


def warping():
    batch, n = 100, 40
    x, y = uniform(3, (batch, n)).cumsum(1), uniform(4, (batch, n)).cumsum(1)
    cost = (x.unsqueeze(2) - y.unsqueeze(1)).abs()
    table = torch.full((batch, n + 1, n + 1), float("inf"))
    table[:, 0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            beside = torch.minimum(table[:, i - 1, j], table[:, i, j - 1])
            table[:, i, j] = cost[:, i - 1, j - 1] + torch.minimum(beside, table[:, i - 1, j - 1])
    return table[:, n, n].mean().item()


def heat():
    u = uniform(5, (256, 256))
    for step in range(300):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] * 0.2 + around * 0.2
        u[0] = u[1]
        u[-1] = u[-2]
        u[:, 0] = u[:, 1]
        u[:, -1] = u[:, -2]
        if step % 50 == 49 and u.isnan().any().item():
            break
    return u.abs().sum().item()


def elimination():
    n = 60
    a = uniform(6, (n, n + 1))
    for k in range(n):
        pivot = k + a[k:, k].abs().argmax().item()
        if pivot != k:
            row = a[k].clone()
            a[k] = a[pivot]
            a[pivot] = row
        a[k] /= a[k, k].clone()
        for i in range(n):
            if i != k:
                a[i] -= a[k] * a[i, k]
    return a[:, n].abs().sum().item()


def episodes():
    policy = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
    filled(policy, 10)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    draw = numbers(11)
    total = 0
    for episode in range(30):
        state = uniform(20 + episode, (1, 4))
        chosen = []
        for _ in range(10 + episode % 5):
            logits = policy(state).log_softmax(1)
            action = min(2, (logits.detach().exp().cumsum(1) < next(draw)).sum().item())
            chosen.append(logits.select(1, action).squeeze())
            total += action
            state = state * 0.9 + 0.1 * action
        loss = -(torch.stack(chosen) * (-torch.arange(len(chosen))).exp()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def replay():
    network = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    filled(network, 30)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.001)
    before, after, rewards = torch.zeros(500, 4), torch.zeros(500, 4), torch.zeros(500)
    draw = numbers(31)
    state = uniform(32, (4,))
    total = 0
    for step in range(200):
        with torch.no_grad():
            values = network(state.unsqueeze(0))
        action = int(2 * next(draw)) if next(draw) < 0.3 else values.argmax(1).item()
        after_step = state.roll(1, 0) * 0.95 + (0.1 * action - 0.05)
        at = step % 500
        before[at] = state
        after[at] = after_step
        rewards[at] = after_step[0]
        state = after_step
        if step < 32:
            continue
        rows = torch.tensor([int(next(draw) * step) for _ in range(32)])
        with torch.no_grad():
            target = rewards[rows] + network(after[rows]).amax(1) * 0.9
        loss = (network(before[rows]).amax(1) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def filter():
    step = torch.tensor([[1, 0.1], [0, 1]])
    seen = uniform(40, (1000, 1))
    noise, exact = torch.eye(2) * 0.001, torch.eye(2)
    observe = torch.tensor([[1.0, 0.0]])
    x, p = torch.zeros(2), exact
    states = []
    for k in range(1000):
        x = step.mv(x)
        p = step @ p @ step.t() + noise
        s = observe @ p @ observe.t() + 0.1
        gain = p @ observe.t() / s
        x = x + gain @ (seen[k] - observe @ x)
        p = (exact - gain @ observe) @ p
        states.append(x)
    return torch.stack(states).square().sum().item()


def history():
    seen = []
    x = uniform(50, (8,))
    for _ in range(300):
        x = x * 0.5 + x.roll(1, 0).cos() * 0.4
        seen.append(x)
        last = torch.stack(seen).mean().item()
    return last


def tokens():
    words, width, most = 32, 32, 16
    embedding = uniform(60, (words, width))
    q, k, v, up, down = (uniform(seed, (width, width)) for seed in range(61, 66))
    draw = numbers(66)
    ids = torch.zeros(1, dtype=torch.int64)
    for _ in range(60):
        x = embedding[ids[-most:]]
        scores = (x @ q @ (x @ k).t() / width**0.5).softmax(-1)
        y = x + scores @ (x @ v)
        z = y + (y @ up).tanh() @ down
        values, indices = (z[-1] @ embedding.t()).topk(4)
        place = min(3, (values.softmax(0).cumsum(0) < next(draw)).sum().item())
        ids = torch.cat([ids, indices[place : place + 1]])
    return (ids * torch.arange(61)).sum().item()


def messages():
    features, inner, outer = uniform(70, (80, 16)), uniform(71, (16, 16)), uniform(72, (16, 16))
    draw = numbers(73)

    def below(most):
        return int(most * next(draw))

    total = 0
    for _ in range(150):
        nodes, edges = 30 + below(50), 60 + below(200)
        source, target = (torch.tensor([below(nodes) for _ in range(edges)]) for _ in range(2))
        x = features[:nodes]
        sent = (x @ inner).relu().index_select(0, source)
        got = torch.zeros(nodes, 16).index_add(0, target, sent)
        total += (got @ outer + x).tanh().square().mean().item()
    return total


def suppression():
    draw = numbers(74)
    total = 0
    for picture in range(20):
        count = 30 + int(60 * next(draw))
        start = uniform(80 + picture, (count, 2)) * 100
        end = start + (uniform(120 + picture, (count, 2)) + 0.6) * 30
        score = uniform(160 + picture, (count,))
        left = score.argsort(0, descending=True)
        area = (end - start).prod(1)
        while left.numel() > 1:
            best = left[0].item()
            total += best
            left = left[1:]
            low, high = start[left], end[left]
            met = (torch.minimum(high, end[best]) - torch.maximum(low, start[best])).clamp(min=0).prod(1)
            union = area[left] + area[best] - met
            left = left[met / union <= 0.2]
    return total


def batches():
    draw = numbers(200)
    words = uniform(201, (40, 4)) - 0.5
    total = 0
    for _ in range(300):
        every = [words[: 1 + int(32 * next(draw))].clone() for _ in range(8)]
        padded = torch.nn.utils.rnn.pad_sequence(every, batch_first=True)
        total += padded.exp().sum(1).square().mean().item()
    return total


def requests():
    draw = numbers(210)
    table, inner = uniform(211, (50, 16)) - 0.5, uniform(212, (16, 16)) - 0.5
    total = 0
    for _ in range(400):
        count, length = 2 + int(7 * next(draw)), 2 + int(29 * next(draw))
        ids = (torch.arange(count * length) * 7 % 50).reshape(count, length)
        x = table[ids] @ inner
        total += ((x @ x.mT).softmax(-1) @ x).tanh().square().mean().item()
    return total


def prefixes():
    draw = numbers(220)
    values = uniform(221, (400,)) - 0.5
    total = 0
    for _ in range(400):
        end = 2 + int(398 * next(draw))
        total += values[:end].cumsum(0).abs().amax(0).item()
    return total


def crops():
    draw = numbers(230)
    below = lambda count: int(count * next(draw))
    images = uniform(231, (64, 3, 40, 40))
    total = 0
    for _ in range(200):
        every = []
        for _ in range(16):
            which, top, left, turned = below(64), below(9), below(9), below(2)
            crop = images[which, :, top : top + 32, left : left + 32]
            own = ((crop.flip(2) if turned == 1 else crop) - 0.1).div(0.5).clone()
            row, column = below(25), below(25)
            own[:, row : row + 8, column : column + 8].zero_()
            every.append(own)
        total += torch.stack(every).square().mean().item()
    return total


def labels():
    draw = numbers(240)
    words = (uniform(241, (64, 40)) * 4).floor()
    total = 0
    for _ in range(300):
        left = torch.zeros(64)
        for step in range(10):
            left = (left + words[:, step].ne(int(4 * next(draw))).float()) * (0.75 if next(draw) < 0.5 else 0.5)
        total += left.sum().item()
    return total


def decoding():
    query, key, value = ((uniform(seed, (256, 256)) - 0.5) * 0.1 for seed in (250, 251, 252))
    total = 0
    for sequence in range(4):
        keys, values = torch.zeros(1024, 256), torch.zeros(1024, 256)
        h = uniform(253 + sequence, (256,)) - 0.5
        for k in range(200):
            keys[k].copy_(key @ h)
            values[k].copy_(value @ h)
            scores = (keys[: k + 1] @ (query @ h)).softmax(0)
            h = (scores @ values[: k + 1] + h).tanh()
            total += h.sum().item()
    return total


def circuit():
    bits = 10
    size = 2**bits
    total = 0
    for turn in range(10):
        re, im = torch.full((size,), 1 / 32), torch.zeros(size)
        for layer in range(3):
            for bit in range(bits):
                angle = 0.3 * (bit + 1) + 0.1 * layer + 0.01 * turn
                c, s = math.cos(angle), math.sin(angle)
                pairs = (1 << bit, 2, 1 << (bits - bit - 1))
                r, i = re.reshape(pairs), im.reshape(pairs)
                r0, r1, i0, i1 = r[:, 0], r[:, 1], i[:, 0], i[:, 1]
                re = torch.stack([r0 * c + i1 * s, r1 * c + i0 * s], 1).reshape(size)
                im = torch.stack([i0 * c - r1 * s, i1 * c - r0 * s], 1).reshape(size)
        chances = re.square() + im.square()
        total += chances.sum().item()
        total += chances[:32].max().item()
    return total


def rejection():
    source = numbers(260)
    total = 0
    for _ in range(200):
        found = torch.zeros(0, 2)
        while found.shape[0] < 100:
            lot = torch.tensor([next(source) for _ in range(80)]).reshape(40, 2) * 2 - 1
            distance = lot.square().sum(1)
            found = torch.cat([found, lot[(distance < 1) & (distance > 0.2)]])
        total += found[:100].mean(0).abs().sum().item()
    return total


def seasons():
    rounds, season = 120, 12
    y = uniform(280, (64, rounds)) + 1
    total = 0
    for turn in range(40):
        alpha = 0.1 + 0.01 * turn
        level = y[:, :season].mean(1)
        trend = (y[:, season : 2 * season].mean(1) - level) / season
        each = [y[:, k] - level for k in range(season)]
        errors = torch.zeros(64)
        for k in range(season, rounds):
            seen, before = y[:, k], each[k % season]
            errors = errors + (seen - (level + trend + before)).square()
            following = (seen - before) * alpha + (level + trend) * (1 - alpha)
            trend = (following - level) * 0.05 + trend * 0.95
            each[k % season] = (seen - following) * 0.2 + before * 0.8
            level = following
        total += errors.mean().item()
        total += level.sum().item()
    return total


def leaves():
    source = numbers(290)
    x = uniform(291, (256, 4))
    depth = torch.zeros(256)

    def grow(places, level):
        count = places.shape[0]
        if count == 0:
            return
        if count == 1 or level == 8:
            depth.index_add_(0, places, torch.zeros(count) + level)
            return
        column = x[:, math.floor(4 * next(source))][places]
        least, most = column.min().item(), column.max().item()
        left = column < least + next(source) * (most - least)
        grow(places[left], level + 1)
        grow(places[~left], level + 1)

    for _ in range(60):
        grow(torch.arange(256), 0)
    return depth.mean().item()


def pairs():
    encoder, decoder, head = torch.nn.GRUCell(8, 16), torch.nn.GRUCell(8, 16), torch.nn.Linear(16, 8)
    modules = [encoder, decoder, head]
    for k, module in enumerate(modules):
        filled(module, 300 + 10 * k)
    optimizer = torch.optim.Adam([p for module in modules for p in module.parameters()], lr=0.01)
    source = numbers(340)
    total = 0
    for _ in range(300):
        first, second = 5 + math.floor(7 * next(source)), 4 + math.floor(6 * next(source))
        given, target = uniform(350, (first, 4, 8)), uniform(351, (second, 4, 8))
        optimizer.zero_grad()
        state = torch.zeros(4, 16)
        for k in range(first):
            state = encoder(given[k], state)
        losses = []
        word = torch.zeros(4, 8)
        for k in range(second):
            state = decoder(word, state)
            word = target[k]
            losses.append((head(state) - word).square().mean())
        loss = torch.stack(losses).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def tour():
    places = uniform(360, (90, 2))
    distances = (places[:, None] - places[None]).square().sum(2).sqrt()

    def along(order):
        return distances[order, order.roll(-1)].sum()

    source = numbers(361)
    order = torch.arange(90)
    length = along(order).item()
    for _ in range(600):
        first = 1 + math.floor(80 * next(source))
        end = first + 2 + math.floor((88 - first) * next(source))
        turned = torch.cat([order[:first], order[first:end].flip(0), order[end:]])
        now = along(turned).item()
        if now < length:
            order, length = turned, now
    return length


def annealing():
    weights = uniform(370, (80, 80))
    bits = (uniform(371, (64, 80)) > 0).float()
    for _ in range(600):
        at = torch.randint(0, 80, (64, 1))
        own = bits.gather(1, at)
        change = 1 - 2 * own
        cost = (bits @ weights).gather(1, at) * change
        is_taken = torch.rand(64, 1) < (-cost).exp()
        bits = bits.scatter(1, at, torch.where(is_taken, own + change, own))
    return (bits * (bits - 1)).abs().max().item()


def slopes():
    weights = uniform(380, (300, 300))
    largest = []
    for _ in range(1000):
        slope = 2 * weights - weights.mean()
        weights -= slope * 0.001
        largest.append(slope.abs().max())
    return torch.stack(largest).mean().item()


def averages():
    weights = uniform(390, (300, 300)).clone()
    step = uniform(391, (300, 300)) * 0.01
    mean, most = weights.clone(), weights.clone()
    for k in range(800):
        weights.mul_(0.999).add_(step * math.sin(k))
        mean = mean * 0.99 + weights * 0.01
        most = most.maximum(weights)
    return (mean + most).mean().item()


def losses():
    x, y = uniform(400, (500, 200)), uniform(401, (500, 100))
    weights = uniform(402, (200, 100)).clone().requires_grad_()
    logged = []
    for _ in range(800):
        loss = (x @ weights - y).square().mean()
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * 0.5
        weights.grad = None
        logged.append(loss)
    return torch.stack([loss.detach() for loss in logged]).mean().item()


def triplets():
    table = uniform(500, (50, 16)).clone().requires_grad_()
    source = numbers(501)
    total = 0
    for _ in range(600):
        anchor, near, far = (table[math.floor(50 * next(source))] for _ in range(3))
        loss = ((anchor - near).square().sum() - (anchor - far).square().sum() + 1).relu()
        loss.backward()
        with torch.no_grad():
            table -= table.grad * 0.01
        table.grad = None
        total += loss.item()
    return total


def sieves():
    total = 0
    for number in range(150):
        size = 400 + 4 * number
        is_prime = torch.ones(size, dtype=torch.bool)
        step = 2
        while step * step < size:
            is_prime[step * step :: step] = False
            step += 1
        total += is_prime.sum().item()
    return total


def strides():
    whole = uniform(510, (2_000,))
    source = numbers(511)
    total = 0
    for _ in range(600):
        x = whole[: 20 + math.floor(900 * next(source))]
        total += ((x[::2] * 2).sum() + x[::3].square().sum()).item()
    return total


def trained():
    weights = uniform(520, (64, 64)).clone().requires_grad_()
    optimizer = torch.optim.SGD([weights], lr=0.1)
    mean = weights.detach().clone()
    for _ in range(6_000):
        loss = (weights.tanh() - 0.1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = mean * 0.99 + weights.detach() * 0.01
    return mean.sum().item()


def sentences():
    cell, head = torch.nn.LSTMCell(16, 32), torch.nn.Linear(32, 1)
    filled(cell, 410)
    filled(head, 420)
    optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
    source = numbers(430)
    total = 0
    for k in range(300):
        length = 10 + math.floor(30 * next(source))
        words = uniform(440 + k, (8, length, 16))
        state = (torch.zeros(8, 32), torch.zeros(8, 32))
        for t in range(length):
            state = cell(words[:, t], state)
        loss = (head(state[0]) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def lengths():
    net, head = torch.nn.GRU(8, 16, batch_first=True), torch.nn.Linear(16, 4)
    filled(net, 530)
    filled(head, 540)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
    source = numbers(550)
    total = 0
    for k in range(240):
        batch = 1 + math.floor(8 * next(source))
        length = 2 + math.floor(12 * next(source))
        states, _ = net(uniform(560 + k, (batch, length, 8)))
        loss = (head(states[:, -1]) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def collocation():
    first, second, last = layers = [torch.nn.Linear(1, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 1)]
    for k, layer in enumerate(layers):
        filled(layer, 800 + 10 * k)
    optimizer = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=1e-3)
    total = 0
    for k in range(120):
        x = torch.linspace(0, 1, 20 + (7 * k) % 31).unsqueeze(1).requires_grad_()
        u = last(second(first(x).tanh()).tanh())
        (slope,) = torch.autograd.grad(u.sum(), [x], create_graph=True)
        (bend,) = torch.autograd.grad(slope.sum(), [x], create_graph=True)
        loss = (bend + x.sin()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def pictures():
    source = numbers(900)
    slope = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]).reshape(1, 1, 3, 3)

    def widened(x):
        return torch.nn.functional.max_pool2d(x, 3, stride=1, padding=1)

    def narrowed(x):
        return -widened(-x)

    total = 0
    for k in range(80):
        height, width = 60 + int(90 * next(source)), 50 + int(110 * next(source))
        picture = uniform(910 + k, [1, 1, height, width])
        mask = (picture > 0.1).float()
        total += (widened(narrowed(mask)) - narrowed(widened(mask))).abs().mean().item()
        padded = torch.nn.functional.pad(picture.reshape(height, width), (1, 1, 1, 1))
        total_of, weights = torch.zeros(height, width), torch.zeros(height, width)
        for y in range(3):
            for x in range(3):
                beside = padded[y : y + height, x : x + width]
                weight = ((beside - picture.reshape(height, width)).square() * -10).exp()
                total_of, weights = total_of + beside * weight, weights + weight
        smooth = (total_of / weights).reshape(1, 1, height, width)
        across, down = (
            torch.nn.functional.conv2d(smooth, kernel, padding=1).square() for kernel in (slope, slope.transpose(2, 3))
        )
        total += (across + down).sqrt().amax().item()
    return total


def distances():
    source = numbers(1_100)
    total = 0
    for k in range(80):
        height, width = 60 + int(90 * next(source)), 50 + int(110 * next(source))
        distance = torch.where(uniform(1_110 + k, [height, width]) > 0.49, torch.tensor(0.0), torch.tensor(1e9))
        for _ in range(20):
            around = torch.nn.functional.pad(distance, (1, 1, 1, 1), value=1e9)

            def beside(y, x):
                return around[y : y + height, x : x + width] + 1

            distance = torch.minimum(
                distance,
                torch.minimum(
                    torch.minimum(beside(0, 1), beside(2, 1)), torch.minimum(beside(1, 0), beside(1, 2))
                ),
            )
        total += distance.clamp(max=20).mean().item()
    return total


def boxes():
    source = numbers(1_200)
    sets = []
    for k in range(20):
        count = 100 + int(150 * next(source))
        corners = uniform(1_210 + k, [count, 2]) * 40
        sides = (uniform(1_240 + k, [count, 2]) + 1) * 10
        sets.append((torch.cat([corners, corners + sides], 1), uniform(1_270 + k, [count])))
    total = 0
    for k in range(90):
        corners, scores = sets[k % len(sets)]
        order = scores.argsort(descending=True)
        while len(order) > 1:
            best, others = corners[order[0]], order[1:]
            their = corners[others]
            upper = torch.maximum(best[:2], their[:, :2])
            lower = torch.minimum(best[2:], their[:, 2:])
            shared = (lower - upper).clamp(min=0).prod(1)
            own = (best[2:] - best[:2]).prod()
            areas = (their[:, 2:] - their[:, :2]).prod(1)
            order = others[shared / (own + areas - shared) <= 0.5]
            total += 1
    return total


def interpolated():
    total = 0
    for k in range(1_200):
        count, wanted = 50 + (k % 300) * 37 % 400, 200 + (k % 300) * 11 % 300
        places = uniform(1_300 + k % 300, [count]).sort().values
        heights = uniform(1_700 + k % 300, [count])
        at = uniform(2_100 + k % 300, [wanted])
        above = torch.searchsorted(places, at).clamp(1, count - 1)
        below = above - 1
        share = (at - places[below]) / (places[above] - places[below])
        rise = heights[above] - heights[below]
        total += (heights[below] + share.clamp(0, 1) * rise).mean().item()
    return total


def generation():
    width, heads, words = 128, 4, 256

    def parameter(seed, *shape):
        return (uniform(seed, list(shape)) - 0.5) * 0.25

    table, places = parameter(2_500, words, width), parameter(2_501, words, width)
    blocks = [
        (
            parameter(2_510 + k, width, 3 * width),
            parameter(2_520 + k, width, width),
            parameter(2_530 + k, width, 4 * width),
            parameter(2_540 + k, 4 * width, width),
        )
        for k in range(4)
    ]
    norm = torch.nn.functional.layer_norm
    total = 0
    for text in range(2):
        kept = [[None, None] for _ in blocks]
        word = text
        for k in range(150):
            x = table[word : word + 1] + places[k : k + 1]
            for lists, (inner, outer, up, down) in zip(kept, blocks):
                query, key, value = [
                    each.transpose(0, 1)
                    for each in (norm(x, [width]) @ inner).view(1, 3, heads, width // heads).unbind(1)
                ]
                lists[0] = key if lists[0] is None else torch.cat([lists[0], key], 1)
                lists[1] = value if lists[1] is None else torch.cat([lists[1], value], 1)
                shares = (query @ lists[0].transpose(1, 2) / (width / heads) ** 0.5).softmax(-1)
                x = x + (shares @ lists[1]).transpose(0, 1).reshape(1, width) @ outer
                x = x + (norm(x, [width]) @ up).relu() @ down
            word = (x @ table.t()).argmax().item()
            total += word
    return total


start = time.perf_counter()
value = globals()[sys.argv[1]]()
print(json.dumps({"milliseconds": 1000 * (time.perf_counter() - start), "value": value}))
