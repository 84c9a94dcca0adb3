// Copy buttons: hidden until this script runs, because without it they could do nothing.

function reveal(root) {
  root.querySelectorAll("[data-copy][hidden]").forEach((button) => { button.hidden = false; });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.dataset.copied = "";
  } catch {
    button.title = "The browser did not allow copying; select the text instead.";
    return;
  }
  setTimeout(() => { delete button.dataset.copied; }, 1500);
});

reveal(document);
document.addEventListener("htmx:load", (event) => reveal(event.target));
