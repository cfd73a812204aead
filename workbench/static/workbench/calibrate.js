// The live part of the calibration page. The server draws everything once; this moves the threshold and the costs,
// counts again from the stored curve by the server's own rules, and asks the server for what only it can compute.
(() => {
  const live = document.getElementById("live");
  if (!live || !live.dataset.levels) return;

  const STEPS = 1e9;
  const list = (name) => (live.dataset[name] ? live.dataset[name].split(" ").map(Number) : []);
  const levels = list("levels"), fails = list("fails"), passes = list("passes");
  const failCounts = live.dataset.failCounts ? list("failCounts") : fails;
  const passCounts = live.dataset.passCounts ? list("passCounts") : passes;
  const z = Number(live.dataset.z);
  const words = live.dataset;
  const form = document.getElementById("settings");
  const charts = [...live.querySelectorAll(".chart.moving")];
  const isVietnamese = document.documentElement.lang.startsWith("vi");

  // Running sums over the candidates: 0 is "pass all", the last "pass none". Added one by one, as numpy does.
  const fromTheRight = (amounts) => {
    const sums = new Array(amounts.length + 1).fill(0);
    for (let k = amounts.length - 1; k >= 0; k--) sums[k] = sums[k + 1] + amounts[k];
    return sums;
  };
  const fromTheLeft = (amounts) => {
    const sums = [0];
    for (const amount of amounts) sums.push(sums.at(-1) + amount);
    return sums;
  };
  const falsePass = fromTheRight(fails), falseFail = fromTheLeft(passes);
  const falsePassCount = fromTheRight(failCounts), falseFailCount = fromTheLeft(passCounts);
  const allFails = falsePass[0], allPasses = falseFail.at(-1), total = allFails + allPasses;
  const failCases = falsePassCount[0], passCases = falseFailCount.at(-1);

  // --- numbers as the server writes them -------------------------------------------------------------------------

  // Python rounds exact halves to the even digit, toFixed rounds them up: 12.5 is "12" there, "13" here.
  function fixed(value, digits) {
    const long = Math.abs(value).toFixed(digits + 40), point = long.length - 40;
    let text = Math.abs(value).toFixed(digits);
    if (/^50*$/.test(long.slice(point))) {
      const below = long.slice(0, point).replace(/\.$/, "");
      if (Number(below.at(-1)) % 2 === 0) text = below;
    }
    return (value < 0 && Number(text) !== 0 ? "-" : "") + text;
  }
  const decimal = (value, digits) => (isVietnamese ? fixed(value, digits).replace(".", ",") : fixed(value, digits));
  const percent = (value) => (value === null ? "–" : `${decimal(100 * value, 0)}\u00a0%`);
  const whole = (value) => fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
  const count = (value) => (Number.isInteger(value) ? whole(value) : decimal(value, 1));
  const amount = (value) => (Number.isInteger(value) ? whole(value) : decimal(value, 2));
  function score(value) {
    const text = fixed(value, 9).replace(/0{1,7}$/, "");
    return isVietnamese ? text.replace(".", ",") : text;
  }
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const share = (part, whole_) => (whole_ > 0 ? part / whole_ : null);

  function wilson(hits, n) {
    const p = hits / n, scale = 1 + z * z / n;
    const middle = (p + z * z / (2 * n)) / scale;
    const half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale;
    return [hits === 0 ? 0 : Math.max(0, middle - half), hits === n ? 1 : Math.min(1, middle + half)];
  }
  function interval(hits, n) {
    if (words.interval !== "wilson" || !(n > 0)) return "";
    const [low, high] = wilson(hits, n);
    return `(${decimal(100 * low, 0)}–${decimal(100 * high, 0)}\u00a0%)`;
  }

  const spaced = (text) => (text ? ` ${text}` : "");

  // --- the curve -------------------------------------------------------------------------------------------------

  const quantise = (value) => Math.floor(value * STEPS + 0.5);
  function candidate(threshold) {
    const steps = quantise(threshold);
    let low = 0, high = levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (levels[middle] < steps) low = middle + 1; else high = middle;
    }
    return low;
  }
  const below = (k) => (k > 0 ? levels[k - 1] / STEPS : null);
  const upTo = (k) => (k < levels.length ? levels[k] / STEPS : null);

  function prices() {
    const read = (name) => {
      const value = Number(form.elements[name].value);
      return Number.isFinite(value) && value >= 0 ? value : 0;
    };
    return { falsePass: read("cost_false_pass"), falseFail: read("cost_false_fail") };
  }
  function landscape() {
    const price = prices();
    const cost = falsePass.map((weight, k) => price.falsePass * weight + price.falseFail * falseFail[k]);
    const least = cost.reduce((a, b) => Math.min(a, b), Infinity);
    const dust = 1e-12 * (price.falsePass * allFails + price.falseFail * allPasses);
    const best = [];
    cost.forEach((value, k) => { if (value <= least * (1 + 1e-9) + dust) best.push(k); });
    return { price, cost, least, best };
  }
  // The rule of calibration.statistics.costs: fewest false passes, then the widest, then the strictest.
  function recommended({ best, price }) {
    const nothing = price.falsePass === 0 && price.falseFail === 0;
    if (!levels.length || nothing || !allFails || !allPasses || levels.length === 1) return null;
    if (best.at(-1) === levels.length || best[0] === 0) return null;
    const fewest = Math.min(...best.map((k) => falsePass[k])) + 1e-9 * allFails;
    let chosen = null;
    for (const k of best) {
      const width = levels[k] - levels[k - 1];
      if (falsePass[k] <= fewest && (chosen === null || width >= chosen.width)) chosen = { k, width };
    }
    return middle(levels[chosen.k - 1], levels[chosen.k]);
  }
  function middle(low, high) {
    for (let places = 0; places <= 9; places++) {
      const unit = 10 ** (9 - places);
      const rounded = Math.floor((low + high + unit) / (2 * unit)) * unit;
      if (low < rounded && rounded < high) return rounded / STEPS;
    }
    return high / STEPS;
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  function scale(svg) {
    const d = svg.dataset, left = Number(d.left), right = Number(d.right);
    return {
      left, right,
      x: (value) => left + (right - left) * Math.min(1, Math.max(0, value)),
      back: (x) => (x - left) / (right - left),
      rate: (value) => Number(d.ratesBottom) - (d.ratesBottom - d.ratesTop) * value,
      cost: (value, top) => Number(d.costsBottom) - (d.costsBottom - d.costsTop) * Math.min(value, top) / top,
    };
  }
  function put(svg, selector, attributes, text) {
    const node = svg.querySelector(selector);
    if (!node) return;
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
  }
  function roundUnit(biggest) {
    const power = 10 ** Math.floor(Math.log10(biggest));
    return [1, 2, 5, 10].map((times) => times * power).find((unit) => unit >= biggest);
  }
  function drawSpans(svg, name, spans) {
    const nodes = [...svg.querySelectorAll(`.${name}`)], { x } = scale(svg);
    if (!nodes.length) return;
    while (nodes.length < spans.length) {
      const copy = nodes[0].cloneNode();
      nodes.at(-1).after(copy);
      nodes.push(copy);
    }
    nodes.forEach((node, i) => {
      const [low, high] = spans[i] ? spans[i].map((end, side) => x(end ?? side)) : [0, 0];
      node.setAttribute("x", low.toFixed(1));
      node.setAttribute("width", spans[i] ? Math.max(2, high - low).toFixed(1) : 0);
    });
  }
  const ranges = () => land.best.map((k) => [below(k), upTo(k)]);

  function drawCosts() {
    if (!total) return;
    const perCase = land.cost.map((value) => value / total);
    const unit = roundUnit(Math.max(perCase[0], perCase.at(-1), 1e-6) / 1.2);
    top_ = unit * 1.2;
    for (const svg of charts) {
      const { x, cost } = scale(svg);
      let path = `M${x(0).toFixed(1)} ${cost(perCase[0], top_).toFixed(1)}`, previous = null;
      levels.forEach((level, k) => {
        const at = x(level / STEPS).toFixed(1), y = cost(perCase[k + 1], top_).toFixed(1);
        path += at === previous ? `V${y}` : `H${at}V${y}`;
        previous = at;
      });
      put(svg, ".cost-line", { d: `${path}H${x(1).toFixed(1)}` });
      for (const tick of svg.querySelectorAll(".cost-tick")) tick.textContent = decimal(tick.dataset.share * unit, unit < 0.2 ? 3 : unit < 2 ? 2 : 1);
      for (const [name, k] of [["cost-all", 0], ["cost-none", levels.length]]) {
        put(svg, `.${name}`, { y: (cost(perCase[k], top_) - 8).toFixed(1) }, fill(words[k ? "passNone" : "passAll"], { cost: decimal(perCase[k], 2) }));
      }
      drawSpans(svg, "region-best", ranges());
      drawSpans(svg, "row-best", ranges());
    }
  }
  function drawCut(k, figures) {
    for (const svg of charts) {
      const { x, rate, cost } = scale(svg), at = x(threshold).toFixed(1);
      svg.querySelector(".cutter").setAttribute("transform", `translate(${at} 0)`);
      svg.classList.toggle("near-left", at < Number(svg.dataset.edge));
      svg.classList.toggle("near-right", svg.viewBox.baseVal.width - at < Number(svg.dataset.edge));
      const grip = svg.querySelector(".grip");
      grip.setAttribute("aria-valuenow", threshold);
      grip.setAttribute("aria-valuetext", fill(words.spoken, figures));
      grip.querySelector("text").textContent = figures.threshold;
      if (figures.falsePassRate !== null) put(svg, ".at-fail", { cx: at, cy: rate(figures.falsePassRate).toFixed(1) });
      if (figures.falseFailRate !== null) put(svg, ".at-pass", { cx: at, cy: rate(figures.falseFailRate).toFixed(1) });
      if (total) put(svg, ".at-cost", { cx: at, cy: cost(figures.perCase, top_).toFixed(1) });
      if (total) put(svg, ".word-cost", { x: at, y: (cost(figures.perCase, top_) - 12).toFixed(1) }, decimal(figures.perCase, 3));
      for (const mark of svg.querySelectorAll(".dot[data-steps]")) {
        const isPassed = Number(mark.dataset.steps) >= quantise(threshold);
        mark.classList.toggle("ok", mark.classList.contains("c-pass") === isPassed);
      }
    }
  }

  // --- words -----------------------------------------------------------------------------------------------------

  function say(name, text) {
    for (const node of document.querySelectorAll(`[data-out="${name}"]`)) if (node.textContent !== text) node.textContent = text;
  }
  const range = (k) => {
    if (k === 0) return words.rangeAll;
    if (k === levels.length) return words.rangeNone;
    return `${score(below(k))}–${score(upTo(k))}`;
  };
  function standing(k) {
    if (land.best.includes(k)) return words.standingBest;
    const goods = [...live.querySelectorAll("[data-good]")].flatMap((node) => (node.dataset.good ? node.dataset.good.split(" ") : []));
    const isGood = !isStale && goods.some((span) => {
      const [low, high] = span.split(":").map((end) => (end === "" ? null : quantise(Number(end))));
      const steps = quantise(threshold);
      return (low === null || steps > low) && (high === null || steps <= high);
    });
    if (isGood) return words.standingGood;
    return fill(words.standingMore, { cost: decimal((land.cost[k] - land.least) / total, 3) });
  }
  function alike(k) {
    if (k === 0) return fill(words.alikeAll, { high: score(upTo(k)) });
    if (k === levels.length) return fill(words.alikeNone, { low: score(below(k)) });
    return fill(words.alike, { low: score(below(k)), high: score(upTo(k)) });
  }
  // The threshold frozen, else the cheapest at the costs now in the fields: any other is a look, or a choice to give
  // a reason for where it decides otherwise.
  function freezes(k) {
    const anchor = words.frozen === "yes" ? (words.anchor === "" ? null : Number(words.anchor)) : recommended(land);
    const values = { threshold: score(threshold), anchor: anchor === null ? "" : score(anchor) };
    const isLook = anchor !== null && quantise(anchor) !== quantise(threshold);
    say("look", isLook ? fill(words.frozen === "yes" ? words.lookFrozen : words.look, values) : "");
    const isChoice = isLook && candidate(anchor) !== k;
    const template = anchor === null ? words.freezesNone : isChoice ? words.freezesChoice : isLook ? words.freezesAlike : words.freezesBest;
    say("freezes", fill(template, values));
    const field = document.querySelector("[data-choice]");
    if (!field) return;
    field.hidden = !isChoice;
    field.querySelector("textarea").required = isChoice;
  }
  const of = (part, whole_) => fill(words.of, { count: count(part), of: count(whole_) });

  function place() {
    const k = candidate(threshold);
    const fp = falsePassCount[k], ff = falseFailCount[k];
    const costTotal = land.cost[k], perCase = share(costTotal, total);
    const figures = {
      threshold: score(threshold), perCase,
      falsePassRate: share(falsePass[k], allFails), falseFailRate: share(falseFail[k], allPasses),
      false_pass: of(fp, failCases), false_fail: of(ff, passCases),
    };
    say("threshold", figures.threshold);
    say("caught", of(failCases - fp, failCases)); say("stopped", of(ff, passCases));
    say("false-pass", count(fp)); say("false-fail", count(ff));
    say("true-fail", count(failCases - fp)); say("true-pass", count(passCases - ff));
    say("stops", count(failCases - fp + ff)); say("passes", count(fp + passCases - ff));
    say("false-pass-rate", percent(figures.falsePassRate)); say("false-fail-rate", percent(figures.falseFailRate));
    if (words.interval === "wilson") {
      say("caught-interval", spaced(interval(failCases - fp, failCases))); say("stopped-interval", spaced(interval(ff, passCases)));
      say("false-pass-interval", interval(fp, failCases)); say("false-fail-interval", interval(ff, passCases));
    }
    say("cost-per-case", perCase === null ? "–" : decimal(perCase, 3)); say("cost-total", amount(costTotal));
    say("standing", total ? standing(k) : ""); say("alike", levels.length ? alike(k) : "");
    say("cheapest", land.best.map(range).join(words.or));
    Object.assign(live.dataset, {
      threshold, falsePass: fp, falseFail: ff, trueFail: failCases - fp, truePass: passCases - ff, costTotal,
      costPerCase: perCase ?? "",
    });
    freezes(k);
    drawCut(k, figures);
    for (const link of live.querySelectorAll("a[data-at-threshold]")) {
      const address = new URL(link.href);
      address.searchParams.set("threshold", threshold);
      link.href = address.pathname + address.search;
    }
    for (const field of document.querySelectorAll("[data-copy-threshold]")) field.value = threshold;
    const field = form.elements.threshold;
    if (document.activeElement !== field) field.value = threshold;
  }

  // --- what only the server can compute --------------------------------------------------------------------------

  let timer = null, asked = null, isStale = false;
  function wait() {
    for (const node of document.querySelectorAll(".from-server")) node.classList.add("waiting");
  }
  function ask({ costs }) {
    if (words.frozen === "yes" && words.interval !== "server") return;
    if (costs) { isStale = true; wait(); }
    if (words.interval === "server") for (const node of live.querySelectorAll(".interval")) node.classList.add("waiting");
    clearTimeout(timer);
    timer = setTimeout(() => fetchParts(), 350);
  }
  async function fetchParts() {
    asked?.abort();
    asked = new AbortController();
    const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
    try {
      const response = await fetch(address, { signal: asked.signal, headers: { "X-Requested-With": "fetch" } });
      if (!response.ok) throw new Error(response.statusText);
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!fresh.querySelector(".from-server")) throw new Error("refused");
      const because = document.querySelector("[data-choice] textarea")?.value;
      for (const part of fresh.querySelectorAll(".from-server")) document.getElementById(part.id)?.replaceWith(document.importNode(part, true));
      for (const part of fresh.querySelectorAll(".interval[data-out]")) say(part.dataset.out, part.textContent);
      for (const node of live.querySelectorAll(".interval")) node.classList.remove("waiting");
      for (const field of document.querySelectorAll("[data-copy]")) field.value = form.elements[field.dataset.copy].value;
      if (because) document.querySelector("[data-choice] textarea").value = because;
      isStale = false;
      live.querySelector("[data-offline]").hidden = true;
      history.replaceState(null, "", address);
      place();
    } catch (error) {
      if (error.name !== "AbortError") live.querySelector("[data-offline]").hidden = false;
    }
  }

  // --- hands -----------------------------------------------------------------------------------------------------

  let top_ = 1, land = landscape(), threshold = Number(live.dataset.threshold);
  function set(value) {
    if (!Number.isFinite(value)) return;
    threshold = Math.round(Math.max(0, value) * STEPS) / STEPS;
    place();
    if (words.interval === "server") ask({ costs: false });
  }
  const bounded = (value) => Math.min(1, Math.max(0, value));
  for (const svg of charts) {
    const grip = svg.querySelector(".grip");
    const pull = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      set(Math.round(bounded(scale(svg).back(at.x)) * 100) / 100);
    };
    svg.addEventListener("pointerdown", (event) => {
      const box = grip.getBoundingClientRect();
      if (Math.abs(event.clientX - box.left - box.width / 2) > 30) return;
      event.preventDefault();
      grip.focus({ preventScroll: true });
      svg.setPointerCapture(event.pointerId);
      pull(event);
    });
    svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) pull(event); });
    grip.addEventListener("keydown", (event) => {
      const fine = event.shiftKey ? 0.001 : 0.01;
      const step = { ArrowLeft: -fine, ArrowDown: -fine, ArrowRight: fine, ArrowUp: fine, PageDown: -0.1, PageUp: 0.1 }[event.key];
      if (step !== undefined) set(bounded(threshold + step));
      else if (event.key === "Home") set(0);
      else if (event.key === "End") set(1);
      else return;
      event.preventDefault();
    });
  }
  form.elements.threshold.addEventListener("input", (event) => { if (event.target.value !== "") set(Number(event.target.value)); });
  for (const name of ["cost_false_pass", "cost_false_fail"]) {
    form.elements[name].addEventListener("input", () => {
      // Who looked at the cheapest threshold still does; a threshold that was moved stays.
      const before = recommended(land);
      land = landscape();
      const after = recommended(land);
      if (before !== null && after !== null && quantise(before) === quantise(threshold)) threshold = after;
      drawCosts();
      place();
      for (const field of document.querySelectorAll(`[data-copy="${name}"]`)) field.value = form.elements[name].value;
      ask({ costs: true });
    });
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); wait(); fetchParts(); });
  document.addEventListener("click", (event) => {
    const step = event.target.closest("[data-step]");
    if (step) set(bounded(threshold + Number(step.dataset.step)));
    if (event.target.closest("[data-best]")) {
      const best = recommended(land);
      if (best !== null) set(best);
    }
  });
  live.classList.add("is-live");
  for (const node of live.querySelectorAll("[data-needs-script]")) node.hidden = false;
  for (const node of live.querySelectorAll("[data-without-script]")) node.hidden = true;
  drawCosts();
  place();
})();
