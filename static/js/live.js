// Regions that refresh themselves wait while a person could be disturbed, and say when it fails.

// Who has just acted waits for what comes of it; the pointer that rests where they pressed may stay.
const isAwaited = (region) => {
  const outcome = region.querySelector("[data-awaited]");
  return outcome !== null && [outcome, document.body].includes(document.activeElement);
};

const isBusy = (region) =>
  document.hidden ||
  region.querySelector("details[open], [data-dirty]") ||
  (!isAwaited(region) && (region.matches(":hover") || region.contains(document.activeElement)));

// Only a region's own poll waits; a form inside it that a person sent goes out at once.
document.addEventListener("htmx:beforeRequest", (event) => {
  const region = event.target;
  if (region.matches("[data-live]") && isBusy(region)) event.preventDefault();
});

// What somebody has typed is not read away, wherever they look meanwhile.
document.addEventListener("input", (event) => {
  event.target.closest("form[method=post]")?.setAttribute("data-dirty", "");
});

// An address says what is asked for, and not what is not.
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, formData } = event.detail;
  if (verb !== "get") return;
  [...formData.entries()].forEach(([name, value]) => { if (value === "") formData.delete(name); });
});

function failing(isFailing) {
  document.querySelectorAll("[data-live-warning]").forEach((warning) => { warning.hidden = !isFailing; });
}

document.addEventListener("htmx:sendError", () => failing(true));
document.addEventListener("htmx:responseError", () => failing(true));
document.addEventListener("htmx:afterOnLoad", () => failing(false));

// One press is one decision: a plain form post disables its button, as htmx does.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  const pressed = event.submitter;
  setTimeout(() => pressed?.setAttribute("disabled", ""), 0);
});

window.addEventListener("pageshow", () => {
  document.querySelectorAll("button[disabled]").forEach((button) => button.removeAttribute("disabled"));
});
