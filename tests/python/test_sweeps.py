"""Many schedules at once; what is shown meanwhile; how it is ended."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
import unittest

from onceover import Schedule, catalogue, sweep, verify

LONG = "catalogue.swing(torus=(128, 128), lanes='all')"  # takes minutes with this property, judged block by block
PROPERTY = "no-redundant-transfer"


def one_way(p):
    s = Schedule("allreduce", p, 1)
    for rank in range(p - 1):
        with s.step():
            s.send(rank, rank + 1, 0, "reduce")
    return s


class Sweeps(unittest.TestCase):
    def test_verdicts(self):
        found = sweep(lambda p: catalogue.ring(p) if p % 2 else one_way(p), range(2, 12))
        self.assertEqual(list(found), list(range(2, 12)))
        self.assertEqual(list(found.failures), [2, 4, 6, 8, 10])
        self.assertEqual(found.first_failure.subject.ranks, 2)
        self.assertEqual(found.verdict, "fail")
        self.assertIn("fail     p = 2, 4, 6, 8, 10", str(found))
        self.assertTrue(found[3])

    def test_what_the_function_raises_ends_it(self):
        def make(p):
            if p == 5:
                raise ZeroDivisionError("no")
            return catalogue.ring(p)

        with self.assertRaises(ZeroDivisionError) as caught:
            sweep(make, range(2, 2000))
        self.assertEqual(caught.exception.__notes__, ["in the sweep, at p = 5"])
        self.assertTrue(verify(catalogue.ring(p=5)))  # nothing is left of it

    def test_other_threads_go_on(self):
        counted, ends = [0], threading.Event()

        def count():
            while not ends.is_set():
                counted[0] += 1
                time.sleep(0.001)

        other = threading.Thread(target=count)
        other.start()
        begin = time.monotonic()
        verify(catalogue.swing(torus=(24, 24), lanes="all"), PROPERTY, threads=1)
        took, during = time.monotonic() - begin, counted[0]
        ends.set()
        other.join()
        self.assertGreater(during, took * 20)  # ten times less than it could

    def child(self, code):
        """Python on a terminal of its own: (process, the terminal)."""
        terminal, end = pty.openpty()
        process = subprocess.Popen([sys.executable, "-B", "-c", "from onceover import *\n" + code], stdin=end, stdout=end,
                                   stderr=end, start_new_session=True)
        os.close(end)
        return process, terminal

    def output(self, terminal):
        text = b""
        try:
            while part := os.read(terminal, 4096):
                text += part
        except OSError:  # the other side is closed
            pass
        os.close(terminal)
        return text.decode()

    def test_a_line_of_progress_on_a_terminal(self):
        process, terminal = self.child("import time\n"
                                       "sweep(lambda p: time.sleep(0.05) or catalogue.ring(p), range(2, 12), workers=1)\n"
                                       "print('done')")
        text = self.output(terminal)
        self.assertEqual(process.wait(60), 0, text)
        self.assertRegex(text, r"\r\[#+\.+\] \d of 10")
        self.assertTrue(text.endswith(" \rdone\r\n"), text)

    def test_control_c(self):
        for code in (f"s = {LONG}\ntry:\n  print('begins', flush=True)\n  verify(s, '{PROPERTY}', budget=10**15)\n"
                     "except KeyboardInterrupt:\n  print('stopped', verify(catalogue.ring(p=5)).verdict)",
                     f"try:\n  print('begins', flush=True)\n  sweep(lambda p: {LONG}, [1, 2, 3], require='{PROPERTY}')\n"
                     "except KeyboardInterrupt:\n  print('stopped', verify(catalogue.ring(p=5)).verdict)"):
            process, terminal = self.child(code)
            text = b""
            while b"begins" not in text:
                text += os.read(terminal, 4096)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            text = self.output(terminal)
            self.assertEqual(process.wait(60), 0, text)
            self.assertIn("stopped pass", text)


if __name__ == "__main__":
    unittest.main()
