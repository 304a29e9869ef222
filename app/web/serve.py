#!/usr/bin/env python3
"""Serves the page on this machine, or to the devices of the local network, with the headers that give it threads.

  app/web/serve.py FOLDER [PORT] [--lan [--https]]

  PORT       without it, or with 0, a free one is taken; the address is printed
  --lan      to every device of this network: a class opens the address, or scans its QR code
  --https    with a certificate that is made here: the page then has threads and works offline, and each browser
             warns once that it does not know the certificate
"""
import argparse
import functools
import gzip
import http.server
import io
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
COMPRESSIBLE = {".js", ".mjs", ".css", ".html", ".json", ".wasm", ".po", ".webmanifest", ".data", ".svg"}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript",
                      ".mjs": "text/javascript", ".wasm": "application/wasm",
                      ".webmanifest": "application/manifest+json"}
    isolates = True
    timeout = 60  # also closes the connection of a device that is switched off
    kept = {}  # (path, modification time) -> its compressed bytes
    keeping = threading.Lock()

    def end_headers(self):
        if self.isolates:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_head(self):
        path = pathlib.Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.html"
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if not takes or path.suffix not in COMPRESSIBLE or not path.is_file() or "If-Modified-Since" in self.headers:
            return super().send_head()
        changed = path.stat().st_mtime
        key = (str(path), changed)
        with self.keeping:
            if key not in self.kept:
                self.kept[key] = gzip.compress(path.read_bytes(), 6)
        packed = self.kept[key]
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(packed)))
        self.send_header("Last-Modified", self.date_time_string(changed))
        self.end_headers()
        return io.BytesIO(packed)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # a whole class opens the page at the same time
    encryption = None

    def finish_request(self, request, client_address):
        # In the connection's own thread: a device that never answers blocks no other.
        if not self.encryption:
            return super().finish_request(request, client_address)
        request.settimeout(10)
        with self.encryption.wrap_socket(request, server_side=True) as connection:
            super().finish_request(connection, client_address)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a closed connection, or a rejected certificate
            super().handle_error(request, client_address)


def local_address():
    """This machine's address in its network, None where there is none. (Connecting by UDP sends nothing.)"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("10.255.255.255", 1))
            address = one.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


def make_certificate(folder, address):
    """A certificate for this address, made by openssl. Returns the two files."""
    if not shutil.which("openssl"):
        sys.exit("Cannot make a certificate: the program openssl is missing. Install it, or omit --https.")
    key, certificate = folder / "web-key.pem", folder / "web-certificate.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Perturb",
         "-addext", f"subjectAltName=IP:{address},IP:127.0.0.1,DNS:localhost", "-keyout", str(key), "-out",
         str(certificate)], capture_output=True, text=True, check=False)
    if made.returncode:
        said = made.stderr.strip().splitlines()[-1]
        sys.exit(f"Cannot make a certificate: openssl says \"{said}\". Omit --https.")
    key.chmod(0o600)
    return certificate, key


def print_qr_code(address):
    node = shutil.which("node")
    if node and sys.stdout.isatty():
        subprocess.run([node, str(HERE / "qr_terminal.mjs"), address], check=False)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("port", type=int, nargs="?", default=0)
    options.add_argument("--lan", action="store_true")
    options.add_argument("--https", action="store_true")
    asked = options.parse_args()
    host = local_address() if asked.lan else "localhost"
    if not host:
        sys.exit("Cannot serve to a network: this machine is in none. Connect it, or omit --lan.")
    try:
        server = Server(("0.0.0.0" if asked.lan else "127.0.0.1", asked.port),
                        functools.partial(Handler, directory=str(asked.folder)))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        sys.exit(f"Cannot serve at port {asked.port}: {reason}. Choose another with --port.")
    if asked.https:
        certificate, key = make_certificate(asked.folder.resolve().parent, host if asked.lan else "127.0.0.1")
        server.encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.encryption.load_cert_chain(certificate, key)
    address = f"http{'s' if asked.https else ''}://{host}:{server.server_address[1]}/"
    print(f"Perturb is served at {address} (Ctrl+C ends it).", flush=True)
    if asked.lan:
        print_qr_code(address)
        print("Each browser warns that it does not know the certificate: choose \"Advanced\", then continue. Some\n"
              "browsers keep the page for later without a network only with a certificate that they know."
              if asked.https else
              "Without https each device computes on one thread, and does not keep the page for later: --https\n"
              "gives both. Scenes, lessons and links work.", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
