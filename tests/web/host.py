"""A host for the page: a folder behind HTTP on this machine, with the headers that enable threads or, like many hosts,
without them."""
import contextlib
import functools
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app" / "web"))
from serve import Handler


class PlainHandler(Handler):
    isolates = False


class SlowHandler(Handler):
    """Simulates a slow network: sends half of each program, and the rest after `go` is set."""
    go = None

    def copyfile(self, source, outputfile):
        if not self.path.endswith(".wasm"):
            return super().copyfile(source, outputfile)
        whole = source.read()
        outputfile.write(whole[:len(whole) // 2])
        outputfile.flush()
        self.go.wait(120)
        with contextlib.suppress(OSError):  # the browser has been closed by now
            outputfile.write(whole[len(whole) // 2:])


class Site:
    """Serves `folder` until it is closed; `address` ends in "/". `slow`: an event that SlowHandler waits for."""

    def __init__(self, folder, isolates=True, slow=None):
        kind = type("Held", (SlowHandler,), {"go": slow}) if slow else Handler if isolates else PlainHandler
        handler = functools.partial(kind, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
