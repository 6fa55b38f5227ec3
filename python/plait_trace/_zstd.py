# SPDX-License-Identifier: BSD-3-Clause
"""Decompresses zstd frames with Python's own module, the module zstandard, or libzstd."""

import ctypes
import ctypes.util


def _by_python():
    from compression import zstd  # Python 3.14

    return lambda: zstd.ZstdDecompressor()


def _by_zstandard():
    import zstandard

    return lambda: zstandard.ZstdDecompressor().decompressobj()


def _of_modules(make):
    """frames() with a module's decompressors, which keep the data after their frame."""

    def frames(stored, sizes):
        for size in sizes:
            one = make()
            plain = one.decompress(stored)
            if len(plain) != size:
                raise ValueError("a zstd frame has an unexpected size")
            stored = one.unused_data
            yield plain

    return frames


def _by_library():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t

    def frames(stored, sizes):
        source = ctypes.create_string_buffer(stored, len(stored))
        begin, left = ctypes.addressof(source), len(stored)
        for size in sizes:
            length = library.ZSTD_findFrameCompressedSize(
                ctypes.c_void_p(begin), ctypes.c_size_t(left))
            if length > left:  # error codes are larger than any size
                raise ValueError("not a zstd frame")
            plain = ctypes.create_string_buffer(max(size, 1))
            got = library.ZSTD_decompress(plain, ctypes.c_size_t(size),
                                          ctypes.c_void_p(begin), ctypes.c_size_t(length))
            if got != size:
                raise ValueError("a zstd frame has an unexpected size")
            begin, left = begin + length, left - length
            yield plain.raw[:size]

    return frames


def _find():
    for by in (_by_python, _by_zstandard):
        try:
            return _of_modules(by())
        except ImportError:
            pass
    try:
        return _by_library()
    except OSError:
        raise ImportError("plait_trace needs zstd: install the module zstandard, or libzstd "
                          "(Debian: libzstd1)") from None


#: frames(stored, sizes): the contents of consecutive frames with these sizes.
frames = _find()
