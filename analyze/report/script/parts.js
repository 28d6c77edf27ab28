/* ---- lines of several hosts in one chart ----------------------------------- */

/* Times of all parts, and where those of each part are among them. */
function alignParts(chart) {
  const axes = new Set(chart.parts.map((part) => part.host.x));

  if (axes.size === 1) {
    chart.x = chart.parts[0].host.x;
    return;
  }
  chart.x = Array.from(new Set(chart.parts.flatMap((part) => part.host.x))).sort((a, b) => a - b);
  const places = new Map(chart.x.map((t, i) => [t, i]));

  for (const part of chart.parts) part.places = part.host.x.map((t) => places.get(t));
}

/* A part's values at the times of its chart: undefined where it has no point. */
function align(chart, part, values) {
  if (!part.places) return values;
  const all = new Array(chart.x.length);

  values.forEach((v, i) => (all[part.places[i]] = v));
  return all;
}

/* The point of a host nearest to a time, if it is not too far away. */
function pointAt(host, t) {
  const x = host.x;
  let low = 0;
  let high = x.length - 1;

  while (low < high) {
    const mid = (low + high) >> 1;

    if (x[mid] < t) low = mid + 1;
    else high = mid;
  }
  if (low && t - x[low - 1] < x[low] - t) low--;
  return Math.abs(x[low] - t) <= weightOf(host, low) ? low : undefined;
}

/* Seconds that each point is of: those of rows are told apart by their times. */
function weightsOf(host) {
  const x = host.x;
  const apart = x.map((t, i) => (i ? t - x[i - 1] : x.length > 1 ? x[1] - t : 1));
  const usual = Array.from(apart).sort((a, b) => a - b)[apart.length >> 1];

  return apart.map((seconds) => host.step || Math.min(seconds, 3 * usual));
}

function weightOf(host, point) {
  host.weights = host.weights || weightsOf(host);
  return host.weights[point];
}

/* ---- which host is shown ---------------------------------------------------- */

/* Of so many hosts in a chart lines of the first counter are enough; so many lines are shown. */
const FEW_HOSTS = 3;
const LINES_OVERLAID = 10;

/* The host that alone is shown; undefined: all of them. */
let only;

/* True if lines of several hosts are in one chart now. */
function isOverlaid(chart) {
  return only === undefined && chart.parts.length > 1;
}

function partsShown(chart) {
  return chart.parts.filter((part) => only === undefined || part.host === only);
}

/* Areas on top of each other, which there are of one host only. */
function isStacked(chart) {
  return chart.form === "stack" && partsShown(chart).length === 1;
}

/* Lines that the tables and curves are about now. */
function isOffered(chart, row) {
  if (only !== undefined) return row.part.host === only;
  return chart.parts.length <= FEW_HOSTS || row.lead || row.guest === true;
}

function rowsOffered(chart) {
  return rowsOf(chart).filter((row) => isOffered(chart, row));
}

/* Names are compared as they are: what is shown of an option has its spaces folded. */
function hostsCalled(name) {
  return Array.from(hostChoice.options).filter((o) => o.value !== "" && o.textContent === name);
}

/* The host of this name; of several the one of that number, from 1. */
function chooseHost(name, number) {
  const option = hostsCalled(name)[number - 1];

  hostChoice.selectedIndex = option ? option.index : 0;
  hostChosen();
}

/* Distinct colours for what is drawn: a line keeps its own, unless another one above has it. */
function giveColours(chart, rows) {
  const given = new Set();

  for (const row of rows) {
    const wanted = row.guest ? row.colour : row.line.place + (isOverlaid(chart) ? row.part.place : 0);
    let number = wanted % MOST_COLOURS;

    while (given.size < MOST_COLOURS && given.has(number)) number = (number + 1) % MOST_COLOURS;
    given.add(number);
    setColour(chart, row, number);
  }
}

/* The first one that nothing that is drawn has. */
function colourFor(chart) {
  const given = new Set(rowsOffered(chart).filter((r) => r.at !== undefined && r.box.checked).map((r) => r.colour));
  let number = chart.lines.length % MOST_COLOURS;

  for (let i = 0; i < MOST_COLOURS && given.has(number); i++) number = (number + 1) % MOST_COLOURS;
  return number;
}

/* Beyond COLOURS they are dashed. */
function setColour(chart, row, number) {
  const dash = number < COLOURS ? undefined : [6, 3];

  row.colour = number;
  row.swatch.className = "swatch c" + (number % COLOURS) + (dash ? " dashed" : "");
  for (let i = 0; i < row.columns; i++) chart.u.series[row.at + i].dash = dash;
}

function hostChosen() {
  only = hostChoice.value === "" ? undefined : data.hosts[hostChoice.value];
  for (const chart of charts)
    for (const row of rowsOf(chart)) row.byHand = false;
  refresh();
}
