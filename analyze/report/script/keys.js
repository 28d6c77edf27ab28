/* ---- keys ---------------------------------------------------------------- */

const LONG_JUMP = 10;
const SPOKEN = 12;

function inView(chart, first) {
  const x = chart.x;
  const found = x.map((t, i) => i).filter((i) => x[i] >= shown.min && x[i] <= shown.max);

  return first ? found[0] : found[found.length - 1];
}

/* Put the cursor on a point, and say what is there. */
function point(chart, i) {
  const x = chart.x;

  if (i === undefined) return;
  i = Math.max(0, Math.min(i, x.length - 1));
  if (x[i] < shown.min) move(x[i], shown.max - shown.min);
  if (x[i] > shown.max) move(x[i] - (shown.max - shown.min), shown.max - shown.min);
  chart.u.setCursor({ left: chart.u.valToPos(x[i], "x"), top: chart.u.over.clientHeight / 2 },
    true, true);
  status.textContent = timeText(x[i]) + ": " + chart.rows.filter((r) => r.box.checked && !r.row.hidden)
    .slice(0, SPOKEN).map((r) => r.name + " " + valueText(chart, r.line, i)).join(", ");
}

function step(chart, by) {
  const at = chart.u.cursor.idx;
  const here = at === null || at === undefined || chart.u.cursor.left < 0;

  point(chart, here ? inView(chart, by > 0) : at + by);
}

function cursorTime(chart) {
  const u = chart.u;

  return u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : middle();
}

function pressed(chart, event) {
  const by = event.shiftKey ? LONG_JUMP : 1;
  const actions = {
    ArrowLeft: () => step(chart, -by),
    ArrowRight: () => step(chart, by),
    Home: () => point(chart, inView(chart, true)),
    End: () => point(chart, inView(chart, false)),
    PageUp: () => pan(-0.5),
    PageDown: () => pan(0.5),
    "+": () => zoom(0.5, cursorTime(chart)),
    "=": () => zoom(0.5, cursorTime(chart)),
    "-": () => zoom(2, cursorTime(chart)),
    0: () => show(everything),
    Escape: () => show(everything),
  };

  if (event.ctrlKey || event.altKey || event.metaKey || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

/* ---- the page ------------------------------------------------------------ */

function redraw() {
  for (const chart of charts) {
    chart.u.setSize(size(chart));
    chart.u.redraw(false, true);
  }
}

/* On paper colours are those of paper, whatever the screen's. */
function printing(on) {
  root.classList.toggle("printing", on);
  redraw();
}

function listen() {
  const click = (id, action) => document.getElementById(id).addEventListener("click", action);

  click("earlier", () => pan(-0.5));
  click("later", () => pan(0.5));
  click("closer", () => zoom(0.5, middle()));
  click("wider", () => zoom(2, middle()));
  click("all", () => show(everything));
  document.getElementById("search").addEventListener("input", search);
  if (hostChoice) hostChoice.addEventListener("change", hostChosen);
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) redraw();
    width = innerWidth;
  });
}

/* A line's values: of points that are rows they are one, of buckets three. */
function makeLine(values, part, place) {
  const [min, mean, max] = values.length === 3 ? values : [values[0], values[0], values[0]];

  return { min, mean, max, part, place };
}

function makePart(number, place) {
  const found = data.charts[number];
  const part = { host: data.hosts[found.axis], others: found.others, place };

  part.lines = found.lines.map((values, i) => makeLine(values, part, i));
  return part;
}

function make(section) {
  const { chart: number, parts = 1, unit, form = "lines" } = section.dataset;
  const chart = { section, unit, form, least: section.dataset.least !== undefined };

  chart.title = section.querySelector("h3").textContent;
  chart.plot = section.querySelector(".plot");
  chart.parts = Array.from({ length: Number(parts) }, (v, i) => makePart(Number(number) + i, i));
  chart.lines = chart.parts.flatMap((part) => part.lines);
  section.classList.toggle("buckets", chart.parts.some((part) => part.host.step > 0));
  alignParts(chart);
  equip(chart, section);
  columns(chart);
  addGuests(chart);
  chart.plot.tabIndex = 0;
  chart.plot.setAttribute("role", "application");
  chart.plot.setAttribute("aria-roledescription", "chart");
  chart.plot.setAttribute("aria-label", chart.title);
  chart.plot.setAttribute("aria-describedby", "hint");
  chart.plot.addEventListener("keydown", (event) => pressed(chart, event));
  chart.u = new uPlot(options(chart), chart.data, chart.plot);
  charts.push(chart);
}

if (everything.max <= everything.min) {
  everything.min -= 0.5;
  everything.max += 0.5;
}
document.querySelectorAll(".chart").forEach(make);
if (charts.length) {
  document.getElementById("toolbar").hidden = false;
  tellShown();
  listen();
  refresh();
  followAddress();
  addEventListener("hashchange", followAddress);
}
