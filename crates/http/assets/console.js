// Refreshes the elements marked `data-live`, and draws charts. Pages are complete without it.
(() => {
  "use strict";
  const INTERVAL = 3000;
  const PATIENCE = 5 * 60 * 1000;
  const OUTDATED = 15 * 1000;
  const FOCUS = "a, button, summary, [tabindex]";
  const marked = () => document.querySelectorAll("[data-live]");
  let charts = [];

  // Charts are drawn from the tables next to them.
  const draw = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    if (!window.uPlot) return;
    document.querySelectorAll("[data-chart]").forEach((place) => {
      const table = document.getElementById(place.dataset.chart);
      const rows = table ? [...table.tBodies[0].rows] : [];
      if (rows.length < 2) return;
      const number = (i) => rows.map((row) => Number(row.cells[i].dataset.value));
      const color = (name) => getComputedStyle(document.querySelector(`.legend .${name}`), "::before").backgroundColor;
      const text = getComputedStyle(document.body);
      const quiet = text.color;
      const times = new Map(rows.map((row) => [Number(row.cells[0].dataset.value), row.cells[0].textContent]));
      const axis = { stroke: quiet, grid: { stroke: "rgba(128,128,128,.18)", width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
      const bars = window.uPlot.paths.bars({ size: [0.8, 40] });
      const series = (label, name) => ({ label, stroke: color(name), fill: color(name), width: 0, paths: bars, points: { show: false } });
      const imported = number(1);
      const failed = number(2);
      const options = {
        padding: [8, 8, 0, 0],
        width: place.parentElement.clientWidth,
        height: 200,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { range: (_, first, last) => [first - 60, last + 60] }, y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.1] } },
        axes: [{ ...axis, size: 28, values: (_, seconds) => seconds.map((second) => times.get(second) ?? "") }, { ...axis, size: 56, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000] }],
        series: [{}, series("Ended", "imported"), series("Failed", "failed")],
      };
      // The failed ones are drawn below, in front of all that ended.
      const all = imported.map((count, i) => count + failed[i]);
      charts.push(new window.uPlot(options, [number(0), all, failed], place));
    });
  };

  const replace = (fresh) => {
    let changed = false;
    marked().forEach((old) => {
      const next = fresh.getElementById(old.id);
      if (!next || next.outerHTML === old.outerHTML) return;
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      const place = focused ? [...old.querySelectorAll(FOCUS)].indexOf(focused) : -1;
      const turned = [...old.querySelectorAll(".scroll")].map((region) => [region.scrollLeft, region.scrollTop]);
      old.querySelectorAll("details[open]").forEach((open) => {
        const same = open.id && fresh.getElementById(open.id);
        if (same) same.open = true;
      });
      old.replaceWith(document.adoptNode(next));
      next.querySelectorAll(".scroll").forEach((region, i) => { [region.scrollLeft, region.scrollTop] = turned[i] ?? [0, 0]; });
      if (place >= 0) next.querySelectorAll(FOCUS)[place]?.focus();
      changed = true;
    });
    if (changed) draw();
  };

  // Nothing can be pressed on a display.
  const isDisplay = document.body.classList.contains("display");
  const button = document.createElement(isDisplay ? "span" : "button");
  const show = (state) => {
    button.classList.toggle("lost", state === "lost");
    button.classList.toggle("on", state === "on");
    button.textContent = { on: "Live", off: "Not live", lost: "Not connected" }[state];
    if (!isDisplay) button.setAttribute("aria-pressed", String(state !== "off"));
  };

  let isOn = true;
  // Figures that are watched from afar are struck through when no newer ones come, whatever the reason is.
  const banner = document.querySelector("[data-outdated]");
  let seen = Date.now();
  let hasEnded = false;
  const judge = () => {
    if (!banner) return;
    const isOutdated = isOn && Date.now() - seen >= OUTDATED;
    document.getElementById("main").classList.toggle("outdated", isOutdated);
    if (isOutdated) {
      const since = document.querySelector("[data-since]")?.dataset.since ?? "";
      const words = `No data since ${since}${hasEnded ? ". The session has ended: load the page again to sign in." : ""}`;
      if (banner.textContent !== words) banner.textContent = words;
    }
    banner.hidden = !isOutdated;
  };

  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(look, INTERVAL);
  };
  const look = async () => {
    if (!isOn || document.hidden || marked().length === 0) return later();
    try {
      // A request that hangs must not be the last one.
      const signal = banner ? AbortSignal.timeout(OUTDATED) : undefined;
      const answer = await fetch(location.href, { headers: { "X-Console-Live": "1" }, redirect: "manual", cache: "no-store", signal });
      hasEnded = answer.status === 401;
      // The last figures stay on the screen.
      if (hasEnded && !banner) return location.reload();
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (banner && !fresh.querySelector("[data-since]")) throw new Error("another page");
      seen = Date.now();
      if (isOn) {
        replace(fresh);
        // The process has ended: the whole page shows its result.
        if (marked().length === 0) return location.reload();
        show("on");
      }
    } catch {
      if (isOn) show("lost");
    }
    judge();
    later();
  };

  // After a while without use, the page without personal data is loaded.
  const guard = () => {
    const masked = document.querySelector("[data-masked]")?.dataset.masked;
    if (!masked) return;
    let used = Date.now();
    const isOver = () => Date.now() - used >= PATIENCE;
    const leave = () => isOver() && location.replace(masked);
    const use = () => { if (!isOver()) used = Date.now(); };
    ["pointerdown", "pointermove", "keydown", "wheel", "scroll"].forEach((name) => window.addEventListener(name, use, { passive: true, capture: true }));
    // Timers stop while a computer sleeps: check when it wakes up.
    ["visibilitychange", "pageshow", "focus"].forEach((name) => window.addEventListener(name, leave, true));
    setInterval(leave, 1000);
  };

  const begin = () => {
    guard();
    draw();
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth !== width) draw();
      width = window.innerWidth;
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    if (marked().length === 0) return;
    button.className = "live";
    button.title = "Whether this page keeps itself up to date";
    if (!isDisplay) {
      button.type = "button";
      button.addEventListener("click", () => {
        isOn = !isOn;
        show(isOn ? "on" : "off");
        judge();
        if (isOn) look();
      });
    }
    setInterval(judge, 1000);
    document.querySelector(".foot").append(button);
    show("on");
    document.addEventListener("visibilitychange", () => document.hidden || look());
    later();
  };
  begin();
})();
