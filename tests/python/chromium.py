"""Drives a headless Chromium over its debugging pipe, without a package."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


class Chromium:
    """One browser with one page. `errors` collects the errors of its console and scripts."""

    def __init__(self, profile: Path) -> None:
        there, self.out = os.pipe()
        self.into, back = os.pipe()
        command = [PROGRAM, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]

        def pipes() -> None:  # Chromium reads from 3 and writes to 4
            os.dup2(there, 30), os.dup2(back, 31)
            os.dup2(30, 3), os.dup2(31, 4)

        self.process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(there), os.close(back)
        self.last, self.rest, self.session, self.errors = 0, b"", None, []
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)
        os.close(self.out), os.close(self.into)

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            assert more, "Chromium ended"
            self.rest += more
        one, _, self.rest = self.rest.partition(b"\0")
        found = json.loads(one)
        params = found.get("params", {})
        if found.get("method") == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"]["text"])
        if found.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        if found.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        return found

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        os.write(self.out, json.dumps(message | ({"sessionId": self.session} if self.session else {})).encode() + b"\0")
        while (found := self.message()).get("id") != self.last:
            pass
        assert "error" not in found, f"{method}: {found['error']}"
        return found["result"]

    def open(self, page: Path, width: int, mobile: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=mobile)
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self.message().get("method") != "Page.loadEventFired":
            pass
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, *keys: str) -> None:
        """Presses keys, as `ArrowRight` or `Enter`, on what has the focus."""
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def tap(self, element: str) -> None:
        """Touches an element, and waits for the click that a browser makes of it."""
        self.run(f"{element}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
        x, y = self.run(f"(({{ x, y }}) => [x + 9, y + 9])({element}.getBoundingClientRect())")
        click = "new Promise((done) => { addEventListener('click', done, { once: true }); setTimeout(done, 5000); })"
        self.run(f"window.tapped = {click}; 0")
        self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.run("window.tapped.then(() => 0)")

    def run(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def printed(self) -> bytes:
        """The page as a PDF, in its print style."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
