"""A convolutional classifier of handwritten digits in Keras 3, whose back end is JAX.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np
from keras import layers
from sklearn.datasets import load_digits


def main():
    keras.utils.set_random_seed(0)
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).reshape(-1, 8, 8, 1).astype(np.float32)
    model = keras.Sequential([
        keras.Input((8, 8, 1)),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    ])  # fmt: skip
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(images[:1536], labels[:1536], batch_size=64, epochs=2, verbose=0).history
    for epoch in range(2):
        print(f"epoch {epoch} loss {history['loss'][epoch]:.7f} accuracy {history['accuracy'][epoch]:.7f}")
    loss, accuracy = model.evaluate(images[1536:], labels[1536:], verbose=0)
    print(f"test loss {loss:.7f} accuracy {accuracy:.7f}")
    predicted = model.predict(images[1536:1546], verbose=0)
    for row in predicted[:3]:
        print("predicted " + " ".join(f"{value:.7f}" for value in row))


if __name__ == "__main__":
    main()
