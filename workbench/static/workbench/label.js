// Keys, drafts and checks of the labeling screen. The page is a plain form: without this script it still works.
// Key sets are disjoint; single letters sleep while a text field has focus.
(() => {
  const form = document.querySelector("form[data-label]");
  if (!form) return;
  const words = document.querySelector("[data-words]").dataset;
  const lists = { claim: [...form.querySelectorAll('[data-kind="claim"], [data-kind="expected"]')], chunk: [...form.querySelectorAll('[data-kind="chunk"]')], metric: [...form.querySelectorAll('[data-kind="metric"]')] };
  const on = { claim: 0, chunk: 0, metric: 0 };
  const critique = form.elements.critique, mode = form.elements.failure_mode;
  const saved = document.querySelector("[data-saved]"), tell = form.querySelector("[data-tell]");
  const steps = [];
  const key = `draft:${form.dataset.key}`;
  document.body.classList.add("is-live");

  // What was done or is missing stands in the bar and beside the verdicts; the latter alone is read aloud.
  const say = (text) => { saved.textContent = tell.textContent = text; tell.classList.remove("is-quiet"); };

  // 1 Focus
  const listOf = (row) => (row.dataset.kind === "expected" ? "claim" : row.dataset.kind);
  function focus(kind, index, isMoved = true) {
    const list = lists[kind];
    if (!list.length) return;
    on[kind] = Math.min(list.length - 1, Math.max(0, index));
    list.forEach((row, i) => row.classList.toggle("is-on", i === on[kind]));
    if (isMoved) list[on[kind]].scrollIntoView({ block: "nearest" });
    if (kind === "claim") underline();
    if (kind === "metric") showControls();
  }
  const metric = () => lists.metric[on.metric];
  function showControls() {
    // Of several questions about one chunk, only the focused one's marks show; else the first one's.
    form.querySelectorAll(".controls").forEach((controls) => {
      const marks = [...controls.children];
      const wanted = marks.find((each) => each.dataset.metric === metric().dataset.metric) || marks[0];
      marks.forEach((each) => each.classList.toggle("is-off", each !== wanted));
    });
  }

  // 2 Choosing
  function choose(radio) {
    if (!radio || radio.disabled || radio.closest("fieldset:disabled")) return false;
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  }
  function press(kind, hot) {
    const row = lists[kind][on[kind]];
    if (!row) return;
    const radio = row.querySelector(`fieldset:not(.is-off) input[data-hot="${hot}"]`);
    if (choose(radio)) focus(kind, on[kind] + 1);
  }
  const chosen = (row) => row.querySelector("fieldset input:checked");
  function hold() {
    // The overall verdict is asked first and on its own.
    const first = lists.metric[0];
    const isHeld = first.dataset.metric === "overall" && !chosen(first);
    lists.metric.slice(1).forEach((row) => {
      if (row.hasAttribute("data-locked") || row.hasAttribute("data-waiting")) return;
      row.toggleAttribute("data-held", isHeld);
      row.querySelector("fieldset").disabled = isHeld;
    });
  }
  function refresh() {
    hold();
    lists.metric.forEach(check);
    const fails = lists.metric.some((row) => chosen(row)?.value === "fail");
    mode.closest("[data-mode]").classList.toggle("is-off", !fails && !mode.value);
  }
  function check(row) {
    // What the units say, shown only after the person's own verdict and never filled in.
    const why = row.querySelector("[data-why]"), kind = row.dataset.unitKind;
    if (!kind || !chosen(row) || row.hasAttribute("data-locked")) return;
    const fieldsets = [...form.querySelectorAll(`.${kind} fieldset[data-metric="${row.dataset.metric}"]`)];
    const said = fieldsets.map((each) => each.querySelector("input:checked")?.value);
    const count = said.filter(Boolean).length;
    why.classList.toggle("is-check", count > 0);
    why.textContent = count ? summary(kind, said) : why.dataset.guideline;
  }
  function summary(kind, said) {
    const number = (i) => (kind === "claim" ? "C" : kind === "chunk" ? "R" : "E") + (i + 1);
    const open = said.filter((word) => !word).length;
    const rest = open ? ` ${words.stillOpen} ${open}` : "";
    if (kind === "claim") {
      const bad = said.flatMap((word, i) => (word && word !== "supported" ? [number(i)] : []));
      return (bad.length ? `${words.notSupported} ${bad.join(", ")}.` : open ? "" : words.allSupported) + rest;
    }
    const good = said.filter((word) => word === "relevant" || word === "covered").length;
    return `${kind === "chunk" ? words.relevant : words.covered} ${good} / ${said.length}.${rest}`;
  }
  function announce(radio) {
    const row = radio.closest('[data-kind="metric"]');
    if (!row) return;
    const done = lists.metric.filter(chosen).length;
    tell.classList.add("is-quiet");
    tell.textContent = `${row.querySelector(".name").textContent}: ${radio.parentNode.querySelector(".w").textContent}, ${done} ${tell.dataset.of} ${lists.metric.length}`;
  }

  // 3 Words that the focused claim and a chunk share: computed here, the same for everybody
  const parts = (text) => text.split(/([\p{L}\p{M}\p{N}]+)/u);
  const isWord = (text) => text.length > 3 && /^[\p{L}\p{M}\p{N}]+$/u.test(text);
  const plain = lists.chunk.map((row) => row.querySelector(".txt").textContent);
  function underline() {
    const claim = lists.claim[on.claim];
    const wanted = new Set(parts(claim.querySelector(".txt").textContent).filter(isWord).map((word) => word.toLowerCase()));
    lists.chunk.forEach((row, index) => {
      const nodes = parts(plain[index]).map((text) => {
        if (!isWord(text) || !wanted.has(text.toLowerCase())) return text;
        const mark = document.createElement("u");
        mark.textContent = text;
        return mark;
      });
      row.querySelector(".txt").replaceChildren(...nodes);
    });
    const note = document.querySelector("[data-shared]");
    note.hidden = !lists.chunk.length;
    note.textContent = `${note.dataset.text} ${claim.querySelector(".no").textContent}`;
  }
  function unfold(row) {
    const isLong = row.classList.toggle("is-long");
    const button = row.querySelector(".more");
    if (button) { button.textContent = isLong ? words.less : words.more; button.setAttribute("aria-expanded", isLong); }
  }
  lists.chunk.forEach((row) => {
    const text = row.querySelector(".txt");
    if (text.scrollHeight <= text.clientHeight + 2) return;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "plain more", textContent: words.more });
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => unfold(row));
    text.after(button);
  });

  // 4 Drafts: here at once, on the server after a second of rest
  const frame = new Set(["csrfmiddlewaretoken", "based_on", "client_id", "lease_token", "seconds", "is_flagged", "act", "skip"]);
  const content = () => Object.fromEntries([...new FormData(form)].filter(([name, value]) => value !== "" && !frame.has(name)));
  let timer = 0, active = 0, seenAt = Date.now();
  function keep() {
    try { localStorage.setItem(key, JSON.stringify({ at: Date.now(), content: content() })); saved.textContent = words.kept; } catch { /* storage may be closed: the server keeps it */ }
    clearTimeout(timer);
    timer = setTimeout(send, 1000);
  }
  async function send() {
    try {
      const reply = await fetch(form.dataset.draft, { method: "POST", headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value }, body: JSON.stringify(content()) });
      if (reply.ok) { saved.textContent = `${words.draftSaved} ${(await reply.json()).saved_at}`; leaseUntil = Date.now() + 15 * 60e3; }
    } catch { saved.textContent = words.kept; }
  }
  function fill(values) {
    for (const input of form.querySelectorAll("input[type=radio]")) if (!input.closest("[data-locked]")) input.checked = values[input.name] === input.value;
    for (const field of [critique, mode, ...form.querySelectorAll(".grade select")]) field.value = values[field.name] || "";
    refresh();
  }
  function restore() {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith("draft:")) continue;
      const draft = JSON.parse(localStorage.getItem(name));
      if (Date.now() - draft.at > 30 * 864e5) localStorage.removeItem(name);
      else if (name === key && !form.hasAttribute("data-kept")) { fill(draft.content); saved.textContent = words.kept; }
    }
  }
  try { restore(); } catch { /* no storage, nothing to bring back */ }

  // 5 Undo: first what was changed on this page, then, by the form's button, what was submitted
  let before = content();
  function step() {
    steps.push(before);
    if (steps.length > 20) steps.shift();
    before = content();
  }
  function undo() {
    if (!steps.length) return form.querySelector("[data-undo]").click();
    stepBack();
  }
  function stepBack() {
    before = steps.pop();
    fill(before);
    const open = lists.metric.findIndex((row) => !chosen(row));
    if (open >= 0) focus("metric", open);
    keep();
  }

  // 6 Submitting
  function submit() {
    const open = lists.metric.filter((row) => !chosen(row) && !row.hasAttribute("data-locked"));
    if (open.length) { focus("metric", lists.metric.indexOf(open[0])); say(`${words.answer} ${open.map((row) => row.querySelector(".name").textContent).join(", ")}`); return; }
    form.querySelector("[data-submit]").click();
  }
  let isSent = false;
  form.querySelectorAll("[data-undo]").forEach((button) => button.addEventListener("click", (event) => { if (steps.length) { event.preventDefault(); stepBack(); } }));
  form.addEventListener("submit", (event) => {
    if (isSent) { event.preventDefault(); return; }
    form.elements.seconds.value = active;
    clearTimeout(timer);
    if (!navigator.onLine) { event.preventDefault(); say(words.offline); const by = event.submitter; addEventListener("online", () => form.requestSubmit(by), { once: true }); return; }
    isSent = true;
  });
  addEventListener("pageshow", () => { isSent = false; });
  setInterval(() => { if (!document.hidden && Date.now() - seenAt < 60e3) active += 1; }, 1000);
  setInterval(() => { if (!document.hidden && Date.now() - seenAt < 60e3) send(); }, 60e3);
  for (const kind of ["keydown", "pointerdown", "scroll"]) addEventListener(kind, () => { seenAt = Date.now(); }, { passive: true });
  let leaseUntil = Date.parse(form.dataset.leaseUntil || "") || 0;
  const clock = document.querySelector("[data-lease]");
  setInterval(() => {
    const left = Math.round((leaseUntil - Date.now()) / 1000);
    clock.hidden = !leaseUntil || left > 120 || left < 0;
    clock.querySelector("span").textContent = `${Math.floor(left / 60)}:${String(Math.max(0, left % 60)).padStart(2, "0")} ${words.left}`;
  }, 1000);

  // 7 Keys
  const table = document.querySelector("[data-key-table]"), skip = form.querySelector("[data-skip]"), more = form.querySelector("[data-more]");
  const hot = { 0: "metric", 1: "metric", 2: "metric", 3: "metric", q: "claim", w: "claim", e: "claim", a: "chunk", s: "chunk", d: "chunk" };
  const move = { j: ["claim", 1], k: ["claim", -1], l: ["chunk", 1], h: ["chunk", -1], ArrowDown: ["metric", 1], ArrowUp: ["metric", -1] };
  const acts = {
    n: () => critique.focus(), c: () => { mode.closest("[data-mode]").classList.remove("is-off"); mode.focus(); }, u: undo,
    x: () => { skip.open = !skip.open; }, f: () => form.querySelector("[data-flag]").click(), o: () => form.querySelector("[data-open]")?.click(),
    "?": () => table.showModal(), Enter: submit, " ": () => lists.chunk[on.chunk] && unfold(lists.chunk[on.chunk]),
    Escape: () => { skip.open = more.open = false; },
  };
  function keydown(event) {
    if (table.open) return;
    const isText = event.target.matches("textarea, select, input[type=text]");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); return; }
    if (isText) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.key === "Enter" || event.key === " ") && event.target.closest("button, a, summary")) return;
    if (skip.open && "123".includes(event.key)) { event.preventDefault(); skip.querySelectorAll("button")[event.key - 1].click(); return; }
    if (event.key in hot) { event.preventDefault(); press(hot[event.key], event.key); }
    else if (event.key in move) { event.preventDefault(); focus(move[event.key][0], on[move[event.key][0]] + move[event.key][1]); }
    else if (Object.hasOwn(acts, event.key)) { event.preventDefault(); acts[event.key](); }
  }
  document.addEventListener("keydown", keydown);
  document.querySelectorAll("[data-keys]").forEach((button) => button.addEventListener("click", () => { more.open = false; table.showModal(); }));
  form.querySelector("[data-drop]")?.addEventListener("click", () => { try { localStorage.removeItem(key); } catch { /* nothing kept */ } });
  form.addEventListener("click", (event) => {
    const row = event.target.closest("[data-kind]");
    if (row) focus(listOf(row), lists[listOf(row)].indexOf(row), false);
  });
  form.addEventListener("change", (event) => { step(); refresh(); if (event.target.type === "radio") announce(event.target); keep(); });
  critique.addEventListener("input", keep);

  refresh();
  focus("claim", 0, false);
  focus("chunk", 0, false);
  const open = lists.metric.findIndex((row) => !chosen(row));
  focus("metric", open < 0 ? 0 : open, false);
})();
