/* The charts of a report: drawn by uPlot from the numbers in the page. */
"use strict";

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const status = document.getElementById("status");
  const everything = { min: data.from, max: data.to };
  const charts = [];

  /* Kinds of marks, by number, most important first: classes of the page. */
  const MARKS = ["damaged", "missing", "off", "step", "note"];
  const COLOURS = 10;
  const HEIGHT = 220;
  const HEIGHT_NARROW = 190;
  const HEIGHT_PRINTED = 165;
  const WIDTH_PRINTED = 680;
  const FEW_POINTS = 60;
  const LONG_JUMP = 10;
  const GUESTS = 8;

  /* ---- figures and times --------------------------------------------------- */

  function rounded(v, digits) {
    return String(Number(v.toPrecision(digits)));
  }

  /* Powers of 1000, as in the tables. */
  function figure(v, unit, digits) {
    const prefixes = ["", "k", "M", "G", "T", "P"];
    let power = 0;

    if (v === null || v === undefined) return "";
    while (unit !== "%" && Math.abs(v) >= 1000 && power < prefixes.length - 1) {
      v /= 1000;
      power++;
    }
    const suffix = prefixes[power] + unit;
    return rounded(v, digits) + (suffix ? "\u00a0" + suffix : "");
  }

  function offset(t) {
    let found = data.offsets[0][1];

    for (const [since, seconds] of data.offsets) if (since <= t) found = seconds;
    return found;
  }

  function two(n) {
    return String(n).padStart(2, "0");
  }

  /* What the clocks of the page's zone show. */
  function clock(t) {
    const at = new Date(Math.round((t + offset(t)) * 1000));
    const ms = at.getUTCMilliseconds();

    return {
      date: at.getUTCFullYear() + "-" + two(at.getUTCMonth() + 1) + "-" + two(at.getUTCDate()),
      minutes: two(at.getUTCHours()) + ":" + two(at.getUTCMinutes()),
      seconds: ":" + two(at.getUTCSeconds()),
      fraction: ms ? "." + String(ms).padStart(3, "0") : "",
    };
  }

  function timeText(t) {
    const c = clock(t);

    return c.date + " " + c.minutes + c.seconds + c.fraction;
  }

  /* ---- the axis of times --------------------------------------------------- */

  const STEPS = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1800, 3600, 7200, 10800, 21600, 43200,
  ];
  const DAY = 86400;

  function timeStep(span, most) {
    const least = span / most;

    return STEPS.find((s) => s >= least) || Math.ceil(least / DAY) * DAY;
  }

  /* Round times of the zone's clocks. */
  function timeSplits(u, axis, min, max) {
    const step = timeStep(max - min, Math.max(2, u.bbox.width / devicePixelRatio / 90));
    const splits = [];
    let local = Math.ceil((min + offset(min)) / step) * step;

    for (; splits.length < 100; local += step) {
      const t = local - offset(local - offset(min));

      if (t > max) break;
      splits.push(t);
    }
    return splits;
  }

  /* Below it the date, or the year of dates, where it changes. */
  function timeLabels(u, splits) {
    const step = splits.length > 1 ? splits[1] - splits[0] : 1;
    let last = "";

    return splits.map((t) => {
      const c = clock(t);
      const text = step >= DAY ? c.date.slice(5) : c.minutes + (step < 60 ? c.seconds + c.fraction : "");
      const below = step >= DAY ? c.date.slice(0, 4) : c.date;
      const label = below === last ? text : text + "\n" + below;

      last = below;
      return label;
    });
  }

  /* ---- looks --------------------------------------------------------------- */

  function colour(name) {
    return getComputedStyle(root).getPropertyValue("--" + name).trim();
  }

  /* A colour of the style sheet, which has them as #rrggbb, let through. */
  function faint(name, alpha) {
    const hex = colour(name);

    return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
  }

  function size(plot) {
    if (root.classList.contains("printing"))
      return { width: WIDTH_PRINTED, height: HEIGHT_PRINTED };
    return {
      width: Math.max(240, plot.clientWidth),
      height: plot.clientWidth < 500 ? HEIGHT_NARROW : HEIGHT,
    };
  }

  /* What is missing, behind the curves. */
  function drawMarks(u, marks) {
    const ctx = u.ctx;

    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    for (const [from, to, kind] of marks) {
      const left = u.valToPos(from, "x", true);
      const width = Math.max(devicePixelRatio * 1.5, u.valToPos(to, "x", true) - left);

      ctx.fillStyle = faint(MARKS[kind], kind > 2 ? 0.7 : 0.28);
      ctx.fillRect(left, u.bbox.top, width, u.bbox.height);
    }
    ctx.restore();
  }

  /* Values that stand alone have no line to either side. */
  function alone(values) {
    const found = [];

    for (let i = 0; i < values.length; i++)
      if (values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null)
        found.push(i);
    return found;
  }

  function makeSeries(values, number, name, width, alpha) {
    const lonely = values && alone(values);

    return {
      label: name,
      width,
      dash: number < COLOURS ? undefined : [6, 3],
      stroke: () => faint("c" + (number % COLOURS), alpha),
      points: {
        size: 4,
        fill: () => colour("c" + (number % COLOURS)),
        show: (u, i, first, last) => alpha === 1 && last - first < FEW_POINTS,
        filter: (u, i, show) => (show ? null : lonely || alone(u.data[i])),
      },
    };
  }

  /* ---- one chart ----------------------------------------------------------- */

  /* Columns of numbers for uPlot, and what each is. */
  function columns(chart) {
    const many = chart.lines.length > 4;

    chart.data = [chart.host.x];
    chart.series = [{}];
    chart.bands = [];
    chart.lines.forEach((line, number) => {
      const mean = line.length === 3 ? line[1] : line[0];

      line.at = chart.data.length;
      chart.data.push(mean);
      chart.series.push(makeSeries(mean, number, chart.names[number], 1.5, 1));
      if (line.length !== 3) return;
      chart.data.push(line[2], line[0]);
      for (const values of [line[2], line[0]])
        chart.series.push(
          makeSeries(values, number, chart.names[number], 1, many ? 0.35 : 0.5));
      chart.bands.push({
        series: [line.at + 1, line.at + 2],
        fill: () => faint("c" + (number % COLOURS), many ? 0.1 : 0.18),
      });
    });
  }

  /* Curves of those that have none of their own, for parts of the time; none is shown yet. */
  function addGuests(chart) {
    const ranked = chart.rows.filter((r) => r.ranked).length;

    chart.guests = [];
    for (let i = 0; chart.others && i < Math.min(ranked, GUESTS); i++) {
      const number = chart.lines.length + i;

      chart.guests.push({ at: chart.data.length, number });
      chart.data.push(new Array(chart.host.x.length).fill(null));
      chart.series.push(Object.assign(makeSeries(null, number, "", 1.5, 1), { show: false }));
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
    return Object.assign(size(chart.plot), {
      legend: { show: false },
      series: chart.series,
      bands: chart.bands,
      padding: [8, 30, 0, 0],
      scales: { x: { time: false, min: everything.min, max: everything.max }, y: { range } },
      axes: [
        axis({ size: 44, splits: timeSplits, values: timeLabels }),
        axis({
          size: 76,
          values: (u, splits) => splits.map((v) => figure(v, chart.unit, 4)),
        }),
      ],
      cursor: {
        y: false,
        drag: { x: true, y: false, dist: 4 },
        sync: { key: "report", scales: ["x", null] },
        points: { size: 7 },
        bind: { dblclick: () => () => show(everything) },
      },
      hooks: {
        drawClear: [(u) => drawMarks(u, chart.host.marks)],
        setScale: [(u, key) => key === "x" && show(u.scales.x, u)],
        setCursor: [(u) => tell(chart, u.cursor.idx)],
      },
    });
  }

  /* The column of values under the cursor. */
  function tell(chart, point) {
    const known = point !== null && point !== undefined;

    chart.when.textContent = known ? "At " + timeText(chart.host.x[point]).slice(11) : "At cursor";
    chart.lines.forEach((line, number) => {
      chart.rows[number].cursor.textContent = known ? valueText(chart, line, point) : "";
    });
    for (const guest of chart.guests)
      if (guest.row)
        guest.row.cursor.textContent = known ? figure(chart.data[guest.at][point], chart.unit, 3) : "";
  }

  function valueText(chart, line, point) {
    const value = chart.data[line.at][point];

    if (value === null) return "no value";
    if (line.length !== 3 || line[0][point] === line[2][point]) return figure(value, chart.unit, 4);
    return figure(value, chart.unit, 3) + " (" + figure(line[0][point], chart.unit, 3) + " to " +
      figure(line[2][point], chart.unit, 3) + ")";
  }

  /* A column for the cursor, and a box to switch each line off. */
  function equip(chart, section) {
    const head = section.querySelector(".lines thead tr");
    const rows = section.querySelectorAll(".lines tbody tr");

    chart.when = document.createElement("th");
    chart.when.scope = "col";
    chart.when.className = "cursor";
    chart.when.textContent = "At cursor";
    head.cells[0].after(chart.when);
    chart.rows = Array.from(rows, (row, number) => equipRow(row, (on) => toggle(chart, number, on)));
    chart.names = chart.rows.map((r) => r.name);
    chart.body = section.querySelector(".lines tbody");
    chart.note = section.appendChild(document.createElement("p"));
    chart.note.className = "quiet";
    chart.note.hidden = true;
    chart.otherNames = section.querySelectorAll(".others > li");
    if (chart.rows.length > 1 || chart.others) equipPicking(chart, section, head);
  }

  /* A row with a box before its name, and a cell for the cursor. */
  function equipRow(row, toggled) {
    const th = row.querySelector("th");
    const label = document.createElement("label");
    const box = document.createElement("input");
    const cursor = row.insertCell(1);

    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => toggled(box.checked));
    label.append(box, ...th.childNodes);
    th.append(label);
    cursor.className = "cursor";
    return {
      row,
      box,
      cursor,
      toggled,
      text: th.textContent.toLowerCase(),
      name: row.querySelector(".label").textContent,
      ranked: row.classList.contains("ranked"),
      zero: row.classList.contains("zero"),
      figures: Array.from(row.cells).slice(2),
      full: Array.from(row.cells, (cell) => cell.textContent).slice(2),
    };
  }

  function makeButton(text, name, action) {
    const button = document.createElement("button");

    button.type = "button";
    button.textContent = text;
    if (name) button.setAttribute("aria-label", name);
    button.addEventListener("click", action);
    return button;
  }

  /* ---- choosing and ordering lines ------------------------------------------ */

  function rowsOf(chart) {
    return chart.rows.concat(chart.guests.filter((g) => g.row).map((g) => g.row));
  }

  function setRow(row, on) {
    if (row.box.checked === on) return;
    row.box.checked = on;
    row.toggled(on);
  }

  /* Of those that the search left. */
  function setFound(chart, on) {
    for (const row of rowsOf(chart)) if (!row.row.hidden) setRow(row, on);
  }

  /* This line alone; all of them, if it already was. */
  function isolate(chart, row) {
    const alone = rowsOf(chart).every((r) => r.box.checked === (r === row));

    for (const r of rowsOf(chart)) setRow(r, alone || r === row);
  }

  function isFolded(chart, row) {
    return Boolean(chart.fold) && row.zero && chart.fold.getAttribute("aria-expanded") === "false";
  }

  /* Lines of zeros are shown on request, if there are others. */
  function equipFolding(chart) {
    const zeros = chart.rows.filter((r) => r.zero).length;

    if (!zeros || zeros === chart.rows.length) return;
    chart.fold = makeButton(zeros === 1 ? "1 line of zeros" : zeros + " lines of zeros", "", () => {
      const open = chart.fold.getAttribute("aria-expanded") === "false";

      chart.fold.setAttribute("aria-expanded", String(open));
      search();
    });
    chart.fold.setAttribute("aria-expanded", "false");
    chart.pick.append(chart.fold);
  }

  /* Words in any order, in what stands in the row: name, command, user. */
  function search() {
    const words = document.getElementById("search").value.toLowerCase().split(/\s+/);

    for (const chart of charts)
      if (chart.pick)
        for (const r of rowsOf(chart))
          r.row.hidden = !words.every((w) => r.text.includes(w)) || (isFolded(chart, r) && !words[0]);
  }

  const SORTS = [
    (r) => r.name,
    undefined, /* at the cursor */
    (r) => r.sum && r.sum.amount / r.sum.seconds,
    (r) => r.sum && r.sum.min,
    (r) => r.sum && r.sum.max,
    (r) => r.sum && r.sum.peak,
  ];

  /* Rows in order of a column; those without a value last. */
  function sorted(rows, sort) {
    const key = SORTS[sort.column];
    const known = rows.filter((r) => key(r) !== undefined);

    known.sort((a, b) => {
      const d = sort.column ? key(a) - key(b) : key(a).localeCompare(key(b), "en", { numeric: true });

      return sort.down ? -d : d;
    });
    return known.concat(rows.filter((r) => key(r) === undefined));
  }

  /* First numbers fall and names rise, then the other way, then it is the page's order again. */
  function sortBy(chart, column) {
    const down = column > 0;

    if (!chart.sort || chart.sort.column !== column) chart.sort = { column, down };
    else if (chart.sort.down === down) chart.sort = { column, down: !down };
    else chart.sort = undefined;
    chart.heads.forEach((th, i) => {
      if (!chart.sort || chart.sort.column !== i) th.removeAttribute("aria-sort");
      else th.setAttribute("aria-sort", chart.sort.down ? "descending" : "ascending");
    });
    if (!chart.part) sumRows(chart, pointsShown(chart.host));
    orderRows(chart);
  }

  /* Buttons in the table's head that sort it, and two for all lines. */
  function equipPicking(chart, section, head) {
    chart.heads = Array.from(head.cells);
    chart.heads.forEach((th, column) => {
      if (!SORTS[column]) return;
      const button = makeButton(th.textContent, "", () => sortBy(chart, column));

      button.className = "sort";
      th.replaceChildren(button);
    });
    chart.pick = document.createElement("p");
    chart.pick.className = "pick";
    chart.pick.append(
      makeButton("All", "Show all curves of " + chart.title, () => setFound(chart, true)),
      makeButton("None", "Hide all curves of " + chart.title, () => setFound(chart, false)));
    section.querySelector(".plot").after(chart.pick);
    equipFolding(chart);
    for (const row of chart.rows) equipRowPicking(chart, row);
  }

  function equipRowPicking(chart, row) {
    const button = makeButton("Only", "Only " + row.name, () => isolate(chart, row));

    button.className = "only";
    row.row.querySelector("th").setAttribute("aria-label", row.name);
    row.row.querySelector("th").append(button);
  }

  function toggle(chart, number, on) {
    const line = chart.lines[number];

    for (let i = 0; i < line.length; i++) chart.u.setSeries(line.at + i, { show: on });
  }

  function make(section) {
    const number = Number(section.dataset.chart);
    const chart = {
      title: section.querySelector("h3").textContent,
      unit: section.dataset.unit,
      plot: section.querySelector(".plot"),
      lines: data.charts[number].lines,
      others: data.charts[number].others,
      host: data.hosts[data.charts[number].axis],
    };

    section.classList.toggle("buckets", chart.host.step > 0);
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

  /* ---- zoom: all charts show the same time --------------------------------- */

  let shown = everything;
  let showing = false;

  function show(wanted, from) {
    if (showing || (from && wanted.min === shown.min && wanted.max === shown.max)) return;
    showing = true;
    shown = { min: wanted.min, max: wanted.max };
    for (const chart of charts) figureShown(chart, chart.u === from);
    for (const chart of charts) if (chart.u !== from) chart.u.setScale("x", shown);
    showing = false;
    search();
    tellShown();
    noteAddress();
  }

  /* ---- figures and order of the time shown ---------------------------------- */

  /* Seconds that each point is of: those of rows are told apart by their times. */
  function weightsOf(host) {
    const x = host.x;
    const apart = x.map((t, i) => (i ? t - x[i - 1] : x.length > 1 ? x[1] - t : 1));
    const usual = Array.from(apart).sort((a, b) => a - b)[apart.length >> 1];

    return apart.map((seconds) => host.step || Math.min(seconds, 3 * usual));
  }

  /* [point, seconds] for the points of the time shown: of a bucket the part that is shown. */
  function pointsShown(host) {
    const found = [];

    host.weights = host.weights || weightsOf(host);
    for (let i = 0; i < host.x.length; i++) {
      const to = Math.min(host.x[i], shown.max);
      const from = Math.max(host.x[i] - host.step, shown.min);

      if (host.step ? to > from : host.x[i] >= shown.min && host.x[i] <= shown.max)
        found.push([i, host.step ? to - from : host.weights[i]]);
    }
    return found;
  }

  /* What a line did in the time shown; undefined: it has no value there. */
  function sumUp(line, points) {
    const [min, mean, max] = line.length === 3 ? line : [line[0], line[0], line[0]];
    const sum = { amount: 0, seconds: 0, min: Infinity, max: -Infinity, peak: 0 };

    for (const [i, seconds] of points) {
      if (mean[i] === null) continue;
      sum.amount += mean[i] * seconds;
      sum.seconds += seconds;
      sum.min = Math.min(sum.min, min[i]);
      if (max[i] > sum.max) {
        sum.max = max[i];
        sum.peak = i;
      }
    }
    return sum.seconds ? sum : undefined;
  }

  function sumRows(chart, points) {
    return chart.rows.map((row, i) => (row.sum = sumUp(chart.lines[i], points)));
  }

  /* The same for those without a line, by their number; at least what they did. */
  function sumOthers(chart, points) {
    const sums = new Map();
    const recorded = ([i]) => chart.lines.some((line) => line[0][i] !== null);
    const all = points.filter(recorded).reduce((seconds, p) => seconds + p[1], 0);

    for (const [i, seconds] of points) {
      const at = chart.others[i];

      for (let k = 0; k < at.length; k += 2) {
        const sum = sums.get(at[k]) || { other: at[k], amount: 0, seconds: all, max: 0, peak: 0 };

        sum.amount += at[k + 1] * seconds;
        if (at[k + 1] > sum.max) {
          sum.max = at[k + 1];
          sum.peak = i;
        }
        sums.set(at[k], sum);
      }
    }
    return Array.from(sums.values());
  }

  function figureTexts(chart, sum) {
    const least = sum && sum.other !== undefined ? "\u2265\u00a0" : "";

    if (!sum) return ["", "", "", ""];
    return [
      least + figure(sum.amount / sum.seconds, chart.unit, 4),
      sum.min === undefined ? "" : figure(sum.min, chart.unit, 4),
      least + figure(sum.max, chart.unit, 4),
      sum.max > sum.min || sum.min === undefined ? timeText(chart.host.x[sum.peak]) : "",
    ];
  }

  function setFigures(row, texts) {
    row.figures.forEach((cell, i) => {
      cell.textContent = texts[i];
    });
  }

  /* A row for one of those without a line, with the identity that the page has of it. */
  function makeGuestRow(chart, guest, other) {
    const row = document.createElement("tr");
    const th = document.createElement("th");
    const swatch = document.createElement("span");

    th.scope = "row";
    swatch.className = "swatch c" + (guest.number % COLOURS) + (guest.number < COLOURS ? "" : " dashed");
    th.append(swatch, ...chart.otherNames[other].cloneNode(true).childNodes);
    row.className = "ranked";
    row.append(th);
    for (let i = 0; i < 4; i++) row.insertCell().className = i < 3 ? "n" : "";
    return equipRow(row, (on) => chart.u.setSeries(guest.at, { show: on }));
  }

  function dropGuests(chart) {
    for (const guest of chart.guests) {
      if (!guest.row) continue;
      guest.row.row.remove();
      guest.row = undefined;
      chart.data[guest.at] = new Array(chart.host.x.length).fill(null);
    }
  }

  /* The largest of those without a line that are among the largest of all. */
  function chooseGuests(chart, sums, points) {
    const most = chart.rows.filter((r) => r.ranked).length;
    const rivals = sums.filter((sum, i) => sum && chart.rows[i].ranked);
    const all = rivals.concat(sumOthers(chart, points)).sort((a, b) => b.amount - a.amount);

    return all.slice(0, most).filter((sum) => sum.other !== undefined).slice(0, chart.guests.length);
  }

  function showGuests(chart, chosen) {
    chosen.forEach((sum, k) => {
      const guest = chart.guests[k];

      guest.row = makeGuestRow(chart, guest, sum.other);
      guest.row.sum = sum;
      equipRowPicking(chart, guest.row);
      setFigures(guest.row, figureTexts(chart, sum));
      chart.data[guest.at] = chart.others.map((at) => {
        for (let i = 0; i < at.length; i += 2) if (at[i] === sum.other) return at[i + 1];
        return null;
      });
    });
  }

  /* Unless the user sorts them: in order of what they did in the time shown; totals stay. */
  function orderRows(chart) {
    const guests = chart.guests.filter((g) => g.row).map((g) => g.row);
    const ranked = chart.rows.filter((r) => r.ranked).concat(guests);
    const first = chart.rows.findIndex((r) => r.ranked);

    const amount = (r) => (r.sum ? r.sum.amount : -Infinity);

    if (!isAll()) ranked.sort((a, b) => amount(b) - amount(a));
    const rows = [
      ...chart.rows.filter((r, i) => !r.ranked && i < first),
      ...ranked,
      ...chart.rows.filter((r, i) => !r.ranked && i >= first),
    ];

    chart.body.append(...(chart.sort ? sorted(rows, chart.sort) : rows).map((r) => r.row));
  }

  function noteFigures(chart) {
    const step = chart.host.step ? " of " + chart.host.step + "\u00a0s" : "";

    chart.note.hidden = isAll() || !chart.others;
    chart.note.textContent =
      "Ranked anew for the time shown, by points" + step + ". What stands with \u2265 has no curve of its " +
      "own: of it only those points count at which it is among the 8 largest of such, and its Max is the " +
      "greatest mean of a point.";
  }

  /* Tables are of the time shown; 'drawn': the chart is drawing it now. */
  function figureShown(chart, drawn) {
    const guests = chart.guests.some((g) => g.row);

    if (isAll() && !chart.part && !chart.sort) return;
    chart.part = !isAll();
    dropGuests(chart);
    const points = pointsShown(chart.host);
    const sums = sumRows(chart, points);

    chart.rows.forEach((row, i) => {
      setFigures(row, chart.part ? figureTexts(chart, sums[i]) : row.full);
    });
    if (chart.part && chart.others) showGuests(chart, chooseGuests(chart, sums, points));
    orderRows(chart);
    noteFigures(chart);
    if (guests || chart.guests.some((g) => g.row)) drawGuests(chart, drawn);
  }

  function drawGuests(chart, drawn) {
    chart.u.setData(chart.data, false);
    for (const guest of chart.guests)
      if (chart.u.series[guest.at].show !== Boolean(guest.row))
        chart.u.setSeries(guest.at, { show: Boolean(guest.row) });
    if (drawn) chart.u.redraw(true, true);
  }

  /* ---- the zoom in the page's address --------------------------------------- */

  function addressTime(t) {
    return new Date(Math.round(t * 1000)).toISOString().replace(".000Z", "Z");
  }

  let noting = 0;

  /* For a link to what is shown now; browsers refuse to be asked often. */
  function noteAddress() {
    clearTimeout(noting);
    noting = setTimeout(() => {
      const part = "#from=" + addressTime(shown.min) + "&to=" + addressTime(shown.max);

      if (!isAll()) history.replaceState(null, "", part);
      else if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    }, 200);
  }

  /* Times that a link may hold: as above, or seconds since 1970. */
  function parseTime(text) {
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  }

  /* What the address asks for, as far as there is something to see; undefined: nothing. */
  function wantedByAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const min = asked.has("from") ? parseTime(asked.get("from")) : everything.min;
    const max = asked.has("to") ? parseTime(asked.get("to")) : everything.max;

    if (!(asked.has("from") || asked.has("to"))) return undefined;
    if (!(Math.max(min, everything.min) < Math.min(max, everything.max))) return undefined;
    return { min: Math.max(min, everything.min), max: Math.min(max, everything.max) };
  }

  function isAll() {
    return shown.min <= everything.min && shown.max >= everything.max;
  }

  /* To the second, if that is exact enough. */
  function tellShown() {
    const exact = shown.max - shown.min > 60 ? Math.round : (t) => t;
    const first = timeText(exact(shown.min));
    const last = timeText(exact(shown.max));
    const same = first.slice(0, 10) === last.slice(0, 10);

    document.getElementById("shown").textContent = first + " to " + (same ? last.slice(11) : last);
    for (const id of ["all", "wider"]) document.getElementById(id).disabled = isAll();
    document.getElementById("earlier").disabled = shown.min <= everything.min;
    document.getElementById("later").disabled = shown.max >= everything.max;
  }

  /* A part of what is shown, 'factor' times as long, around a time. */
  function zoom(factor, around) {
    const full = everything.max - everything.min;
    const length = Math.min((shown.max - shown.min) * factor, full);
    const share = (around - shown.min) / (shown.max - shown.min || 1);

    if (length < 0.01 && factor < 1) return;
    move(around - length * share, length);
  }

  /* No further than there is something to see. */
  function move(min, length) {
    min = Math.max(everything.min, Math.min(min, everything.max - length));
    show({ min, max: min + length });
  }

  function middle() {
    return (shown.min + shown.max) / 2;
  }

  function pan(share) {
    const length = shown.max - shown.min;

    move(shown.min + length * share, length);
  }

  /* ---- keys ---------------------------------------------------------------- */

  function inView(chart, first) {
    const x = chart.host.x;
    const found = x.map((t, i) => i).filter((i) => x[i] >= shown.min && x[i] <= shown.max);

    return first ? found[0] : found[found.length - 1];
  }

  /* Put the cursor on a point, and say what is there. */
  function point(chart, i) {
    const x = chart.host.x;

    if (i === undefined) return;
    i = Math.max(0, Math.min(i, x.length - 1));
    if (x[i] < shown.min) move(x[i], shown.max - shown.min);
    if (x[i] > shown.max) move(x[i] - (shown.max - shown.min), shown.max - shown.min);
    chart.u.setCursor({ left: chart.u.valToPos(x[i], "x"), top: chart.u.over.clientHeight / 2 },
      true, true);
    status.textContent = timeText(x[i]) + ": " +
      chart.lines.map((line, n) => chart.names[n] + " " + valueText(chart, line, i)).join(", ");
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
      chart.u.setSize(size(chart.plot));
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
    addEventListener("beforeprint", () => printing(true));
    addEventListener("afterprint", () => printing(false));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth !== width) redraw();
      width = innerWidth;
    });
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
    show(wantedByAddress() || everything);
    addEventListener("hashchange", () => show(wantedByAddress() || everything));
  }
})();
