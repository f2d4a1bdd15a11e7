// The page is whole without this. It adds: claims by verdict, the current place in the contents, fields that stay in sight.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

const filter = document.querySelector(".filter");
filter.hidden = false;
filter.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const chosen = button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.tone;
  all("button", filter).forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.tone === chosen && chosen !== "")));
  all(".claims li").forEach((li) => { li.hidden = chosen !== "" && !li.classList.contains(chosen); });
  all("article").forEach((a) => { a.hidden = chosen !== "" && !a.querySelector(".claims li:not([hidden])"); });
  all("article details:has(.claims)").forEach((d) => { d.open = chosen !== ""; });
  document.body.classList.toggle("filtered", chosen !== "");
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
all("nav a").forEach((a) => a.addEventListener("click", () => { document.getElementById("menu").checked = false; }));

// As many of a row's first cells stay as leave more than half of the width to the numbers.
const stay = (box) => {
  const table = box.querySelector("table");
  const wide = table.offsetWidth > box.clientWidth + 1;
  box.classList.toggle("wide", wide);
  all(".stay", table).forEach((cell) => { cell.classList.remove("stay"); cell.style.left = ""; });
  if (!wide) return;
  const edges = all("thead tr:first-child th.field", table).map((th) => [th.offsetLeft, th.offsetWidth]);
  const kept = edges.filter(([left, width], i) => i === 0 || left + width < 0.45 * box.clientWidth);
  for (const row of all("tr", table)) {
    if (row.classList.contains("sub")) continue;
    kept.forEach(([left], i) => {
      const cell = row.children[i];
      if (cell && cell.classList.contains("field")) { cell.classList.add("stay"); cell.style.left = `${left}px`; }
    });
  }
};
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => target.clientWidth && stay(target)));
all(".scroll").forEach((box) => sizes.observe(box));

all("a[data-figure]").forEach((a) => a.addEventListener("click", () => { a.href = a.closest("article").querySelector("figure img").src; }));
