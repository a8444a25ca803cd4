// The page begins: its theme, its JSON, its player.

const read = (id) => JSON.parse(document.getElementById(id).textContent);

/// Light and dark: what the reader's system says, until the reader says otherwise.
class Theme {
  constructor() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => this.apply());
    part("theme")?.addEventListener("click", () => this.turn());
    document.addEventListener("keydown", (e) => {
      if (e.key === "t" && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.matches("input, select")) this.turn();
    });
    this.apply();
  }

  isDark() {
    const { theme } = document.documentElement.dataset;
    return theme === undefined ? this.dark.matches : theme === "dark";
  }

  turn() {
    document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
    this.apply();
  }

  apply() {
    if (part("theme")) part("theme").textContent = this.isDark() ? "Light" : "Dark";
    colours.read();
    dispatchEvent(new Event("onceover-theme"));
  }
}

document.documentElement.classList.add("has-script");
const report = read("run-data");
if (report !== null && part("run-json")) part("run-json").textContent = JSON.stringify(report, null, 2);
new Theme();
const playerData = read("player-data");
if (playerData !== null && part("player")) window.onceover = { player: new Player(playerData, report.runs[0]), drawn };
