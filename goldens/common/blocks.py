"""Block types in numpy, from the description of the GGUF format.

A row of blocks is an array of bytes. `decode` gives the numbers that it stands for in float64, without rounding;
`encode` gives an activation's blocks as float32 arithmetic makes them.
"""

import numpy as np


class Fields:
    """The fields of blocks, read one after another. `blocks` is uint8 [.., bytes of a block]."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.at = 0

    def bytes(self, count):
        self.at += count
        return self.blocks[..., self.at - count : self.at].astype(np.int64)

    def numbers(self, dtype, count=1):
        size = np.dtype(dtype).itemsize * count
        raw = np.ascontiguousarray(self.blocks[..., self.at : self.at + size])
        self.at += size
        return raw.view(dtype).astype(np.float64)


def nibbles(q):
    """The low halves of all bytes, then the high ones."""
    return np.concatenate([q & 15, q >> 4], axis=-1)


def bits(q, width, count):
    """`count` fields of `width` bits of every byte: the first field of all bytes, the second of all, .."""
    return np.concatenate([q >> (width * i) & ((1 << width) - 1) for i in range(count)], axis=-1)


def per_group(values, size):
    """Each value for a group of `size` elements."""
    return np.repeat(values, size, axis=-1)


def fifth_bits(f):
    """Bit j of a 32-bit number belongs to element j."""
    return np.stack([f[..., j // 8] >> (j % 8) & 1 for j in range(32)], axis=-1)


def q4_0(f):
    d = f.numbers("<f2")
    return d * (nibbles(f.bytes(16)) - 8)


def q4_1(f):
    d, m = f.numbers("<f2"), f.numbers("<f2")
    return d * nibbles(f.bytes(16)) + m


def q5_0(f):
    d = f.numbers("<f2")
    high = fifth_bits(f.bytes(4))
    return d * (nibbles(f.bytes(16)) + 16 * high - 16)


def q5_1(f):
    d, m = f.numbers("<f2"), f.numbers("<f2")
    high = fifth_bits(f.bytes(4))
    return d * (nibbles(f.bytes(16)) + 16 * high) + m


def q8_0(f):
    return f.numbers("<f2") * f.numbers("i1", 32)


def q2_k(f):
    scales = f.bytes(16)
    low = f.bytes(64)
    d, dmin = f.numbers("<f2"), f.numbers("<f2")
    q = np.concatenate([bits(half, 2, 4) for half in (low[..., :32], low[..., 32:])], axis=-1)
    return d * per_group(scales & 15, 16) * q - dmin * per_group(scales >> 4, 16)


def q3_k(f):
    high = bits(f.bytes(32), 1, 8)
    low = f.bytes(64)
    packed = f.bytes(12)
    d = f.numbers("<f2")
    q = np.concatenate([bits(half, 2, 4) for half in (low[..., :32], low[..., 32:])], axis=-1)
    scales = nibbles(packed[..., :8]) | bits(packed[..., 8:], 2, 4) << 4
    return d * per_group(scales - 32, 16) * (q + 4 * high - 4)


def six_bit_scales(s):
    """Eight scales and eight minima of six bits in twelve bytes."""
    a, b, c = s[..., :4], s[..., 4:8], s[..., 8:]
    scales = np.concatenate([a & 63, c & 15 | a >> 6 << 4], axis=-1)
    minima = np.concatenate([b & 63, c >> 4 | b >> 6 << 4], axis=-1)
    return scales, minima


def four_groups(low):
    """Four times 32 bytes, each with 32 low halves and then 32 high ones."""
    return np.concatenate([nibbles(low[..., 32 * i : 32 * i + 32]) for i in range(4)], axis=-1)


def q4_k(f):
    d, dmin = f.numbers("<f2"), f.numbers("<f2")
    scales, minima = six_bit_scales(f.bytes(12))
    q = four_groups(f.bytes(128))
    return d * per_group(scales, 32) * q - dmin * per_group(minima, 32)


def q5_k(f):
    d, dmin = f.numbers("<f2"), f.numbers("<f2")
    scales, minima = six_bit_scales(f.bytes(12))
    high = bits(f.bytes(32), 1, 8)
    q = four_groups(f.bytes(128)) + 16 * high
    return d * per_group(scales, 32) * q - dmin * per_group(minima, 32)


def q6_k(f):
    low, high = f.bytes(128), f.bytes(64)
    scales = f.numbers("i1", 16)
    d = f.numbers("<f2")
    halves = [nibbles(low[..., 64 * i : 64 * i + 64]) | bits(high[..., 32 * i : 32 * i + 32], 2, 4) << 4 for i in (0, 1)]
    return d * per_group(scales, 16) * (np.concatenate(halves, axis=-1) - 32)


def mxfp4(f):
    # Twice the numbers of 4 bits, so that they are whole: the scale is half the power of two, 2^(e - 128).
    d = np.exp2(f.bytes(1) - 128.0)
    magnitudes = np.array([0, 1, 2, 3, 4, 6, 8, 12])
    codes = nibbles(f.bytes(16))
    return d * np.where(codes & 8, -1, 1) * magnitudes[codes & 7]


def q8_1(f):
    d, _sum = f.numbers("<f4"), f.numbers("<f4")
    return d * f.numbers("i1", 32)


def q8_k(f):
    return f.numbers("<f4") * f.numbers("i1", 256)


# name: (elements of a block, bytes of a block, decoder)
TYPES = {
    "q4_0": (32, 18, q4_0),
    "q4_1": (32, 20, q4_1),
    "q5_0": (32, 22, q5_0),
    "q5_1": (32, 24, q5_1),
    "q8_0": (32, 34, q8_0),
    "q2_k": (256, 84, q2_k),
    "q3_k": (256, 110, q3_k),
    "q4_k": (256, 144, q4_k),
    "q5_k": (256, 176, q5_k),
    "q6_k": (256, 210, q6_k),
    "mxfp4": (32, 17, mxfp4),
    "q8_1": (32, 40, q8_1),
    "q8_k": (256, 292, q8_k),
}


def decode(dtype, rows):
    """float64 [.., K] of the blocks of `rows`, uint8 [.., bytes of a row]."""
    elems, size, decoder = TYPES[dtype]
    count = rows.shape[-1] // size
    outer = rows.shape[:-1]
    values = decoder(Fields(rows.reshape(outer + (count, size))))
    return values.reshape(outer + (count * elems,))


def half_away(x):
    """Rounds to the nearest whole number, halves away from zero. Exact: float32 plus a half fits in float64."""
    x = x.astype(np.float64)
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def scale_and_quants(x):
    """The float32 scale amax / 127 of each row, and its quants."""
    d = np.max(np.abs(x), axis=-1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), d, out=np.zeros_like(d), where=d != 0)
    return d, half_away(x * inverse).astype(np.int8)


def encode_q8_0(x):
    d, q = scale_and_quants(x)
    return d.astype("<f2"), q


def encode_q8_1(x):
    d, q = scale_and_quants(x)
    s = d * np.sum(q, axis=-1, keepdims=True, dtype=np.int64).astype(np.float32)
    return d.astype("<f4"), s.astype("<f4"), q


def encode_q8_k(x):
    # argmax gives the first of equal magnitudes, and with it the sign.
    largest = np.take_along_axis(x, np.argmax(np.abs(x), axis=-1, keepdims=True), axis=-1)
    zero = largest == 0
    inverse = np.divide(np.float32(-127), largest, out=np.zeros_like(largest), where=~zero)
    d = np.divide(np.float32(1), inverse, out=np.zeros_like(inverse), where=~zero)
    q = np.minimum(np.rint(x * inverse), 127).astype(np.int8)
    sums = q.reshape(q.shape[:-1] + (16, 16)).sum(axis=-1, dtype=np.int16)
    return d.astype("<f4"), q, sums.astype("<i2")


ENCODERS = {"q8_0": encode_q8_0, "q8_1": encode_q8_1, "q8_k": encode_q8_k}


def encode(dtype, x):
    """uint8 [.., bytes of a row] of `x`, [.., K], in activation blocks.

    A block with a number that is not finite gets scale NaN and quants 0; its float sum is NaN, its integer sums 0.
    """
    elems, size, _ = TYPES[dtype]
    outer, count = x.shape[:-1], x.shape[-1] // elems
    x = x.astype(np.float32).reshape((-1, elems))
    bad = ~np.isfinite(x).all(axis=-1)
    x[bad] = 0
    fields = ENCODERS[dtype](x)
    fields[0][bad] = np.nan
    if dtype == "q8_1":
        fields[1][bad] = np.nan
    raw = [np.ascontiguousarray(field).view(np.uint8) for field in fields]
    return np.concatenate(raw, axis=-1).reshape(outer + (count * size,))
