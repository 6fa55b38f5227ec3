# SPDX-License-Identifier: BSD-3-Clause
"""The lines of Python that the preload object reads, without the interpreter's lock.

    test_python.py LIBRARY
"""
import ctypes
import inspect
import sys
import threading
import unittest

# Calls through CDLL are made without the lock, as mpi4py's are.
LIBRARY = ctypes.CDLL(sys.argv.pop())
LIBRARY.lines.restype = ctypes.POINTER(ctypes.c_char)
LIBRARY.sampled.restype = ctypes.POINTER(ctypes.c_char)
LIBRARY.path.restype = ctypes.c_uint64
IS_KNOWN = (3, 9) <= sys.version_info[:2] <= (3, 13) and "t" not in getattr(sys, "abiflags", "")


def lines(room=16, read=LIBRARY.lines):
    """(line, function, file) of each frame, without this function and what called the test."""
    size = ctypes.c_int()
    text = read(room + 1, ctypes.byref(size))[:size.value].decode()
    frames = []
    for part in text.split("\0")[1:-1]:
        place, file = part.split("\n")
        line, function = place.split(" ", 1)
        frames.append((int(line), function, file))
    return frames


def here():
    return inspect.currentframe().f_back.f_lineno


def name(method):
    """Before 3.11 code does not know the class or function that it is in."""
    return method if sys.version_info >= (3, 11) else method.split(".")[-1]


@unittest.skipUnless(IS_KNOWN, "this Python is not known")
class Lines(unittest.TestCase):
    def test_are_those_of_the_callers(self):
        def inner():
            return here(), lines()

        line, (first, second, *_) = inner()
        self.assertEqual(first, (line, name(inner.__qualname__), __file__))
        self.assertEqual(second[1], name("Lines.test_are_those_of_the_callers"))
        self.assertEqual(second[0], line + 2)

    def test_differ_within_a_function(self):
        paths = [
            LIBRARY.path(1),
            LIBRARY.path(1),
        ]
        self.assertNotEqual(paths[0], paths[1])
        again = [LIBRARY.path(0) for _ in range(2)]
        self.assertEqual(again[0], again[1])
        self.assertNotEqual(again[0], 0)

    def test_of_callers_are_part_of_the_path(self):
        def path(innermost_only):
            return LIBRARY.path(innermost_only)

        all_lines = [path(0), path(0)]
        innermost = [path(1), path(1)]
        self.assertNotEqual(all_lines[0], all_lines[1])
        self.assertEqual(innermost[0], innermost[1])

    def test_of_generators_callbacks_and_other_threads(self):
        def generate():
            yield lines()[0][1]

        found = list(generate())
        sorted([2, 1], key=lambda _: found.append(lines()[0][1]) or 0)
        thread = threading.Thread(target=lambda: found.append(lines()[1][1]))
        thread.start()
        thread.join()
        local = "Lines.test_of_generators_callbacks_and_other_threads.<locals>."
        self.assertEqual(found, [name(local + "generate"), name(local + "<lambda>"),
                                 name(local + "<lambda>"), name("Thread.run")])

    def test_may_have_any_characters(self):
        scope = {"lines": lines}
        code = "def ok_größe_名前_\U00010330():\n    return lines()"
        # Names are normalized; file names may contain bytes that are not characters.
        exec(compile(code, "/tmp/f\n\udc80\u20ac.py", "exec"), scope)
        size = ctypes.c_int()
        scope["lines"] = lambda: LIBRARY.lines(2, ctypes.byref(size))[:size.value]
        text = scope["ok_größe_名前_\U00010330"]().split(b"\0")[1]
        self.assertIn("2 ok_größe_名前_\U00010330\n".encode(), text)
        self.assertEqual(text.count(b"\n"), 1)

    def test_are_the_same_in_a_sample(self):
        both = [lines(64), lines(64, LIBRARY.sampled)]
        self.assertEqual(both[0][1:], [(line, function, file.rstrip("\1"))
                                       for line, function, file in both[1]][1:])

    def test_of_a_sample_end_where_c_called(self):
        found = []
        sorted([1], key=lambda _: found.extend(lines(64, LIBRARY.sampled)))
        self.assertTrue(found[0][1].endswith("<lambda>"), found)
        self.assertTrue(found[0][2].endswith("\1"), found)

    def test_are_limited_to_the_room(self):
        def deep(level):
            return lines(5) if level == 0 else deep(level - 1)

        self.assertEqual(len(deep(30)), 5)

    def test_are_cut_if_they_are_long(self):
        scope = {"lines": lines}
        exec(f"def {'f' * 500}():\n    return lines()", scope)
        found = scope["f" * 500]()
        self.assertTrue(100 < len(found[0][1]) < 300, found[0])


@unittest.skipIf(IS_KNOWN, "this Python is known")
class Unknown(unittest.TestCase):
    def test_is_noted(self):
        size = ctypes.c_int()
        self.assertIn(b"cannot be read", LIBRARY.lines(4, ctypes.byref(size))[:size.value])
        self.assertEqual(LIBRARY.path(0), 0)


if __name__ == "__main__":
    unittest.main()
