// Keys for reading: search, move between rows, help. No key decides anything.

const rows = () => [...document.querySelectorAll("[data-row]")];
const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

function move(step) {
  const all = rows();
  if (!all.length) return;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  next.querySelector("a, button, summary")?.focus();
  next.scrollIntoView({ block: "nearest" });
}

function goTo(key) {
  const target = document.querySelector(`[data-key="${key}"]`);
  if (!target) return;
  if (key === "r") target.click();
  else if (target.tagName === "SUMMARY") target.parentElement.open = true;
  target.scrollIntoView({ block: "center" });
  target.focus();
}

// The page that one is on may lie beyond the edge of a narrow top bar.
document.querySelector('.nav [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "center" });

const acts = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  "?": () => document.querySelector('[data-dialog="keys"]')?.showModal(),
  j: () => move(1),
  k: () => move(-1),
  c: () => goTo("c"),
  n: () => goTo("n"),
  r: () => goTo("r"),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.target.closest("form:not([data-guard])")?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]") || !acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
});
