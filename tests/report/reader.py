"""What a reader sees and does on a report's page."""

import json


def wait(page, condition):
    """Until the condition holds, which the page looks at whenever it draws; two seconds at most."""
    held = page.run(f"""new Promise((done) => {{
        const end = performance.now() + 2000;
        const look = () => ({condition}) ? done(true) : performance.now() > end ? done(false) : requestAnimationFrame(look);
        look(); }})""")
    assert held, (condition, page.run("location.hash"))


class Reader:
    def __init__(self, page):
        self.page = page

    def _player(self, what):
        return self.page.run(f"onceover.player.{what}")

    step = property(lambda self: self._player("step"))
    rank = property(lambda self: self._player("rank"))
    block = property(lambda self: self._player("block"))
    told = property(lambda self: self.text("told"))

    def text(self, id):
        return self.page.run(f"document.getElementById('{id}').innerText")

    def value(self, id):
        return self.page.run(f"document.getElementById('{id}').value")

    def checked(self, id):
        return self.page.run(f"document.getElementById('{id}').checked")

    def set(self, id, value, event="change"):
        self.page.run(f"""(() => {{ const input = document.getElementById("{id}"); input.value = {json.dumps(value)};
                                    input.dispatchEvent(new Event("{event}")); }})()""")

    def followed(self):
        """The messages that stand out at this step."""
        return self._player("followedAt(onceover.player.step, 1000, false).map(({ src, dst }) => [src, dst])")

    def view(self):
        return self._player("timeline.view") and [self._player(f"timeline.view.{name}") for name in ["x0", "x1", "y0", "y1"]]

    def drawn(self):
        """What the last frame took: shapes, and messages looked at."""
        total = "Object.values(onceover.drawn.{}).reduce((a, b) => a + b, 0)"
        return self.page.run(total.format("shapes")), self.page.run(total.format("messages"))

    def _place(self, canvas, expression):
        """A place in a canvas, given by an expression, on the screen."""
        return self.page.run(f"""(() => {{
          const canvas = document.getElementById("{canvas}");
          canvas.scrollIntoView({{block: "nearest"}});
          const box = canvas.getBoundingClientRect(), [x, y] = {expression};
          return [box.x + 1 + x, box.y + 1 + y]; }})()""")

    def click_rank(self, rank):
        self.page.click_at(*self._place("network", f"onceover.player.picture.at(onceover.player.network.seatOf({rank}))"))

    def _in_timeline(self, step, rank):
        timeline = "onceover.player.timeline"
        return self._place("timeline", f"[{timeline}.x({step} + 0.5), {timeline}.middleOf({rank})]")

    def click_timeline(self, step, rank):
        self.page.click_at(*self._in_timeline(step, rank))

    def point_at_timeline(self, step, rank):
        self.page.mouse("mouseMoved", *self._in_timeline(step, rank))

    def click_matrix(self, block, rank=None):
        row = "11" if rank is None else f"22 + ({rank} - onceover.player.holdings.rank0 + 0.5) * onceover.player.holdings.size"
        column = f"42 + ({block} - onceover.player.holdings.block0 + 0.5) * onceover.player.holdings.size"
        self.page.click_at(*self._place("matrix", f"[{column}, {row}]"))

    def drag(self, canvas, begin, end):
        x, y = self._place(canvas, json.dumps(begin))
        dx, dy = end[0] - begin[0], end[1] - begin[1]
        self.page.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in (0.5, 1):
            self.page.mouse("mouseMoved", x + part * dx, y + part * dy, button="left", buttons=1)
        self.page.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)

    def wheel(self, canvas, delta):
        x, y = self._place(canvas, "[60, 60]")
        self.page.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.page.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.page.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=2)
