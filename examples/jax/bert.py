"""A small BERT that is fine-tuned to classify pairs of sentences: Flax and Optax.

The words are random; the label is whether the second sentence has the first word of the first. Weights of
embeddings are frozen, those of the encoder learn more slowly than the new head, as in fine-tuning.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

WORDS, LENGTH, WIDTH, HEADS, LAYERS, BATCH, STEPS = 100, 32, 64, 4, 2, 16, 20
FIRST, SEPARATOR, PADDING = 0, 1, 2


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, mask, train):
        attention = nn.MultiHeadDotProductAttention(HEADS, dropout_rate=0.1, deterministic=not train)
        y = attention(x, mask=mask)
        x = nn.LayerNorm(epsilon=1e-12)(x + nn.Dropout(0.1, deterministic=not train)(y))
        y = nn.Dense(WIDTH)(nn.gelu(nn.Dense(4 * WIDTH)(x), approximate=False))
        return nn.LayerNorm(epsilon=1e-12)(x + nn.Dropout(0.1, deterministic=not train)(y))


class Bert(nn.Module):
    @nn.compact
    def __call__(self, texts, sentences, train):
        x = nn.Embed(WORDS, WIDTH, name="embed_words")(texts)
        x += nn.Embed(2, WIDTH, name="embed_sentences")(sentences)
        x += nn.Embed(LENGTH, WIDTH, name="embed_places")(jnp.arange(LENGTH))
        x = nn.Dropout(0.1, deterministic=not train)(nn.LayerNorm(epsilon=1e-12)(x))
        mask = (texts != PADDING)[:, None, None, :]
        for _ in range(LAYERS):
            x = Layer()(x, mask, train)
        pooled = jnp.tanh(nn.Dense(WIDTH, name="head_pooler")(x[:, 0]))
        return nn.Dense(2, name="head_classifier")(pooled)


def pairs(rng, number):
    texts = np.full((number, LENGTH), PADDING, np.int32)
    sentences = np.zeros((number, LENGTH), np.int32)
    labels = rng.integers(0, 2, number, np.int32)
    for text, sentence, label in zip(texts, sentences, labels, strict=True):
        first, second = (rng.integers(3, WORDS, rng.integers(6, 13)) for _ in range(2))
        second[second == first[0]] = WORDS - 1
        if label:
            second[rng.integers(len(second))] = first[0]
        both = [FIRST, *first, SEPARATOR, *second, SEPARATOR]
        text[: len(both)] = both
        sentence[len(first) + 2 : len(both)] = 1
    return texts, sentences, labels


def main():
    model, rng = Bert(), np.random.default_rng(0)

    def kind(path, _):
        name = path[1].split("_")[0]
        return {"embed": "frozen", "head": "head"}.get(name, "encoder")

    schedule = optax.warmup_cosine_decay_schedule(0, 1e-3, 5, STEPS)
    texts, sentences, _ = pairs(rng, 1)
    params = model.init(jax.random.key(0), texts, sentences, train=False)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.multi_transform(
            {"frozen": optax.set_to_zero(), "encoder": optax.adamw(schedule, weight_decay=0.01),
             "head": optax.adamw(3e-3)},
            flax.traverse_util.path_aware_map(kind, params)))  # fmt: skip

    @jax.jit
    def step(params, state, key, texts, sentences, labels):
        def loss_of(params):
            logits = model.apply(params, texts, sentences, train=True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    @jax.jit
    def accuracy(params, texts, sentences, labels):
        logits = model.apply(params, texts, sentences, train=False)
        return (logits.argmax(-1) == labels).mean()

    state, key = optimizer.init(params), jax.random.key(1)
    for number in range(STEPS):
        key, dropout = jax.random.split(key)
        params, state, loss = step(params, state, dropout, *pairs(rng, BATCH))
        print(f"step {number} loss {loss:.7f}", flush=True)
    print(f"test accuracy {accuracy(params, *pairs(rng, 128)):.7f}")


if __name__ == "__main__":
    main()
