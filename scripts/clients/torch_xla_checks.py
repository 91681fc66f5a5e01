"""Checks of PyTorch/XLA on the plugin: arrays, operations and models, against PyTorch on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Run by scripts/check_clients.py. Prints a line for each check that fails and, last, how many passed.
"""

import copy
import sys
import traceback

import torch
import torch.nn.functional as F
import torch_xla
import torchvision
from torch import nn

DEVICE = torch_xla.device()
ARRAYS, OPERATIONS, MODELS = {}, {}, {}


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value.detach()]
    return [leaf for one in value for leaf in leaves(one)]


def compare(results, expected, tolerance):
    results, expected = leaves(results), leaves(expected)
    assert len(results) == len(expected)
    for got, want in zip(results, expected):
        # Read back as an array, and by its elements.
        got = got.cpu()
        assert got.dtype == want.dtype, f"{got.dtype}, not {want.dtype}"
        assert got.shape == want.shape, f"{tuple(got.shape)}, not {tuple(want.shape)}"
        if want.dtype.is_floating_point:
            scale = want.double().abs().max().item() if want.numel() else 0
            error = (got.double() - want.double()).abs().max().item() if want.numel() else 0
            assert error <= tolerance * (scale + 1e-2), f"differs by {error:.3g} of {scale:.3g}"
        else:
            assert torch.equal(got, want)


def moved(value):
    if isinstance(value, torch.Tensor):
        return value.to(DEVICE)
    return type(value)(moved(one) for one in value)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def whole(*shape, low=0, high=10, dtype=torch.int64):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


# Arrays of rank 0 to 4 of each type, written and read back, and as results of a program.
def add_arrays():
    types = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int8, torch.uint8]
    types += [torch.int16, torch.int32, torch.int64, torch.bool]
    for shape in [(), (5,), (3, 4), (2, 3, 4), (2, 3, 4, 5)]:
        for dtype in types:
            value = whole(*shape, high=2 if dtype == torch.bool else 100).to(dtype)

            def check(value=value):
                on_device = value.to(DEVICE)
                compare(on_device, value, 0)
                repr(on_device)
                if value.dtype != torch.bool:
                    compare(on_device + on_device, value + value, 0)
                if value.ndim > 1:  # not in row-major order on the host
                    compare(value.transpose(0, -1).to(DEVICE), value.transpose(0, -1), 0)
                    compare(on_device.transpose(0, -1), value.transpose(0, -1), 0)
                assert on_device.sum().item() == value.sum().item()

            ARRAYS[f"{dtype} of rank {len(shape)}"] = check


def operation(name, function, *args):
    def check():
        compare(function(*moved(args)), function(*args), 1e-5)

    OPERATIONS[name] = check


def gradient(function):
    """Of the first argument, with the result."""

    def call(x, *args):
        x = x.detach().requires_grad_()
        y = function(x, *args)
        (y**3).sum().backward()
        return [y, x.grad]

    return call


def add_operations():
    x, y, image = random(6, 8), random(6, 8, seed=1), random(2, 3, 12, 12)
    index = whole(6, 4, high=8)
    operation("add with broadcasting", lambda a, b: a + b[:, None, :], random(6, 1, 8), x)
    operation("multiply, subtract, divide", lambda a, b: (a * b - a) / (b.abs() + 1), x, y)
    operation("matmul", lambda a, b: a @ b.T, x, y)
    operation("bmm", torch.bmm, random(3, 4, 5), random(3, 5, 6))
    operation("einsum", lambda a, b: torch.einsum("bik,bjk->bij", a, b), random(3, 4, 5), random(3, 6, 5))
    operation("conv2d and its gradient", gradient(lambda a, w: F.conv2d(a, w, padding=1, stride=2)),
              image, random(5, 3, 3, 3))  # fmt: skip
    operation("grouped conv1d", lambda a, w: F.conv1d(a, w, groups=2), random(2, 4, 9), random(6, 2, 3))
    operation("conv_transpose2d", lambda a, w: F.conv_transpose2d(a, w, stride=2), image, random(3, 4, 3, 3))
    operation("max_pool2d and its gradient", gradient(lambda a: F.max_pool2d(a, 3, 2, 1)), image)
    operation("avg_pool2d", lambda a: F.avg_pool2d(a, 2), image)
    operation("adaptive_avg_pool2d", lambda a: F.adaptive_avg_pool2d(a, 4), image)
    operation("softmax and its gradient", gradient(lambda a: F.softmax(a, -1)), x)
    operation("log_softmax, logsumexp", lambda a: (F.log_softmax(a, 0), torch.logsumexp(a, 1)), x)
    operation("layer_norm and its gradient", gradient(lambda a: F.layer_norm(a, (8,))), x)
    operation("group_norm", lambda a: F.group_norm(a, 1), image)
    operation("batch_norm", lambda a: F.batch_norm(a, None, None, training=True), image)
    operation("gelu, silu, elu", lambda a: (F.gelu(a), F.silu(a), F.elu(a)), x)
    operation("erf, tanh, sigmoid", lambda a: (torch.erf(a), torch.tanh(a), torch.sigmoid(a)), x)
    operation("exp, log, sqrt, pow", lambda a: (a.exp(), a.abs().log(), a.abs().sqrt(), a.abs() ** 1.5), x)
    operation("sin, cos, atan2", lambda a, b: (a.sin(), a.cos(), torch.atan2(a, b)), x, y)
    operation("sum, mean, prod", lambda a: (a.sum(), a.mean(1), a.prod(0)), x)
    operation("var, std, norm", lambda a: (a.var(1), a.std(), torch.linalg.norm(a, dim=1)), x)
    operation("cumsum, cumprod", lambda a: (a.cumsum(0), a.cumprod(1)), x)
    operation("sort, argsort", lambda a: (*a.sort(1), a.argsort(0)), x)
    operation("topk", lambda a: tuple(a.topk(3)), x)
    operation("max, min, argmax", lambda a: (*a.max(0), *a.min(1), a.argmax()), x)
    operation("gather, index_select", lambda a, i: (a.gather(1, i), a.index_select(0, i[0] % 6)), x, index)
    operation("scatter_add", lambda a, i, u: a.scatter_add(1, i, u), x, index, random(6, 4))
    operation("index_put", lambda a, i: a.index_put((i[:, 0],), torch.ones(8, device=a.device), accumulate=True),
              random(8, 8), index)  # fmt: skip
    operation("where, masked_fill", lambda a, b: (torch.where(a > b, a, b), a.masked_fill(a < 0.3, 7)), x, y)
    operation("cat, stack, split", lambda a, b: (torch.cat([a, b], 1), torch.stack([a, b]), *a.split(3)), x, y)
    operation("permute, flip, roll", lambda a: (a.permute(2, 0, 1, 3), a.flip(2), a.roll(2, 3)), image)
    operation("tril, triu, diagonal", lambda a: (a.tril(), a.triu(1), a.diagonal()), x)
    operation("embedding and its gradient", gradient(lambda w, i: F.embedding(i, w)), random(10, 8), whole(3, 5))
    operation("one_hot", lambda i: F.one_hot(i, 10), whole(4, 3))
    operation("interpolate", lambda a: F.interpolate(a, scale_factor=2, mode="bilinear"), image)
    operation("pad", lambda a: (F.pad(a, (1, 2), value=3.0), F.pad(a, (2, 1, 1, 1), mode="reflect")), image)
    operation("cross_entropy and its gradient", gradient(lambda a, i: F.cross_entropy(a, i[:, 0] % 8)), x, index)
    operation("integers", lambda i: (i // 3, i % 7, i & 5, i << 2, -i), whole(5, 6, low=-50, high=50))
    operation("clamp, round, floor, sign", lambda a: (a.clamp(-1, 1), a.round(), a.floor(), a.sign()), x)
    square = random(5, 5) @ random(5, 5).T + 5 * torch.eye(5)
    operation("cholesky, inverse", lambda a: (torch.linalg.cholesky(a), torch.linalg.inv(a)), square)
    operation("qr", lambda a: [m.abs() for m in torch.linalg.qr(a)], square)
    operation("attention", F.scaled_dot_product_attention, *(random(2, 2, 7, 8, seed=s) for s in range(3)))
    operation("cdist", torch.cdist, x, y)


def steps(model, batch, target, loss, optimizer, count=3):
    """Losses of some training steps, and the parameters after them."""
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        value = loss(model(batch), target)
        value.backward()
        optimizer.step()
        torch_xla.sync()
        losses.append(value.detach())
    return losses + list(model.parameters())


def training(name, make, batch, target, loss, tolerance=1e-4, optimizer=torch.optim.SGD):
    def check():
        torch.manual_seed(1)
        model = make()
        ours = copy.deepcopy(model).to(DEVICE)
        compare(
            steps(ours, moved(batch), moved(target), loss, optimizer(ours.parameters(), lr=0.01)),
            steps(model, batch, target, loss, optimizer(model.parameters(), lr=0.01)),
            tolerance,
        )

    MODELS[name] = check


def inference(name, make, *args, tolerance=1e-4, compiled=False):
    def check():
        torch.manual_seed(1)
        model = make().eval()
        ours = copy.deepcopy(model).to(DEVICE)
        if compiled:
            ours = torch.compile(ours, backend="openxla")
        with torch.no_grad():
            compare(ours(*moved(args)), model(*args), tolerance)
            if compiled:  # the second call runs what the first one compiled
                compare(ours(*moved(args)), model(*args), tolerance)

    MODELS[name] = check


def mlp():
    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 5))


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 5 * 5, 10),
    )  # fmt: skip


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(8, 16, num_layers=2, batch_first=True), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), 2)


def resnet():
    return torchvision.models.resnet18(num_classes=10)


def add_models():
    entropy = F.cross_entropy
    training("MLP, trained", mlp, random(16, 20), whole(16, high=5), entropy)
    training("MLP, trained by Adam", mlp, random(16, 20), whole(16, high=5), entropy, 2e-3, torch.optim.Adam)
    training("CNN, trained", cnn, random(4, 1, 14, 14), whole(4), entropy, 1e-3)
    training("LSTM, trained", Lstm, random(3, 7, 8), whole(3, high=5), entropy)
    training("TransformerEncoder, trained", encoder, random(2, 9, 32), random(2, 9, 32, seed=1), F.mse_loss)
    inference("TransformerEncoder", encoder, random(2, 9, 32))
    inference("ResNet-18", resnet, random(1, 3, 64, 64), tolerance=1e-3)
    inference("torch.compile of MLP", mlp, random(16, 20), compiled=True)
    inference("torch.compile of CNN", cnn, random(4, 1, 14, 14), compiled=True)
    inference("torch.compile of TransformerEncoder", encoder, random(2, 9, 32), compiled=True)
    inference("torch.compile of LSTM", Lstm, random(3, 7, 8), compiled=True)


def main():
    add_arrays()
    add_operations()
    add_models()
    failed = False
    for kind, checks in {"arrays": ARRAYS, "operations": OPERATIONS, "models": MODELS}.items():
        passed = 0
        for name, check in checks.items():
            try:
                check()
                passed += 1
            except Exception as error:
                failed = True
                print(f"FAILED {name}: {type(error).__name__}: {str(error)[:600]}", flush=True)
                if "--traceback" in sys.argv:
                    traceback.print_exc()
        print(f"{kind}: {passed} of {len(checks)} passed", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
