"""Writes samplers.json: what llama.cpp's samplers leave of random logits.

Needs llama-cpp-python 0.3.36 and numpy 2.4.6.
"""
import ctypes
import json
from pathlib import Path

import llama_cpp as lc
import numpy as np

VOCAB = 24
OFF = dict(logit_bias=[], repeat_last_n=64, repeat_penalty=1.0, presence_penalty=0.0, frequency_penalty=0.0,
           top_k=0, top_p=1.0, min_p=0.0, temperature=1.0)
HISTORIES = [[], [3], [3, 3, 3, 5, 7], [i % 11 for i in range(40)], [(i * i) % VOCAB for i in range(90)]]
CONFIGS = [
    dict(repeat_penalty=1.3),
    dict(repeat_penalty=0.7, repeat_last_n=4),
    dict(presence_penalty=0.6),
    dict(frequency_penalty=0.25),
    dict(presence_penalty=-0.5, frequency_penalty=-0.1, repeat_last_n=8),
    dict(repeat_penalty=1.1, presence_penalty=0.3, frequency_penalty=0.2),
    dict(repeat_penalty=1.1, presence_penalty=0.3, frequency_penalty=0.2, repeat_last_n=0),
    dict(logit_bias=[[3, 2.5], [7, -1.25], [3, 0.5]]),
    dict(logit_bias=[[2, 4.0], [5, 3.0]], repeat_penalty=1.5, top_k=9),
    dict(presence_penalty=1.0, top_k=16, top_p=0.8, min_p=0.1, temperature=0.8),
    dict(frequency_penalty=0.3, top_p=0.9, temperature=1.7),
    dict(repeat_penalty=1.2, min_p=0.2, temperature=0.5),
]


def chain(config):
    bias = (lc.llama_logit_bias * len(config["logit_bias"]))()
    for place, (token, value) in zip(bias, config["logit_bias"]):
        place.token, place.bias = token, value
    samplers = lc.llama_sampler_chain_init(lc.llama_sampler_chain_default_params())
    penalties = [config[key] for key in ("repeat_last_n", "repeat_penalty", "frequency_penalty", "presence_penalty")]
    for sampler in (lc.llama_sampler_init_logit_bias(VOCAB, len(bias), bias),
                    lc.llama_sampler_init_penalties(VOCAB, *penalties),
                    lc.llama_sampler_init_top_k(config["top_k"]),
                    lc.llama_sampler_init_top_p(config["top_p"], 0),
                    lc.llama_sampler_init_min_p(config["min_p"], 0),
                    lc.llama_sampler_init_temp(config["temperature"])):
        lc.llama_sampler_chain_add(samplers, sampler)
    return samplers


def left(config, history, logits):
    """The candidates that the chain leaves, by id, with their logits."""
    samplers = chain(config)
    for token in history:
        lc.llama_sampler_accept(samplers, token)
    data = (lc.llama_token_data * VOCAB)()
    for token, logit in enumerate(logits):
        data[token].id, data[token].logit = token, float(logit)
    candidates = lc.llama_token_data_array(data=data, size=VOCAB, selected=-1, sorted=False)
    lc.llama_sampler_apply(samplers, ctypes.byref(candidates))
    found = sorted((candidates.data[i].id, candidates.data[i].logit) for i in range(candidates.size))
    lc.llama_sampler_free(samplers)
    return [list(pair) for pair in found]


def main():
    rng = np.random.default_rng(3)
    cases = []
    for config in CONFIGS:
        for history in HISTORIES:
            logits = (rng.standard_normal(VOCAB) * 2).astype(np.float32)
            full = OFF | config
            cases.append(dict(config=full, history=history, logits=logits.astype(float).tolist(),
                              left=left(full, history, logits)))
    text = "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"
    Path(__file__).with_suffix(".json").write_text(text)


main()
