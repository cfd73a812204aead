// Keys of adjudication: 1 2 3 0 the verdict, 4 5 take A's or B's, r reason, n note, Enter rules.
(() => {
  const form = document.querySelector("form[data-ruling]");
  if (!form) return;
  const tell = form.querySelector("[data-tell]");
  document.body.classList.add("is-live");
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    if (form.elements.verdict.value) return;
    event.preventDefault();
    tell.textContent = tell.dataset.missing;
  });
  form.addEventListener("change", () => { tell.textContent = ""; });
  form.querySelectorAll("[data-take]").forEach((button) => {
    button.hidden = !form.querySelector(`input[value="${button.dataset.take}"]`);
    button.addEventListener("click", () => choose(button.dataset.take));
  });
  function choose(value) {
    const radio = form.querySelector(`input[name="verdict"][value="${value}"]`);
    if (radio) { radio.checked = true; radio.focus(); tell.textContent = ""; }
  }
  document.addEventListener("keydown", (event) => {
    const isText = event.target.matches("textarea, select");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); return; }
    if (isText) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const hot = form.querySelector(`[data-hot="${CSS.escape(event.key)}"]`);
    if (hot) { event.preventDefault(); choose(hot.dataset.take || hot.value); }
    else if (event.key === "r") { event.preventDefault(); form.elements.reason.focus(); }
    else if (event.key === "n") { event.preventDefault(); form.elements.note.focus(); }
    else if (event.key === "Enter" && !event.target.closest("button, a, summary")) { event.preventDefault(); form.requestSubmit(); }
  });
})();
