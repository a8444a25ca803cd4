"""A page in headless Chromium, driven through the pipe of its DevTools protocol."""

import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Collects what the page logs, throws and requests. Use as a context."""

    def __init__(self):
        self.messages, self.requests, self._number = [], [], 0
        self._profile = tempfile.mkdtemp()
        # Chromium reads commands from descriptor 3 and writes to 4.
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()
        self._buffer = b""
        script = f'exec 3<&{commands_out} 4>&{answers_in}; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(commands_out, answers_in), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands_out)
        os.close(answers_in)
        self._session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method, **parameters):
        """The result of a command; events that come before it are kept."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self._keep(answer)

    def _receive(self):
        while b"\0" not in self._buffer:
            chunk = os.read(self._answers, 1 << 16)
            assert chunk, "Chromium ended"
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _keep(self, event):
        if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(event["params"])
        if event["method"] == "Network.requestWillBeSent":
            self.requests.append(event["params"]["request"]["url"])

    def open(self, path, **media):
        """Opens a file and waits until it is loaded."""
        if media:
            features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
            self.send("Emulation.setEmulatedMedia", features=features)
        self.visit(f"file://{path}")

    def visit(self, address):
        """Opens an address and waits until it is loaded."""
        problem = self.send("Page.navigate", url=address).get("errorText")
        assert not problem, (address, problem)
        protocol = json.dumps(address.partition("/")[0])
        while not self.run(f"document.readyState === 'complete' && location.protocol === {protocol}"):
            pass

    def run(self, expression):
        """The value of a JavaScript expression, or of the promise that it is."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key):
        code = {" ": "Space"}.get(key, key)
        text = {"text": key} if len(key) == 1 else {}
        number = {" ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Escape": 27, "Tab": 9, "Enter": 13,
                  "End": 35, "Home": 36, "+": 187, "-": 189, "/": 191, "?": 191}.get(key) or ord(key.upper())
        if key == "Enter":
            text = {"text": "\r"}
        for kind in ["keyDown", "keyUp"]:
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number,
                      **(text if kind == "keyDown" else {}))

    def type(self, text):
        self.send("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)

    def click(self, selector):
        """Clicks into the middle of the first element that is selected, with the mouse."""
        x, y = self.run(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element.scrollIntoView({{block: "center"}});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.click_at(x, y)
