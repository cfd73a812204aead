// The theme follows the system until the reader chooses one. Loaded in the head, so that nothing flashes.
(() => {
  const root = document.documentElement;
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* storage may be closed: follow the system */ }
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-switch-theme]")) return;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* kept for this page only */ }
  });
  // On a phone the tabs scroll: the one that is open must be in sight.
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  });
})();
