"""Quantised matrices: each row is a step times small integers, of which a compressed file has three
or four bits each, and which onnxruntime multiplies as integers.

A row's step is a share of the root mean square of its values, so that most of the numbers are near
0 and short in the file. Imports no model library.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from faithkit.models.protocols import Floats
from faithkit.records import ModelError

STEP = 0.375
"""A row's step in units of the root mean square of its values. A part of what files mean."""

LARGEST = 63
"""Largest of the integers. Up to here processors that add products in 16 bits stay exact."""

DAMPING = 0.01
"""Added to the diagonal of the moments, in units of its mean."""

BLOCK = 128
"""Columns after which the rest of a matrix makes up for them."""


@dataclass(frozen=True, slots=True)
class Quantised:
    """A matrix, [rows, columns].

    codes  [rows, columns], int8, at most LARGEST in size
    steps  [rows], float32; a row's values are its codes times its step
    """

    codes: np.ndarray
    steps: Floats

    def __getitem__(self, rows: Any) -> Floats:
        """The values of some rows, [..., columns]."""
        values: Floats = self.codes[rows] * self.steps[rows][..., None]
        return values


def quantise(matrix: Floats, moments: np.ndarray | None = None) -> Quantised:
    """Such a matrix: the nearest one, or where it is known what it is multiplied with, one whose
    products are near. Column by column, the columns to come make up for what was rounded off
    [Frantar et al. 2023, GPTQ, §3].

    matrix   [rows, columns], float32
    moments  [columns, columns], float64, the sum of x xᵀ over the x that it is multiplied with
    """
    size = np.sqrt(np.mean(matrix**2, axis=1))
    steps = np.maximum(STEP * size, np.abs(matrix).max(axis=1) / LARGEST).astype(np.float32)
    steps[steps == 0] = 1
    if moments is None:
        return Quantised(np.rint(matrix / steps[:, None]).astype(np.int8), steps)
    damped = moments + DAMPING * np.mean(np.diag(moments)) * np.eye(len(moments))
    carried = np.linalg.cholesky(np.linalg.inv(damped)).T.astype(np.float32)
    left, columns = matrix.copy(), matrix.shape[1]
    codes = np.empty(matrix.shape, dtype=np.int8)
    for start in range(0, columns, BLOCK):
        end = min(start + BLOCK, columns)
        errors = np.empty((len(matrix), end - start), dtype=np.float32)
        for i in range(start, end):
            column = np.rint(left[:, i] / steps).clip(-LARGEST, LARGEST)
            codes[:, i] = column
            error = (left[:, i] - column * steps) / carried[i, i]
            left[:, i + 1 : end] -= np.outer(error, carried[i, i + 1 : end])
            errors[:, i - start] = error
        left[:, end:] -= errors @ carried[start:end, end:]
    return Quantised(codes, steps)


def pack(codes: np.ndarray) -> np.ndarray:
    """The codes compressed, [bytes], uint8: each number by a code of Huffman's, since rows of
    weights repeat nothing."""
    packer = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return np.frombuffer(packer.compress(codes.tobytes()) + packer.flush(), dtype=np.uint8)


def unpack(packed: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """[rows, columns], int8, what was packed. Raises ModelError where it is of another size."""
    size = rows * columns
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed.tobytes(), size + 1)
    except zlib.error as error:
        raise ModelError(f"the packed weights are damaged ({error})") from error
    if len(content) != size or not unpacker.eof:
        raise ModelError(f"the packed weights are not {rows} rows of {columns}")
    return np.frombuffer(content, dtype=np.int8).reshape(rows, columns)
