#!/usr/bin/env python3
"""Serves a folder to this machine's browsers, isolated, so that its page may use Z3: serve.py FOLDER [PORT]
Prints the page's address. Without a port it takes a free one."""

import functools
import http.server
import sys


class Isolated(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_):
        pass


def main(folder, port=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), functools.partial(Isolated, directory=folder))
    print(f"http://127.0.0.1:{server.server_port}/index.html", flush=True)
    server.serve_forever()


main(*sys.argv[1:])
