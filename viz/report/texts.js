// Texts, and elements of the page.

const part = (id) => document.getElementById(id);

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/// [[0, 3], [7, 7]] as "0-3, 7".
function runsText(runs, most = Infinity) {
  const text = runs.slice(0, most).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  return runs.length > most ? `${text}, ..` : text;
}

function counted(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/// The first of these numbers and the last: "2", "1 to 4".
function spanText(numbers) {
  const [least, most] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  return least === most ? `${least}` : `${least} to ${most}`;
}

/// At most three digits.
function shortNumber(number) {
  return String(Number(number.toPrecision(3)));
}
