/* ---- looks --------------------------------------------------------------- */

const HEIGHT = 220;
const HEIGHT_NARROW = 190;
const HEIGHT_PRINTED = 165;
const WIDTH_PRINTED = 680;
const FEW_POINTS = 60;

function colour(name) {
  return getComputedStyle(root).getPropertyValue("--" + name).trim();
}

/* A colour of the style sheet, which has them as #rrggbb, let through. */
function faint(name, alpha) {
  const hex = colour(name);

  return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
}

/* The same as it looks on paper, but what is behind it is hidden. */
function mixed(name, alpha) {
  const [front, back] = [name, "paper"].map((n) => parseInt(colour(n).slice(1), 16));
  const part = (shift) => {
    const value = ((front >> shift) & 255) * alpha + ((back >> shift) & 255) * (1 - alpha);

    return Math.round(value).toString(16).padStart(2, "0");
  };

  return "#" + part(16) + part(8) + part(0);
}

function size(chart) {
  const rows = chart.form === "heat" ? 60 + 22 * Math.min(20, heatRows(chart).length) : Infinity;

  if (root.classList.contains("printing"))
    return { width: WIDTH_PRINTED, height: Math.min(HEIGHT_PRINTED, rows) };
  return {
    width: Math.max(240, chart.plot.clientWidth),
    height: rows < Infinity ? rows : chart.plot.clientWidth < 500 ? HEIGHT_NARROW : HEIGHT,
  };
}

/* What is missing, behind the curves; of several hosts it is fainter. */
function drawMarks(u, chart) {
  const ctx = u.ctx;
  const parts = partsShown(chart);

  ctx.save();
  clip(u);
  for (const [from, to, kind] of parts.flatMap((part) => part.host.marks)) {
    const left = u.valToPos(from, "x", true);
    const width = Math.max(devicePixelRatio * 1.5, u.valToPos(to, "x", true) - left);

    ctx.fillStyle = faint(MARKS[kind], (kind > 2 ? 0.7 : 0.28) / parts.length);
    ctx.fillRect(left, u.bbox.top, width, u.bbox.height);
  }
  ctx.restore();
}

function clip(u) {
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
}

function lastValue(line) {
  let i = line.mean.length - 1;

  while (i > 0 && line.mean[i] === null) i--;
  return line.mean[i];
}

/* A cross where a process ended. */
function drawEnds(u, chart) {
  const ctx = u.ctx;
  const arm = 4 * devicePixelRatio;

  ctx.save();
  clip(u);
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const row of chart.rows) {
    if (row.ended === undefined || !row.box.checked || !u.series[row.line.at].show) continue;
    const x = u.valToPos(row.ended, "x", true);
    const y = u.valToPos(lastValue(row.line), "y", true);

    ctx.strokeStyle = colour("c" + (row.colour % COLOURS));
    ctx.beginPath();
    ctx.moveTo(x - arm, y - arm);
    ctx.lineTo(x + arm, y + arm);
    ctx.moveTo(x - arm, y + arm);
    ctx.lineTo(x + arm, y - arm);
    ctx.stroke();
  }
  ctx.restore();
}

/* Values that stand alone have no line to either side. */
function alone(values) {
  const known = [];
  const found = [];

  for (let i = 0; i < values.length; i++) if (values[i] !== undefined) known.push(i);
  known.forEach((at, i) => {
    if (values[at] !== null && (values[known[i - 1]] ?? null) === null && (values[known[i + 1]] ?? null) === null)
      found.push(at);
  });
  return found;
}

/* 'owner' has the colour: a row, or a guest. */
function makeSeries(values, owner, width, alpha) {
  const lonely = values && alone(values);

  return {
    label: "",
    width,
    stroke: () => faint("c" + (owner.colour % COLOURS), alpha),
    points: {
      size: 4,
      fill: () => colour("c" + (owner.colour % COLOURS)),
      show: (u, i, first, last) => alpha === 1 && last - first < FEW_POINTS,
      filter: (u, i, show) => (show ? null : lonely || alone(u.data[i])),
    },
  };
}

/* ---- parts of a whole, on top of each other --------------------------------- */

/* The last one is the highest, and is drawn first. */
function addAreas(chart) {
  const stacked = chart.lines.filter((line) => line.row.stacked);

  for (const line of stacked.reverse()) {
    line.area = chart.data.length;
    chart.data.push([]);
    chart.series.push({
      label: "",
      width: 0.5,
      show: false,
      stroke: () => colour("c" + (line.row.colour % COLOURS)),
      fill: () => mixed("c" + (line.row.colour % COLOURS), 0.72),
      points: { show: false },
    });
  }
}

/* Heights of those that are switched on. */
function stack(chart) {
  const sum = new Array(chart.x.length).fill(0);

  for (const line of chart.lines) {
    if (line.area === undefined || !isOffered(chart, line.row) || !line.row.box.checked) continue;
    const values = align(chart, line.part, line.mean);

    chart.data[line.area] = values.map((v, i) => (v === null || v === undefined ? v : (sum[i] += v)));
  }
}

/* ---- a row of colours for each instance ------------------------------------- */

function heatRows(chart) {
  return partsShown(chart).length === 1 ? chart.lines.filter((line) => isOffered(chart, line.row)) : [];
}

/* Several points that share a pixel are drawn as the greatest of them. */
function drawHeatRow(u, line, top, height) {
  const { x } = line.part.host;
  const points = pointsShown(line.part.host);
  const together = Math.max(1, Math.ceil(points.length / u.bbox.width));

  for (let k = 0; k < points.length; k += together) {
    const some = points.slice(k, k + together).filter(([i]) => line.mean[i] !== null);

    if (!some.length) continue;
    const [first, last] = [some[0][0], some[some.length - 1][0]];
    const from = Math.floor(u.valToPos(x[first] - weightOf(line.part.host, first), "x", true));
    const most = Math.max(...some.map(([i]) => line.mean[i]));

    u.ctx.fillStyle = line.shades[Math.round(Math.min(100, most))];
    u.ctx.fillRect(from, top, Math.max(1, Math.floor(u.valToPos(x[last], "x", true)) - from), height);
  }
}

function drawHeat(u, chart) {
  const rows = heatRows(chart);
  const height = u.bbox.height / rows.length;
  const shades = Array.from({ length: 101 }, (v, i) => mixed("c1", 0.05 + (0.95 * i) / 100));

  u.ctx.save();
  clip(u);
  rows.forEach((line, number) => {
    line.shades = shades;
    drawHeatRow(u, line, u.bbox.top + number * height, Math.max(1, height - 1));
  });
  u.ctx.restore();
}

/* Names of rows, as many as there is room for. */
function heatAxis(chart) {
  return {
    size: 76,
    grid: { show: false },
    splits: (u) => {
      const rows = heatRows(chart).length;
      const step = Math.ceil((rows * 14) / (u.bbox.height / devicePixelRatio));

      return Array.from({ length: Math.ceil(rows / step) }, (v, i) => rows - i * step - 0.5).reverse();
    },
    values: (u, splits) => {
      const rows = heatRows(chart);

      return splits.map((v) => rows[Math.round(rows.length - v - 0.5)].row.name);
    },
  };
}

/* ---- one chart ----------------------------------------------------------- */

/* Columns of numbers for uPlot, and what each is. */
function columns(chart) {
  const many = chart.lines.length > 4;

  chart.data = [chart.x];
  chart.series = [{}];
  chart.bands = [];
  addAreas(chart);
  for (const line of chart.lines) addColumns(chart, line, many);
}

function addColumns(chart, line, many) {
  const { row } = line;
  const add = (values, width, alpha) => {
    const aligned = align(chart, line.part, values);

    chart.data.push(aligned);
    chart.series.push(makeSeries(aligned, row, width, alpha));
  };

  row.at = line.at = chart.data.length;
  row.columns = line.min === line.mean ? 1 : 3;
  add(line.mean, 1.5, 1);
  if (chart.form === "heat") Object.assign(chart.series[line.at], { paths: () => null, points: { show: false } });
  if (row.columns === 1) return;
  for (const values of [line.max, line.min]) add(values, 1, many ? 0.35 : 0.5);
  chart.bands.push({
    series: [line.at + 1, line.at + 2],
    fill: () => faint("c" + (row.colour % COLOURS), many ? 0.1 : 0.18),
  });
}

/* Curves of those that have none of their own, for parts of the time; none is shown yet. */
function addGuests(chart) {
  const ranked = chart.rows.filter((r) => r.ranked).length;

  chart.guests = [];
  for (let i = 0; chart.parts.some((p) => p.others) && i < Math.min(ranked, GUESTS); i++) {
    const guest = { at: chart.data.length, colour: 0 };

    chart.guests.push(guest);
    chart.data.push(new Array(chart.x.length).fill(null));
    chart.series.push(Object.assign(makeSeries(null, guest, 1.5, 1), { show: false }));
  }
}

function range(u, min, max) {
  if (min === null || max === null) return [0, 1];
  const low = Math.min(0, min);
  const high = Math.max(0, max);

  return [low && low * 1.05, high > low ? high + (high - low) * 0.06 : low + 1];
}

function axis(more) {
  return Object.assign(
    {
      font: "12px system-ui, sans-serif",
      stroke: () => colour("quiet"),
      grid: { stroke: () => colour("grid"), width: 1 },
      ticks: { stroke: () => colour("line"), width: 1, size: 5 },
    },
    more);
}

function options(chart) {
  const heat = chart.form === "heat";

  return Object.assign(size(chart), {
    legend: { show: false },
    series: chart.series,
    bands: chart.bands,
    padding: [8, 30, 0, 0],
    scales: {
      x: { time: false, min: everything.min, max: everything.max },
      y: { range: heat ? () => [0, Math.max(1, heatRows(chart).length)] : range },
    },
    axes: [
      axis({ size: 44, splits: timeSplits, values: timeLabels }),
      axis(heat ? heatAxis(chart)
        : { size: 76, values: (u, splits) => splits.map((v) => figure(v, chart.unit, 4)) }),
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, dist: 4 },
      sync: { key: "report", scales: ["x", null] },
      points: { size: 7, show: !heat },
      bind: { dblclick: () => () => show(everything) },
    },
    hooks: {
      drawClear: [(u) => drawMarks(u, chart)],
      draw: [(u) => (heat ? drawHeat(u, chart) : drawEnds(u, chart))],
      setScale: [(u, key) => key === "x" && show(u.scales.x, u)],
      setCursor: [(u) => report(chart, u.cursor.idx)],
    },
  });
}

/* The column of values under the cursor. */
function report(chart, point) {
  const known = point !== null && point !== undefined;

  chart.when.textContent = known ? "At " + timeText(chart.x[point]).slice(11) : "At cursor";
  for (const row of chart.rows)
    if (!row.row.hidden) row.cursor.textContent = known ? valueText(chart, row.line, point) : "";
  for (const guest of chart.guests)
    if (guest.row)
      guest.row.cursor.textContent = known ? figure(chart.data[guest.at][point], chart.unit, 3) : "";
}

function valueText(chart, line, point) {
  const own = line.part.places ? pointAt(line.part.host, chart.x[point]) : point;
  const value = own === undefined ? null : line.mean[own];

  if (value === null) return "no value";
  if (line.min[own] === line.max[own]) return figure(value, chart.unit, 4);
  return figure(value, chart.unit, 3) + " (" + figure(line.min[own], chart.unit, 3) + " to " +
    figure(line.max[own], chart.unit, 3) + ")";
}
