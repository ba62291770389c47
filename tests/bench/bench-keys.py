#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench-keys.py CDEFRAG IMAGE [COMMAND...] - from a key to the screen while the program works.

Starts `CDEFRAG -w IMAGE` in a pseudo terminal of 120x40, types each COMMAND as soon as the volume stands (none: the
scan itself is the work), and then opens and closes the help for four seconds. Measured is
the time from the byte of `?` to the byte of the terminal's answer that completes a word of the help. Run it on a
scratch image: the commands are carried out.
"""
import fcntl, os, pty, re, select, struct, sys, termios, time

SECONDS = 4
TITLE = rb"everywhere|of this pane|shortest unique"  # curses sends only what differs: any of them will do


def spawn(argv):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execv(argv[0], argv)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return pid, fd


class Terminal:
    def __init__(self, argv):
        self.pid, self.fd = spawn(argv)
        self.seen = b""

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.fd, 65536)
        except OSError:
            return False
        return True

    def wait(self, what, seconds):
        """Seconds until `what` (a regular expression) is among the new output; None if it never is."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if re.search(what, self.seen):
                return time.monotonic() - start
            self.read(0.5)
        return None

    def quiet(self, seconds):
        while self.read(seconds):
            pass

    def key(self, bytes_):
        self.seen = b""
        os.write(self.fd, bytes_)


def main():
    cdefrag, image, commands = sys.argv[1], sys.argv[2], sys.argv[3:]
    term = Terminal([cdefrag, "-w", image])
    if term.wait(rb"Help", 10) is None:
        sys.exit("bench-keys: nothing appeared: " + term.seen.decode(errors="replace"))
    if commands:
        term.quiet(1.5)
    for command in commands:
        term.key(b":" + command.encode() + b"\r")
        if command != commands[-1]:
            term.quiet(1.5)
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        term.key(b"?")
        took = term.wait(TITLE, 5)
        if took is None:
            sys.exit("bench-keys: the help did not come: " + term.seen.decode(errors="replace")[-2000:])
        times.append(took * 1000)
        term.key(b"?")
        pause = time.monotonic() + 0.1 + 0.03 * (len(times) % 3)
        while (left := pause - time.monotonic()) > 0:
            term.read(left)
    os.kill(term.pid, 15)
    while term.read(10):
        pass
    os.waitpid(term.pid, 0)
    times.sort()
    print("%d keys: middle %.1f ms, slowest %.1f ms (must 50)" % (len(times), times[len(times) // 2], times[-1]))


main()
