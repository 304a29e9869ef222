#!/usr/bin/env python3
"""A random class in a shared run: pupils that join, poke, answer, leave, vanish and send garbage, and a teacher.

  tests/harden/class.py --program PATH [--seconds S] [--seed N] [--pupils N] [--rate R] [--round S]

Starts `perturb serve` on this machine. A teacher and N pupils (default 11) act R times a second each (default 2); one
more pupil is calm: it only watches, pokes and reads, and must get its answers in order, and pictures. Every --round
seconds (default 60) all leave, and the server must have its memory, descriptors and threads of before. Ends with
"class: N tried, M failed", and with 1 where M > 0. The same seed makes the same choices, in another order of arrival.
"""
import argparse
import asyncio
import base64
import collections
import contextlib
import json
import math
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

HANG = 600  # seconds that an answer, a picture or an end may take: only a hang takes longer, on a busy machine, too
HOME = "wave/rain"  # the scene at the beginning and the end of a round
# Of fibers only scenes whose steps do not take seconds.
SLOW = {f"fibers/{name}" for name in ("cloud", "paper", "sheet", "thousand", "two-clouds", "fluid", "periodic")}
# A step takes as many times longer with more of these: so long that nobody would get an answer.
MOST = {"count": 30, "fiber": 30, "level": 5, "degree": 3, "tracers": 500, "terms": 5, "subintervals": 8,
        "points_per_subinterval": 3, "node_points": 16, "slow_factor": 8, "max_iterations": 1000, "mesh": 4}
# Growth of the server's memory that is no leak: the C library keeps freed memory in pieces that depend on the order of
# all that was allocated. Arrays of a state are returned at once (MALLOC below), so that this is little. What is lost in
# every round exceeds it in a long run.
MOST_GROWTH = 24 << 20
MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(64 << 10), "MALLOC_TRIM_THRESHOLD_": str(128 << 10)}
MOST_FAILURES = 20

FRAGMENT, START, JPEG, PNG = range(1, 5)


class Ended(Exception):
    """The connection has ended; the text is the server's reason."""


class Link:
    """A WebSocket down to its bytes, so that it can break the rules."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, port, peer, cookie):
        reader, writer = await connect(port, peer)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(f"GET /run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nCookie: {cookie}\r\n\r\n".encode())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101"):
                raise Ended(head.partition(b"\r\n")[0].decode(errors="replace"))
        except BaseException:
            writer.transport.abort()
            raise
        return cls(reader, writer)

    def send(self, data, opcode=1, length=None):
        """`length`: what the frame says of its length, if not the truth."""
        length = len(data) if length is None else length
        size = bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0xFE, length) if length < 65536 \
            else struct.pack(">BQ", 0xFF, length)
        self.writer.write(bytes([0x80 | opcode]) + size + bytes(4) + data)  # masked by zero

    async def receive(self):
        """The next message: (opcode, bytes). Answers pings."""
        while True:
            try:
                first, second = await self.reader.readexactly(2)
                length = second & 127
                if length > 125:
                    length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
                data = await self.reader.readexactly(length)
            except (OSError, asyncio.IncompleteReadError):
                raise Ended("") from None
            if first & 15 == 8:
                with contextlib.suppress(OSError):
                    self.send(data, 8)
                raise Ended(data[2:].decode(errors="replace"))
            if first & 15 == 9:
                self.send(data, 10)
            elif first & 15 in (1, 2):
                return first & 15, data

    def drop(self):
        """As a device whose battery is empty."""
        self.writer.transport.abort()


async def connect(port, peer):
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))


async def http(port, peer, request):
    """Sends these bytes; returns the answer's status, head and body."""
    reader, writer = await connect(port, peer)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        text = head.decode(errors="replace")
        length = next((int(line[16:]) for line in text.split("\r\n") if line.startswith("Content-Length: ")), 0)
        return int(text.split()[1]), text, await reader.readexactly(length)
    finally:
        writer.close()


class Client:
    """A browser: joins, keeps its cookie, calls and receives."""

    def __init__(self, group, name, peer, seed, code):
        self.group, self.name, self.peer, self.choose = group, name, peer, random.Random(f"{seed} {name}")
        self.code, self.cookie, self.link, self.reader = code, "", None, None
        self.waiting, self.next, self.done = {}, 1, []
        self.status, self.lesson, self.catalog = None, None, None
        self.pictures, self.may_end, self.is_paused_reading = 0, False, False
        self.needs_key, self.number = True, -1

    def fail(self, what):
        self.group.fail(f"{self.name}: {what}\n  after " + "; ".join(self.done[-6:]))

    async def join(self, code):
        """Whether the server has let it in."""
        body = json.dumps({"code": code, "name": self.name})
        request = (f"POST /join HTTP/1.1\r\nHost: 127.0.0.1:{self.group.port}\r\nCookie: {self.cookie}\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n{body}")
        status, head, _ = await http(self.group.port, self.peer, request.encode())
        for line in head.split("\r\n"):
            if line.startswith("Set-Cookie: "):
                self.cookie = line[12:].partition(";")[0]
        return status == 200

    async def enter(self, video="none"):
        """Joins if it must, connects and says hello."""
        if not self.cookie and not await self.join(self.code):
            return False
        try:
            self.link = await Link.open(self.group.port, self.peer, self.cookie)
        except Ended:
            self.cookie = ""  # removed
            return False
        self.waiting, self.needs_key, self.may_end = {}, True, False
        self.reader = asyncio.ensure_future(self.read())
        hello = await self.call("hello", video=video)
        self.status, self.lesson, self.catalog = hello["status"], hello["lesson"], hello["catalog"]
        return True

    async def read(self):
        link = self.link
        try:
            while True:
                if self.is_paused_reading:
                    await asyncio.sleep(0.1)
                    continue
                opcode, data = await link.receive()
                if opcode == 1:
                    self.take_text(json.loads(data))
                else:
                    self.take_media(data)
        except Ended as end:
            reason = str(end)
            # (Who was removed while connecting is told to join again.)
            if not self.may_end and "removed" not in reason and reason != "Join again." and not self.group.is_ending:
                self.fail(f"the server has ended the connection: {reason or 'without a word'}")
        except Exception as error:  # of this program, or a message that cannot be read
            self.fail(f"a message: {error!r}")
        finally:
            link.drop()
            if self.link is link:
                self.link = None
            for one in self.waiting.values():
                if not one.done():
                    one.set_exception(Ended("lost"))

    def take_text(self, message):
        if "id" in message:
            if not message["id"]:  # of garbage
                return
            if message["id"] != next(iter(self.waiting), None):
                self.fail(f"the answer {message['id']} has come before others: {list(self.waiting)[:5]}")
            one = self.waiting.pop(message["id"], None)
            if one and not one.done():
                one.set_result(message)
        elif message["push"] == "numbers":
            self.status = message["status"]
        elif message["push"] == "lesson":
            self.lesson = message["lesson"]

    def take_media(self, data):
        kind, is_key, number = data[0], data[1] == 1, struct.unpack("<I", data[4:8])[0]
        self.pictures += 1
        if kind == START:
            self.needs_key = True
        elif kind == FRAGMENT:
            if (self.needs_key or number != self.number + 1) and not is_key:
                self.fail(f"frame {number} after {self.number} needs a frame that was not sent")
            self.needs_key, self.number = False, number
        elif not data[16:].startswith(b"\xff\xd8" if kind == JPEG else b"\x89PNG"):
            self.fail(f"an image of kind {kind} is none")

    def send(self, name, **args):
        """A future of the answer."""
        self.done.append(f"{name} {json.dumps(args)[:120]}")
        del self.done[:-12]
        if not self.link:
            raise Ended("lost")
        self.group.calls += 1
        one = self.waiting[self.next] = asyncio.get_running_loop().create_future()
        one.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.link.send(json.dumps({"id": self.next, "call": name, "with": args}).encode())
        self.next += 1
        return one

    async def result_of(self, answer, name):
        try:
            message = await asyncio.wait_for(asyncio.shield(answer), HANG)
        except asyncio.TimeoutError:
            self.fail(f"no answer to {name} within {HANG} s in {self.status['scene']} {self.status['parameters']}")
            raise Ended("hang") from None
        if "error" in message:
            if message["kind"] != "input":
                self.fail(f"{name}: {message['error']}")
            return None
        result = message["result"]
        status = result if "gauges" in result else result.get("status")
        self.status = status or self.status
        return result

    async def call(self, name, **args):
        """The result; None: refused."""
        return await self.result_of(self.send(name, **args), name)

    async def leave(self):
        if self.link:
            self.may_end = True
            with contextlib.suppress(OSError):
                self.link.send(struct.pack(">H", 1000), 8)
            await asyncio.wait([self.reader], timeout=HANG)

    def simulation(self):
        return next(one for one in self.catalog["simulations"] if one["id"] == self.status["simulation"])

    def value(self, field):
        """Mostly allowed ones; some are far outside, or none at all."""
        choose = self.choose
        if choose.random() < 0.1:
            return choose.choice([1e300, -1e300, "NaN", "", None, [], {}, "x" * 3000, True, 0.5, -1])
        if field["kind"] == "choice":
            return choose.choice(field["choices"])["id"]
        if field["kind"] == "boolean":
            return choose.random() < 0.5
        if "minimum" not in field:
            return field["default"]
        low, most = field["minimum"], MOST.get(field["id"], math.inf)
        high = min(field["maximum"], 1000 * abs(field["default"] or 1), most)
        value = low + (max(low, high) - low) * choose.random() ** 2
        return round(value) if field["kind"] == "integer" else value

    # ---- what pupils do

    def point(self):
        return {"x": self.choose.uniform(-5, 105), "y": self.choose.uniform(-5, 105), "width": 100, "height": 100}

    async def poke(self):
        """One stroke, or several at once with different tools, some of which never end."""
        tools = self.choose.choices(self.simulation()["tools"], k=self.choose.choice([1, 1, 1, 3]))
        answers = []
        for tool in tools:
            brush = {one["id"]: self.value(one) for one in tool["brush"] if self.choose.random() < 0.2}
            answers.append(self.send("gesture", tool=tool["id"], phase="press", **self.point(), brush=brush))
        for tool in tools:
            for phase in self.choose.choice([[], ["release"], ["move", "release"], ["move", "scroll", "release"]]):
                answers.append(self.send("gesture", tool=tool["id"], phase=phase, **self.point()))
        for answer in answers:
            await self.result_of(answer, "gesture")

    async def set(self):
        parameters = self.choose.sample(self.simulation()["parameters"], k=min(2, len(self.simulation()["parameters"])))
        await self.call("set", changes={one["id"]: self.value(one) for one in parameters})

    async def place(self):
        if self.status["placeable"]:
            await self.call("place", kind=self.choose.choice(self.status["placeable"]))
        if self.status["objects"]:
            one = self.choose.choice(self.status["objects"])["id"]
            at, size = self.point(), {"width": 100, "height": 100}
            await self.call("drag_object", start=[at["x"], at["y"]], object=one, handle=0, x=50, y=50, **size)
            if self.choose.random() < 0.5:
                await self.call("drag_object", x=40, y=60, end=True, **size)

    async def act(self):
        kind = self.choose.choice(self.simulation()["actions"])
        await self.call("act", action={"kind": kind["id"], **{one["id"]: self.value(one) for one in kind["fields"]}})

    async def answer(self):
        await self.call("lesson_answer", **self.choose.choice([
            {"choice": self.choose.randrange(4)}, {"number": str(self.choose.uniform(-10, 100))},
            {"number": "25 / 12,5"}, {"sketch": [[k / 10, self.choose.random()] for k in range(11)]},
            {"sketch": []}, {"choice": -1}]))

    async def look(self):
        name, args = self.choose.choice([
            ("status", {}), ("look", {"curves": True}), ("overlay", {"width": 300, "height": 200}), ("describe", {}),
            ("scene", {}), ("locate", self.point()), ("lesson_look", {}), ("catalog", {}), ("lab_report", {}),
            ("translate", {"language": "de", "texts": ["Wall"]}),
            ("watch", {"video": self.choose.choice(["none", "jpeg", "mse"]), "curves": True})])
        await self.call(name, **args)

    async def try_forbidden(self):
        name, args = self.choose.choice([
            ("open", {"scene": "wave/rain"}), ("undo", {}), ("restart", {}), ("advance", {"steps": 1000}), ("save", {}),
            ("playback", {"playing": False}), ("people", {}), ("allow", {"tools": None}), ("remove", {"person": 1}),
            ("class_results", {}), ("verify", {"simulation": "wave"}), ("lesson_step", {"index": 1}), ("load", {}),
            ("no_such_call", {}), ("script", {}), ("kernel", {"id": "auto"})])
        if await self.call(name, **args) is not None:
            self.fail(f"a pupil may call {name}")

    async def leave_politely(self):
        await self.leave()

    async def vanish(self):
        self.may_end = True
        self.link.drop()

    async def send_garbage(self):
        """What the server may answer, or end the connection for."""
        self.may_end = True
        choose, link = self.choose, self.link
        noise = choose.randbytes(choose.choice([1, 100, 5000]))
        kind = choose.choice(["words", "bytes", "half", "long", "longest", "json", "deep", "flood", "frame", "unmasked",
                              "control", "deaf"])
        self.done.append(kind)
        if kind == "words":
            link.send(choose.choice([b"", b"{", b"null", b"[]", b'"x"', b"{}", b'{"id":-1}', b'{"id":1e99}']))
        elif kind == "bytes":
            link.send(noise, 2)
        elif kind == "half":
            link.send(noise, length=70000)
        elif kind == "long":
            link.send(b" " * (choose.choice([65536, 65537, 1 << 20])))
        elif kind == "longest":
            link.send(noise, length=(1 << 63) - 1)
        elif kind == "json":
            args = choose.choice([None, [], 7, {"x": {}}, {"changes": []}, {"video": 3}])
            name = choose.choice(["gesture", "set", "hello", "look", ""])
            link.send(json.dumps({"id": 0, "call": name, "with": args}).encode())
        elif kind == "deep":
            link.send(b'{"id":1,"call":"set","with":' + b'{"a":' * 5000)
        elif kind == "flood":
            for _ in range(choose.choice([150, 400])):
                link.send(b'{"id":0,"call":"status"}')
        elif kind == "frame":
            link.writer.write(noise)
        elif kind == "unmasked":
            link.writer.write(b"\x81\x02{}")
        elif kind == "control":
            link.send(b"x" * 200, choose.choice([8, 9, 10, 11]))
        elif kind == "deaf":
            self.is_paused_reading = True
            await asyncio.sleep(choose.choice([2, 8]))
            self.is_paused_reading = False
        await asyncio.sleep(choose.random())
        if self.link and kind != "deaf":
            self.link.drop()

    async def join_again(self):
        """From outside: with its cookie, as somebody else, with a wrong code or cookie."""
        kind = self.choose.random()
        if kind < 0.2:
            self.cookie = ""
        elif kind < 0.3:
            if await self.join(self.choose.choice(["", "AAAAAA", "teacher-", "teacher-AAAA", "x" * 5000])):
                self.fail("a wrong code lets somebody in")
        elif kind < 0.4:
            kept, self.cookie = self.cookie, f"perturb-{self.group.port}={self.choose.choice(['', 'x', 'A' * 4000])}"
            if await self.enter():
                self.fail("a wrong cookie lets somebody in")
            self.cookie = kept
        elif kind < 0.6:
            await self.knock()
        await self.enter(self.choose.choice(["none", "none", "none", "mse", "webcodecs", "jpeg"]))

    async def knock(self):
        """Garbage in place of HTTP, or silence."""
        reader, writer = await connect(self.group.port, self.peer)
        writer.write(self.choose.choice([
            b"", b"\r\n\r\n", b"GET", b"X" * 20000, b"\x16\x03\x01\x02\x00", self.choose.randbytes(300),
            b"GET / HTTP/1.1\r\n", b"GET /../etc/passwd HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
            b"GET /run HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            b"POST /join HTTP/1.1\r\nContent-Length: 5\r\n\r\n{",
            b"POST /join HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\nx"]))
        try:
            await asyncio.sleep(self.choose.choice([0, 0.2, 3]))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(1000), 0.1)
        finally:
            writer.transport.abort()

    async def act_at_random(self, kinds):
        """Until the end of the round. (Before Python 3.12 wait_for may swallow that the task is cancelled.)"""
        while not self.group.is_ending:
            await asyncio.sleep(self.choose.expovariate(self.group.rate))
            try:
                what = self.choose.choices(list(kinds), list(kinds.values()))[0] if self.link else self.join_again
                self.group.counts[what.__name__] += 1
                await what()
            except (Ended, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass  # a connection that has ended, which was judged there

    async def be_pupil(self):
        await self.act_at_random({
            self.poke: 8, self.set: 3, self.place: 1, self.act: 1, self.answer: 2, self.look: 3, self.try_forbidden: 1,
            self.leave_politely: 1, self.vanish: 1, self.send_garbage: 2})

    # ---- the calm pupil

    async def be_calm(self):
        await self.enter("webcodecs")
        while not self.group.is_ending:
            await asyncio.sleep(self.choose.uniform(0.5, 1.5) * 2 / self.group.rate)
            seen, begun = self.pictures, time.monotonic()
            tool, at = self.choose.choice(self.simulation()["tools"])["id"], self.point()
            names = ["gesture", "gesture", "status", "look"]
            sent = [self.send("gesture", tool=tool, phase=phase, **at) for phase in ("press", "release")]
            sent += [self.send("status"), self.send("look")]
            results = [await self.result_of(one, name) for one, name in zip(sent, names)]
            self.group.waits.append(time.monotonic() - begun)
            if None in results[2:]:
                self.fail("a call that reads is refused")
            if any(one and one["actions"] for one in results[:2]):
                self.group.pokes += 1
                while self.pictures == seen:
                    if time.monotonic() > begun + HANG:
                        self.fail(f"no picture within {HANG} s of a poke")
                        return
                    await asyncio.sleep(0.05)

    # ---- what the teacher does

    async def open_scene(self):
        simulation = self.choose.choice(self.catalog["simulations"])
        scene = self.choose.choice([one["scene"] for one in simulation["presets"] if one["scene"] not in SLOW])
        if await self.call("open", scene=scene, lighter=True, live_count=True):
            self.group.scenes.add(scene)
            # Steps and frames only keep the processor busy here.
            await self.call("playback", steps_per_frame=self.choose.choice([1, 1, 1, 3]),
                            playing=self.choose.random() < 0.3)

    async def lead_lesson(self):
        """A lesson from its beginning, or what comes next in it."""
        lessons = [one["path"] for one in self.catalog["lessons"] if not one["path"].startswith("fibers/")]
        if not self.lesson:
            self.lesson = await self.call("lesson_open", path=self.choose.choice(lessons))
            return
        name, args = self.choose.choice([
            ("lesson_step", {"index": self.choose.randrange(len(self.lesson["lesson"]["steps"]) + 1)}),
            ("show_results", {}), ("lesson_look", {}), ("class_results", {}), ("lesson_answer", {"choice": 0}),
            ("lesson_close", {}), ("lesson_close", {})])
        await self.call(name, **args)
        if name == "lesson_close":
            self.lesson = None

    async def lock(self):
        some = lambda all: self.choose.choice([None, None, None, None, [], [self.choose.choice(all)["id"]]])
        now = self.simulation()
        await self.call("allow", tools=some(now["tools"]), parameters=some(now["parameters"]))

    async def remove_somebody(self):
        people = (await self.call("people"))["people"]
        pupils = [one for one in people if one["role"] == "pupil" and one["name"] != self.group.calm.name]
        if pupils:
            await self.call("remove", person=self.choose.choice(pupils)["id"])

    async def go_back(self):
        past = sorted((self.status["first_step"], self.status["last_step"]))
        name, args = self.choose.choice([
            ("undo", {}), ("undo", {}), ("redo", {}), ("restart", {"keep_built": True}), ("restore_last_good", {}),
            ("return_to_step", {"step": self.choose.randint(*past)})])
        await self.call(name, **args)

    async def pace(self):
        await self.call("playback", **self.choose.choice([
            {"playing": False}, {"playing": False}, {"playing": False}, {"playing": True}, {"one_step": True},
            {"steps_per_frame": 2}, {"steps_per_frame": 0}]))

    async def change_view(self):
        now = self.simulation()
        name, args = self.choose.choice([
            ("view", {"quantity": self.choose.choice(now["quantities"])["id"]}), ("view", {"automatic": True}),
            ("names", {"shown": self.choose.random() < 0.5}),
            ("kernel", {"id": self.choose.choice(now["kernels"])["id"]}),
            ("add_instrument", {"kind": "probe", "width": 100, "height": 100}), ("remove_instrument", {"id": 1}),
            ("teacher_sheet", {"language": "de", "path": "wave/two-slits", "link": "x", "qr": []})])
        await self.call(name, **args)

    async def be_teacher(self):
        await self.enter()
        await self.act_at_random({
            self.open_scene: 2, self.lead_lesson: 2, self.lock: 1, self.remove_somebody: 1, self.go_back: 2,
            self.pace: 3, self.change_view: 1, self.poke: 1, self.set: 1, self.vanish: 0.3, self.leave_politely: 0.3})


class Server:
    """`perturb serve` on this machine, with folders of its own, and what it takes of the system."""

    def __init__(self, program, folder):
        environment = {**os.environ, **MALLOC, "HOME": folder, "LANG": "C.UTF-8"}
        environment.update({f"XDG_{name}_HOME": folder for name in ("STATE", "DATA", "CONFIG", "CACHE")})
        self.errors = open(f"{folder}/errors", "w+")
        self.process = asyncio.create_subprocess_exec(
            program, "serve", HOME, "--backend", "cpu", "--threads", "2", env=environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=self.errors,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    async def start(self):
        """Returns port, code of the pupils and code of the teacher."""
        self.process = await self.process
        links = []
        while True:
            line = (await asyncio.wait_for(self.process.stdout.readline(), HANG)).decode()
            links += [word for word in line.split() if "/join#" in word]
            if line.startswith("Code: "):
                break
            if not line:
                sys.exit(f"The server has not started: {self.said()}")
        teacher, pupil = (link.partition("#")[2] for link in links)
        return int(links[0].partition("/join")[0].rpartition(":")[2]), pupil, teacher

    def said(self):
        self.errors.seek(0)
        return self.errors.read()[-2000:]

    def is_alive(self):
        return self.process.returncode is None

    def use(self):
        """Bytes of memory that are its own, descriptors, threads, seconds of the processor."""
        place = pathlib.Path(f"/proc/{self.process.pid}")
        memory = sum(int(line.split()[1]) for line in (place / "smaps_rollup").read_text().splitlines()
                     if line.startswith(("Private_", "Swap:")))
        ticks = (place / "stat").read_text().rpartition(") ")[2].split()[11:13]
        return {"bytes": memory << 10, "descriptors": len(os.listdir(place / "fd")),
                "threads": len(os.listdir(place / "task")),
                "seconds": sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")}


class Group:
    """The class: rounds of everybody, with a pause after each in which nobody is there."""

    def __init__(self, server, port, code, secret, asked):
        self.server, self.port, self.rate, self.first = server, port, asked.rate, None
        self.is_ending, self.calls, self.failed, self.pokes, self.counts = False, 0, 0, 0, collections.Counter()
        self.scenes, self.waits, self.begun, self.next_report = set(), [], time.monotonic(), 60
        self.calm = Client(self, "Calm", "127.0.0.2", asked.seed, code)
        self.teacher = Client(self, "", "127.0.0.3", asked.seed, secret)
        # Each with an address of its own: wrong codes lock an address for a minute.
        self.pupils = [Client(self, f"Pupil {k}", f"127.0.0.{k + 10}", asked.seed, code) for k in range(asked.pupils)]

    def fail(self, what):
        self.failed += 1
        print(f"{time.monotonic() - self.begun:.0f} s, {what}", flush=True)
        if self.failed > MOST_FAILURES:
            raise SystemExit("Too many failures.")

    def report(self, when):
        use, seconds = self.server.use(), time.monotonic() - self.begun
        print(f"{seconds / 60:.1f} min, {when}: {self.counts.total()} tried, {self.failed} failed, "
              f"{use['bytes'] / 1e6:.1f} MB, {use['descriptors']} descriptors, {use['threads']} threads, "
              f"{use['seconds'] / seconds:.2f} of a core", flush=True)
        return use

    async def play(self, seconds):
        """One round."""
        self.is_ending = False
        tasks = [asyncio.ensure_future(one) for one in (
            self.calm.be_calm(), self.teacher.be_teacher(), *(pupil.be_pupil() for pupil in self.pupils))]
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.server.is_alive():
            await asyncio.sleep(0.2)
            if tasks[0].done():
                self.fail(f"the calm pupil is disturbed: {tasks[0].exception()!r}")
                break
            for task in tasks[1:]:
                if task.done():  # an error of this program
                    self.is_ending = True
                    raise task.exception()
            if time.monotonic() - self.begun > self.next_report:
                self.next_report += 60
                self.report("everybody is there")
        self.is_ending = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def everybody_leaves(self, visit=()):
        """Opens these scenes, then the first again, removes all pupils, and returns what the server then takes."""
        for one in (*self.pupils, self.calm):
            one.is_paused_reading = False
            await one.leave()
        teacher = self.teacher
        while not teacher.link:
            await teacher.enter("jpeg")
        for scene in visit:
            await teacher.call("open", scene=scene, lighter=True, live_count=True)
            for way in ("jpeg", "mse"):
                await teacher.call("watch", video=way)
                await asyncio.sleep(0.5)
        await teacher.call("lesson_close")
        await teacher.call("allow", tools=None, parameters=None)
        # At once, so that both runs have taken few steps, and have no snapshots for going back.
        opened, paused = teacher.send("open", scene=HOME), teacher.send("playback", playing=False)
        if not await teacher.result_of(opened, "open") or await teacher.result_of(paused, "playback") is None:
            self.fail(f"the teacher cannot open {HOME} and pause")
        for person in (await teacher.call("people"))["people"]:
            if person["role"] == "pupil":
                await teacher.call("remove", person=person["id"])
        await teacher.leave()
        for one in (*self.pupils, self.calm):
            one.cookie = ""
        return await self.wait_for_rest()

    async def wait_for_rest(self):
        """Until the server has closed what its clients have left."""
        end, last, now = time.monotonic() + HANG, 0, -1
        while time.monotonic() < end and (now != last or (self.first and now != self.first["descriptors"])):
            await asyncio.sleep(2)
            last, now = now, self.server.use()["descriptors"]
        return self.report("nobody is there")

    def check(self, now):
        for name in ("descriptors", "threads"):
            if now[name] != self.first[name]:
                self.fail(f"the server has {now[name]} {name}: at first it had {self.first[name]}")
        if now["bytes"] > self.first["bytes"] + MOST_GROWTH:
            self.fail(f"the server takes {now['bytes'] / 1e6:.1f} MB: at first {self.first['bytes'] / 1e6:.1f} MB")


async def run(asked):
    with tempfile.TemporaryDirectory(prefix="perturb-class-") as folder:
        server = Server(asked.program, folder)
        group = Group(server, *await server.start(), asked)
        try:
            descriptors = (await group.wait_for_rest())["descriptors"]
            # Everything once: what is kept from then on, such as threads and tables, is no leak.
            first = await group.everybody_leaves(
                ["wave/double-slit", "lbm/cylinder", "particles/gas", "fibers/pair", "membrane/drum"])
            group.first = {**first, "descriptors": descriptors}
            await group.play(min(asked.round, asked.seconds / 4))
            group.first["bytes"] = (await group.everybody_leaves())["bytes"]
            while (left := asked.seconds - (time.monotonic() - group.begun)) > min(asked.round, asked.seconds / 4):
                await group.play(min(left, asked.round))
                group.check(await group.everybody_leaves())
        except (Ended, OSError) as error:
            group.fail(f"the server does not answer: {error!r}")
        finally:
            if server.is_alive():
                server.process.send_signal(signal.SIGINT)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(server.process.wait(), HANG)
            if server.process.returncode != 0:
                group.fail(f"the server has ended with {server.process.returncode}: {server.said()}")
                if server.is_alive():
                    server.process.kill()
        waits = sorted(group.waits) or [0]
        print(", ".join(f"{count} {name}" for name, count in group.counts.most_common()))
        print(f"{group.calls} calls, {len(group.scenes)} scenes; the calm pupil: {group.calm.pictures} pictures, "
              f"{group.pokes} pokes with effect, four answers within {1000 * waits[len(waits) // 2]:.0f} ms (median), "
              f"{1000 * waits[int(0.95 * len(waits))]:.0f} (95 %), {1000 * waits[-1]:.0f} (slowest)")
        print(f"class: {group.counts.total()} tried, {group.failed} failed")
        return 1 if group.failed else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", required=True)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--pupils", type=int, default=11)
    options.add_argument("--rate", type=float, default=2)
    options.add_argument("--round", type=float, default=60)
    asked = options.parse_args()
    tried = subprocess.run([asked.program, "serve", "no-scene"], capture_output=True, text=True, check=False)
    if "without Boost" in tried.stderr:
        print(f"class: 0 tried, 0 failed, because this program cannot serve: {tried.stderr.strip()}")
        return 0
    return asyncio.run(run(asked))


if __name__ == "__main__":
    sys.exit(main())
