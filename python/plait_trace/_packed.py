# SPDX-License-Identifier: BSD-3-Clause
"""Reads a packed file: its definitions, and the events of its chunks as columns."""

import json
import struct
import zlib

import numpy as np

from ._zstd import frames

_MAGIC, _VERSION = b"LPTPACK1", 1
_CHUNK_MAGIC = 0x4B484350
_HEADER = struct.Struct("<8sIIiiQ")
_CHUNK = struct.Struct("<IIIIiiQQIIQQ")
_DEFINITIONS, _SHAPES, _EVENTS, _END = 1, 2, 3, 4

_LONG = 0xFFFFFFFF
_INDEX, _BYTES, _WIDE = 0x3FFFFFFF, 0x40000000, 0x80000000
_WILDCARD, _TEST, _VARIES = 1, 128, 1024
_FOREIGN, _STATUS = 0x40000000, 0x80000000
_LEFT_OUT = _STATUS  # a whole reference

#: Names of the values of the field "kind", as in src/trace/event_format.h.
EVENT_KINDS = ("other", "send", "recv", "sendrecv", "isend", "irecv", "start", "complete", "probe",
               "mprobe", "mrecv", "imrecv", "collective", "icollective", "rma", "parallel", "work",
               "region", "check", "isendrecv", "pause", "cpu_wait",
               "gap", "epoch")
_KIND = {name: number for number, name in enumerate(EVENT_KINDS)}
_HOLDS_OTHERS = [_KIND["parallel"], _KIND["work"], _KIND["region"]]

SHAPE = np.dtype([("kind", "<u4"), ("flags", "<u4"), ("function", "<u4"), ("site", "<u4"),
                  ("comm", "<u4"), ("peer", "<i4"), ("tag", "<i4"), ("operation", "<u4"),
                  ("extra", "<u8"), ("elements", "<u8")])


class FormatError(ValueError):
    """The file is not a packed trace, has an unknown version, or is damaged."""


class Chunk:
    """Events of one thread: columns `shape`, `gap`, `duration`, `words`, and where they begin."""

    def __init__(self, fields, stored):
        self.thread, self.first_ticks = fields[3], fields[6]
        events, words = fields[8], fields[9]
        columns = []
        planes = frames(stored, [events] * 12 + [words] * 4)
        for count in (events, events, events, words):
            four = [np.frombuffer(next(planes), np.uint8) for _ in range(4)]
            columns.append(np.stack(four, axis=1).reshape(-1).view("<u4")
                           if count else np.zeros(0, "<u4"))
        self.shape, self.gap, self.duration, self.words = columns


class PackedFile:
    """A packed file: `definitions` (a dict), `shapes`, `chunks`, `problems`."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if len(data) < _HEADER.size or data[:8] != _MAGIC:
            raise FormatError(f"{path} is not a packed trace of Plait")
        _, version, at, _, _, _ = _HEADER.unpack_from(data)
        if version != _VERSION:
            raise FormatError(f"{path} has trace version {version}, but this reader reads "
                              f"version {_VERSION}")
        self.definitions, self.shapes = None, np.zeros(0, SHAPE)
        self.chunks, self.problems = [], []
        ended = False
        while not ended and at < len(data):
            try:
                fields, stored = self._take(data, at)
            except FormatError as error:
                self.problems.append(f"{path}: {error}")
                at = data.find(struct.pack("<I", _CHUNK_MAGIC), at + 1)
                if at < 0:
                    break
                continue
            at += _CHUNK.size + len(stored)
            ended = fields[2] == _END
            self._keep(fields, stored)
        if self.definitions is None:
            raise FormatError(f"{path} is damaged: its definitions are missing")
        if not ended:
            self.problems.append(f"{path} is incomplete: it ends after {len(self.chunks)} chunks")
        self.problems += self.definitions["problems"]

    @staticmethod
    def _take(data, at):
        if len(data) - at < _CHUNK.size:
            raise FormatError("the file ends within a chunk")
        fields = _CHUNK.unpack_from(data, at)
        begin = at + _CHUNK.size
        if fields[0] != _CHUNK_MAGIC or fields[10] > len(data) - begin:
            raise FormatError("a damaged part was left out")
        stored = data[begin:begin + fields[10]]
        if zlib.crc32(data[at + 8:begin + fields[10]]) != fields[1]:
            raise FormatError("a chunk with a wrong checksum was left out")
        return fields, stored

    def _keep(self, fields, stored):
        kind, items = fields[2], fields[8]
        if kind == _DEFINITIONS:
            self.definitions = json.loads(next(frames(stored, [items])))
            version = self.definitions["schema_version"]
            if version != 1:
                raise FormatError(f"the definitions have version {version}, but this reader reads "
                                  "version 1")
        elif kind == _SHAPES:
            self.shapes = np.frombuffer(next(frames(stored, [items * SHAPE.itemsize])), SHAPE)
        elif kind == _EVENTS:
            self.chunks.append(Chunk(fields, stored))


def _sizes_of_words(chunk, shapes):
    """Where the words of each event begin, and where they continue after the times."""
    shape = shapes[chunk.shape & _INDEX]
    kind, flags = shape["kind"], shape["flags"]
    times = 2 * (chunk.gap == _LONG).astype(np.int64) + 2 * (chunk.duration == _LONG)
    sizes = times + np.where(chunk.shape & _BYTES,
                             np.where(chunk.shape & _WIDE, 2, 1), 0)
    collective = (kind == _KIND["collective"]) | (kind == _KIND["icollective"])
    sizes += np.where(flags & _VARIES, np.where(collective, 2, 1), 0)
    own = np.zeros(len(EVENT_KINDS), np.int64)
    for name, count in (("sendrecv", 5), ("isendrecv", 5), ("parallel", 3), ("work", 2),
                        ("cpu_wait", 4)):
        own[_KIND[name]] = count
    sizes += own[kind] + 2 * ((kind == _KIND["recv"]) & (flags & _WILDCARD != 0))
    # The other kinds store their number of words.
    variable = np.flatnonzero(np.isin(kind, [_KIND[name] for name in (
        "start", "complete", "probe", "mprobe", "mrecv", "imrecv", "gap", "epoch")]))
    before, added, words = np.cumsum(sizes), 0, chunk.words
    for event in variable:
        begin = before[event] + added
        count = _own_words(int(kind[event]), bool(flags[event] & _TEST), words, int(begin))
        sizes[event] += count
        added += count
    begins = np.cumsum(sizes) - sizes
    return begins, begins + times


def _own_words(kind, tests, words, at):
    if kind == _KIND["gap"]:
        return 2 + 2 * int(words[at])
    if kind == _KIND["epoch"]:
        return 1 + int(words[at])
    if kind == _KIND["start"]:
        return 1 + 3 * int(words[at])
    if kind in (_KIND["probe"], _KIND["mprobe"]):
        return 3 if words[at] else 2
    left, end = 1, at
    if kind == _KIND["complete"]:
        left, end = int(words[at]), at + 1
        if left == 0 and tests:
            return 2
    for _ in range(left):
        reference = int(words[end])
        end += 1
        if reference == _LEFT_OUT:
            end += 4
        elif reference:
            end += bool(reference & _FOREIGN) + 2 * bool(reference & _STATUS)
    return end - at


def _two_words(words, at):
    return words[at].astype(np.uint64) | (words[at + 1].astype(np.uint64) << np.uint64(32))


def _times(chunk, begins, holds_others):
    """Ticks at which the events begin and end."""
    gap, duration = chunk.gap.astype(np.uint64), chunk.duration.astype(np.uint64)
    long_gap, long_duration = chunk.gap == _LONG, chunk.duration == _LONG
    gap[long_gap] = _two_words(chunk.words, begins[long_gap])
    at = begins + 2 * long_gap
    duration[long_duration] = _two_words(chunk.words, at[long_duration])
    steps = gap + np.where(holds_others, np.uint64(0), duration)
    end = np.uint64(chunk.first_ticks) + np.cumsum(steps, dtype=np.uint64)
    return end - duration, end


def _bytes(chunk, at):
    """Bytes of each event: its own value, or that of the previous event with the same shape."""
    index, given = chunk.shape & _INDEX, chunk.shape & _BYTES != 0
    values = np.zeros(len(index), np.uint64)
    values[given] = chunk.words[at[given]]
    wide = given & (chunk.shape & _WIDE != 0)
    values[wide] = _two_words(chunk.words, at[wide])
    order = np.argsort(index, kind="stable")
    first = np.r_[True, index[order][1:] != index[order][:-1]]
    # The last event of the shape that has its own value, or else its first event.
    source = np.maximum.accumulate(np.where(given[order] | first, np.arange(len(order)), 0))
    out = np.empty_like(values)
    out[order] = values[order][source]
    return out


def _idle(chunk, kind, ticks, at):
    """Ticks that the threads of an OpenMP region were idle, or one thread in its part; else 0."""
    idle = np.zeros(len(kind), np.uint64)
    work, parallel = kind == _KIND["work"], kind == _KIND["parallel"]
    idle[work] = _two_words(chunk.words, at[work])
    busy = _two_words(chunk.words, at[parallel] + 1)
    all_threads = chunk.words[at[parallel]].astype(np.uint64) * ticks[parallel]
    idle[parallel] = all_threads - np.minimum(busy, all_threads)
    return idle


def columns_of(chunk, shapes):
    """The events of a chunk as a dict of arrays; `begin`, `end` and `idle` in ticks."""
    shape = shapes[chunk.shape & _INDEX]
    begins, after_times = _sizes_of_words(chunk, shapes)
    begin, end = _times(chunk, begins, np.isin(shape["kind"], _HOLDS_OTHERS))
    return {"begin": begin, "end": end, "bytes": _bytes(chunk, after_times),
            "idle": _idle(chunk, shape["kind"], end - begin, after_times),
            "thread": np.full(len(shape), chunk.thread, np.uint32),
            **{name: shape[name] for name in ("kind", "function", "site", "comm", "peer", "tag")}}
