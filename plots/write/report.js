// The page is whole without this. It adds: claims by verdict, the current place in the contents, opened where a link leads, fields that stay in sight, tables
// that are sorted by a column and whose rows are filtered by words, what stands behind a cell, and the fastest near a shape. With one machine alone, figures stand
// two a row.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

const filter = document.querySelector(".filter");
filter?.removeAttribute("hidden");
filter?.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const chosen = button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.tone;
  all("button", filter).forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.tone === chosen && chosen !== "")));
  all("tr.claim").forEach((li) => { li.hidden = chosen !== "" && !li.classList.contains(chosen); });
  all("article").forEach((a) => { a.hidden = chosen !== "" && !a.querySelector("tr.claim:not([hidden])"); });
  all("details.claims").forEach((d) => { d.open = chosen !== ""; d.closest(".other > details")?.toggleAttribute("open", chosen !== ""); });
});

const links = new Map(all("nav a[href^='#']").map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting || !links.has(target.id)) continue;
    all("nav a[aria-current]").forEach((a) => a.removeAttribute("aria-current"));
    const link = links.get(target.id);
    link.setAttribute("aria-current", "true");
    const nav = link.closest("nav"), box = link.getBoundingClientRect();
    if (box.top < 0 || box.bottom > nav.clientHeight) nav.scrollTop += box.top - nav.clientHeight / 2;
  }
}, { rootMargin: "-5% 0px -80% 0px" });
all("article[id], section[id]").forEach((part) => seen.observe(part));
const unfold = () => {  // what a link leads to may lie in a closed part, or be one
  const aim = document.getElementById(decodeURIComponent(location.hash.slice(1))), closed = aim?.closest("details:not([open])") ?? aim?.querySelector(":scope > details:not([open])");
  if (closed) { closed.open = true; aim.scrollIntoView(); }
};
document.addEventListener("click", ({ target }) => { if (target.matches("figure:not(.first *) > img")) target.classList.toggle("whole"); });
addEventListener("hashchange", unfold);
unfold();
all("nav a").forEach((a) => a.addEventListener("click", () => { document.getElementById("menu").checked = false; }));

const alone = () => document.body.classList.toggle("one", all(".switch input:checked").length === 1);
document.querySelector(".switch")?.addEventListener("change", alone);

const field = ".field, tbody th";

// A table that is too wide moves closer together; else as many of a row's first cells stay as leave half of the width to the numbers.
const stay = (box) => {
  const table = box.querySelector("table");
  const over = () => table.offsetWidth > box.clientWidth + 1;
  ["tight", "many", "wrap"].forEach((closer) => over() && table.classList.add(closer));
  const wide = over();
  box.classList.toggle("wide", wide);
  all(".stay", table).forEach((cell) => { cell.classList.remove("stay"); cell.style.left = ""; });
  if (!wide) return;
  const edges = all("thead tr:first-child th.field", table).map((th) => [th.offsetLeft, th.offsetWidth]);
  const kept = edges.filter(([left, width], i) => i === 0 || left + width < 0.45 * box.clientWidth);
  for (const row of all("tr", table)) {
    kept.forEach(([left], i) => {
      const cell = row.children[i];
      if (cell?.matches(field)) { cell.classList.add("stay"); cell.style.left = `${left}px`; }
    });
  }
};
// A press on a head sorts by its column: upwards, downwards, as it was. What has no number stays below.
const number = (text) => /^[~≈<>≤≥]?\s*-?[\d,]*\.?\d/.test(text) ? parseFloat(text.replace(/[^\d.eE+-]*/, "").replace(/,/g, "")) : NaN;
const shown = (row, column) => {
  let at = 0;
  for (const cell of row.cells) {
    at += cell.colSpan;
    if (at > column) return cell.classList.contains("why") ? "" : (cell.firstChild?.textContent ?? "").trim().replace(/^–$/, "");
  }
  return "";
};
const order = (column, rows, down) => {
  const texts = new Map(rows.map((row) => [row, shown(row, column)]));
  const filled = [...texts.values()].filter((text) => text !== "");
  const numeric = filled.filter((text) => !Number.isNaN(number(text))).length > filled.length / 2;
  const missing = (text) => text === "" || (numeric && Number.isNaN(number(text)));
  return rows.toSorted((a, b) => {
    const [x, y] = [texts.get(a), texts.get(b)];
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    return (down ? -1 : 1) * (numeric ? number(x) - number(y) : x.localeCompare(y, "en", { numeric: true }));
  });
};
// The heads with the place of their columns.
const heads = (table) => [...table.tHead.rows[0].cells].map((th, at) => [th, at]);
const sortable = (table) => {
  const body = table.tBodies[0], before = [...body.rows];
  before.reduce((at, row) => { row.at = at; return at + Number(row.dataset.n ?? 1); }, 1);
  if (before.length < 2) return;
  for (const [th, column] of heads(table)) {
    if (th.textContent.trim() === "") continue;
    const button = document.createElement("button");
    button.className = "sort";
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: "none" }[th.ariaSort] ?? "ascending";
      all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
      if (next !== "none") th.ariaSort = next;
      table.classList.toggle("sorted", next !== "none");
      body.append(...(next === "none" ? before : order(column, before, next === "descending")));
    });
  }
};
const bar = (table) => {  // the line of tools below a table
  const box = table.closest(".scroll"), line = box.nextElementSibling?.matches(".links") ? box.nextElementSibling : document.createElement("p");
  line.className = "links small";
  box.after(line);
  return line;
};
// A table that is higher than its box says how many rows it has, and shows them all at a press.
const tall = (box) => {
  if (box.scrollHeight <= box.clientHeight + 8) return;
  const table = box.querySelector("table"), button = document.createElement("button");
  const say = () => { button.textContent = !box.classList.toggle("full", !box.classList.toggle("tall")) ? `Show all ${table.tBodies[0].rows.length} rows` : "Show fewer rows"; };
  button.className = "copy";
  button.addEventListener("click", say);
  bar(table).append(button);
  say();
};
// Rows that hold every word that was typed.
const searchable = (table) => {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 8) return;
  const box = document.createElement("input"), count = document.createElement("span");
  Object.assign(box, { type: "search", placeholder: "filter rows", ariaLabel: "Filter the rows of this table" });
  bar(table).append(box, count);
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.classList.toggle("off", !words.every((word) => texts.get(row).includes(word)));
    count.textContent = words.length ? ` ${rows.filter((row) => !row.classList.contains("off")).length} of ${rows.length}` : "";
  });
};

// A press on a value shows the command behind it, one on an empty cell the reason; by keyboard: arrows and Enter.
const reason = (cell) => {
  const own = all("sup", cell), part = cell.closest(".numbers, article");
  const marks = (own.length ? own : all("td.why sup", cell.parentElement)).map((sup) => sup.textContent);
  const foots = all(".foot", part).filter((foot) => foot.closest(".numbers, article") === part);
  return foots.filter((foot) => marks.includes(foot.querySelector("sup")?.textContent)).map((foot) => foot.lastChild.textContent).join(" ");
};
const answer = (cell) => {
  const table = cell.closest("table"), row = cell.parentElement, head = table.tHead.rows[0].cells;
  if (cell.matches(".why")) return reason(cell);
  const name = row.cells.length === head.length && head[cell.cellIndex].dataset.m;
  return name ? `kmbench explain ${table.dataset.of} ${row.at} ${name} --machine ${table.dataset.on}` : "";
};
const tell = (cell) => {
  const told = answer(cell), box = cell.closest(".scroll");
  if (!told) return;
  const line = box.parentElement.querySelector(":scope > .asked") ?? document.createElement("p");
  line.className = "asked small";
  line.setAttribute("role", "status");
  line.replaceChildren(cell.matches(".why") ? told : Object.assign(document.createElement("code"), { textContent: told }));
  box.after(line);
  line.scrollIntoView({ block: "nearest" });
};
const arrows = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const beyond = (cell, [down, right]) => {  // the next cell in that direction that has an answer
  const rows = [...cell.closest("tbody").rows].filter((row) => row.offsetParent);
  let at = rows.indexOf(cell.parentElement), column = cell.cellIndex, next;
  do { at += down; column += right; next = rows[at]?.cells[column]; } while (next && !answer(next));
  return next;
};
const askable = (table) => {
  const first = table.dataset.of && all("tbody td", table).find(answer);
  if (!first) return;
  first.tabIndex = 0;
  table.addEventListener("click", ({ target }) => target.closest("tbody td") && tell(target.closest("td")));
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("tbody td"), aim = cell && arrows[event.key] && beyond(cell, arrows[event.key]);
    if (!cell || !(aim || ["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    if (!aim) return tell(cell);
    cell.tabIndex = -1;
    aim.tabIndex = 0;
    aim.focus();
  });
};
// The fastest at the shape that was measured nearest to the one asked for, by machine and device.
const ask = document.querySelector(".ask");
const nearest = () => {
  const wanted = all("input", ask).map((input) => Math.log(Math.max(1, input.value || 1))), found = new Map();
  for (const [machine, device, shape, name, time] of JSON.parse(document.getElementById("fastest").textContent)) {
    const far = shape.reduce((sum, value, at) => sum + Math.abs(Math.log(value) - wanted[at]), 0), key = `${machine}, ${device.toUpperCase()}`;
    if (far < (found.get(key)?.far ?? Infinity)) found.set(key, { far, told: `${name}, ${time} an iteration at n = ${shape[0].toLocaleString("en")}, d = ${shape[1]}, k = ${shape[2]}` });
  }
  const least = Math.min(...[...found.values()].map(({ far }) => far)) + 1e-9;
  ask.querySelector("ul").replaceChildren(...[...found].sort(([, a], [, b]) => (a.far > least) - (b.far > least)).map(([key, { far, told }]) => {
    const item = document.createElement("li"), other = far > least;
    item.textContent = `${key}${other ? ", another shape" : ""}: ${told}`;
    item.classList.toggle("soft", other);
    return item;
  }));
};
if (ask) {
  ask.hidden = false;
  ask.addEventListener("input", nearest);
  nearest();
}
// What a table shows, as text to paste: CSV, or LaTeX (booktabs).
const texts = (table) => [...table.rows].filter((row) => row.offsetParent).map((row) => [...row.cells].flatMap((cell) =>
  [(cell.firstChild?.textContent ?? "").trim(), ...Array(cell.colSpan - 1).fill("")]));
const forms = {
  CSV: (rows) => rows.map((row) => row.map((text) => `"${text.replace(/,(?=\d{3})/g, "").replaceAll('"', '""')}"`).join(",")).join("\n"),
  LaTeX: ([head, ...rows]) => {
    const line = (row) => `${row.map((text) => text.replace(/[&%$#_{}]/g, "\\$&").replaceAll("–", "--")).join(" & ")} \\\\`;
    return [`\\begin{tabular}{${"l".repeat(head.length)}}`, "\\toprule", line(head), "\\midrule", ...rows.map(line), "\\bottomrule", "\\end{tabular}"].join("\n");
  },
};
const copied = (box) => {
  for (const [name, form] of Object.entries(forms)) {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = `Copy as ${name}`;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(form(texts(box.querySelector("table"))));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = `Copy as ${name}`; }, 1500);
    });
    bar(box.querySelector("table")).append(button);
  }
};
// On a phone a row is a card.
const phone = matchMedia("(max-width: 40rem)").matches;
const cards = (table) => {
  table.classList.add("cards");
  const names = [...table.tHead.rows[0].cells].map((th) => th.textContent);
  for (const row of table.tBodies[0].rows) {
    let at = 0, head = true;  // the first fields are the card's title
    for (const cell of row.cells) {
      head = at === 0 || (head && row.cells[0].matches(field) && cell.matches(field));
      if (!head) cell.dataset.of = names[at];
      else if (/^[\d–]/.test(cell.textContent)) cell.dataset.name = names[at];
      at += cell.colSpan;
    }
  }
};
// A table gets its tools when it is first seen: most lie in closed parts.
const made = new WeakSet();
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  if (!target.clientWidth) return;
  const table = target.querySelector("table"), article = target.closest("article") && !target.closest(".claims");
  if (!made.has(target)) { sortable(table); searchable(table); askable(table); if (article) copied(target); if (phone && !table.matches(".matrix")) cards(table); }
  stay(target);
  if (!made.has(target) && !table.matches(".matrix")) tall(target);
  made.add(target);
}));
all(".scroll").forEach((box) => sizes.observe(box));
