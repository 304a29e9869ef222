"""A host for the page: a folder behind HTTP on this machine, with the headers that give it threads or, like many hosts,
without them."""
import functools
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app" / "web"))
from serve import Handler


class PlainHandler(Handler):
    isolates = False


class Site:
    """Serves `folder` until it is closed; `address` ends in "/"."""

    def __init__(self, folder, isolates=True):
        handler = functools.partial(Handler if isolates else PlainHandler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
