"""Trains a small convolutional network with PyTorch/XLA, as described in docs/pytorch.md.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
import torch.nn.functional as F
import torch_xla
from torch import nn

torch.manual_seed(0)
device = torch_xla.device()

model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(8 * 4 * 4, 10),
).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

images = torch.randn(32, 1, 8, 8)
# A class for each quarter and sign of the brightest mean.
quarters = F.avg_pool2d(images, 4).flatten(1)
labels = (quarters.argmax(1) + 4 * (quarters.sum(1) > 0)).to(torch.int32).long()
images, labels = images.to(device), labels.to(device)

for step in range(10):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    print(f"step {step}: loss {loss.item():.4f}")

predict = torch.compile(model.eval(), backend="openxla")
with torch.no_grad():
    accuracy = (predict(images).argmax(1) == labels).float().mean()
print(f"accuracy on the training images {accuracy.item():.2f}")
