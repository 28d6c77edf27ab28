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

/* [point, seconds] for the points of the time shown: of a bucket the part that is shown. */
function pointsShown(host) {
  if (host.shown === shown) return host.points;
  host.shown = shown;
  host.points = [];
  for (let i = 0; i < host.x.length; i++) {
    const end = host.x[i] + (host.ahead || 0); /* a comparison's points are in the middle of what they cover */
    const to = Math.min(end, shown.max);
    const from = Math.max(end - host.step, shown.min);

    if (host.step ? to > from : host.x[i] >= shown.min && host.x[i] <= shown.max)
      host.points.push([i, host.step ? to - from : weightOf(host, i)]);
  }
  return host.points;
}

/* What a line did in the time shown; undefined: it has no value there. */
function sumUp({ min, mean, max, part }) {
  const sum = { amount: 0, seconds: 0, min: Infinity, max: -Infinity, peak: 0 };

  for (const [i, seconds] of pointsShown(part.host)) {
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

function sumRows(chart) {
  for (const row of chart.rows) row.sum = sumUp(row.line);
}

/* The same for those without a line, by their number in their part; at least what they did. */
function sumOthers(part) {
  const sums = new Map();
  const points = pointsShown(part.host);
  const recorded = ([i]) => part.lines.some((line) => line.mean[i] !== null);
  const all = points.filter(recorded).reduce((seconds, p) => seconds + p[1], 0);

  for (const [i, seconds] of points) {
    const at = part.others[i];

    for (let k = 0; k < at.length; k += 2) {
      const sum = sums.get(at[k]) || { part, other: at[k], amount: 0, seconds: all, max: 0, peak: 0 };

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

function figureTexts(chart, row) {
  const sum = row.sum;
  const least = row.guest ? "\u2265\u00a0" : "";

  if (!sum) return ["", "", "", ""];
  return [
    least + figure(sum.amount / sum.seconds, chart.unit, 4),
    sum.min === undefined ? "" : figure(sum.min, chart.unit, 4),
    least + figure(sum.max, chart.unit, 4),
    sum.max > sum.min || sum.min === undefined ? timeText(row.part.host.x[sum.peak]) : "",
  ];
}

function setFigures(row, texts) {
  row.figures.forEach((cell, i) => {
    cell.textContent = texts[i];
  });
}

/* A row for one of those without a line, with the identity that the page has of it. */
function makeGuestRow(chart, guest, sum) {
  const row = document.createElement("tr");
  const th = document.createElement("th");
  const swatch = document.createElement("span");

  th.scope = "row";
  swatch.className = "swatch";
  th.append(swatch, ...sum.part.names[sum.other].cloneNode(true).childNodes);
  row.className = "ranked";
  row.append(th);
  for (let i = 0; i < 4; i++) row.insertCell().className = i < 3 ? "n" : "";
  return Object.assign(equipRow(row, sum.part, (on) => chart.u.setSeries(guest.at, { show: on })),
    { guest: true, sum, at: guest.at, columns: 1 });
}

function dropGuests(chart) {
  for (const guest of chart.guests) {
    if (!guest.row) continue;
    guest.row.row.remove();
    guest.row = undefined;
    chart.data[guest.at] = new Array(chart.x.length).fill(null);
  }
}

/* The largest of those without a line that are among the largest of all. */
function chooseGuests(chart) {
  const rows = chart.rows.filter((r) => r.ranked && isOffered(chart, r));
  const most = isOverlaid(chart) ? LINES_OVERLAID : rows.length;
  const rivals = rows.filter((r) => r.sum).map((r) => r.sum);
  const others = partsShown(chart).filter((part) => part.others).flatMap(sumOthers);
  const all = rivals.concat(others).sort((a, b) => b.amount - a.amount);

  return all.slice(0, most).filter((sum) => sum.other !== undefined).slice(0, chart.guests.length);
}

/* A guest's value where it is among the largest. */
function valuesOfGuest(chart, sum) {
  return align(chart, sum.part, sum.part.others.map((at) => {
    for (let i = 0; i < at.length; i += 2) if (at[i] === sum.other) return at[i + 1];
    return null;
  }));
}

function showGuests(chart, chosen) {
  chosen.forEach((sum, k) => {
    const guest = chart.guests[k];

    guest.row = makeGuestRow(chart, guest, sum);
    equipRowPicking(chart, guest.row);
    guest.colour = colourFor(chart);
    setColour(chart, guest.row, guest.colour);
    setFigures(guest.row, figureTexts(chart, guest.row));
    chart.data[guest.at] = valuesOfGuest(chart, sum);
  });
}

/* For ranking: what is least matters most in some charts. */
function amountOf(chart, row) {
  if (!row.sum) return -Infinity;
  if (isOverlaid(chart) || chart.least) {
    const mean = row.sum.amount / row.sum.seconds;

    return chart.least ? -mean : mean;
  }
  return row.sum.amount;
}

/*
 * Unless the user sorts them: in order of what they did in the time shown; totals stay, but where
 * hosts are compared.
 */
function orderRows(chart) {
  const guests = chart.guests.filter((g) => g.row).map((g) => g.row);
  const isRanked = (r) => r.ranked || isOverlaid(chart);
  const ranked = chart.rows.filter(isRanked).concat(guests);
  const first = chart.rows.findIndex(isRanked);

  if (chart.part && chart.form !== "heat") ranked.sort((a, b) => amountOf(chart, b) - amountOf(chart, a));
  const rows = [
    ...chart.rows.filter((r, i) => !isRanked(r) && i < first),
    ...ranked,
    ...chart.rows.filter((r, i) => !isRanked(r) && i >= first),
  ];

  chart.body.append(...(chart.sort ? sorted(rows, chart.sort) : rows).map((r) => r.row));
}

function noteFigures(chart) {
  const step = chart.parts[0].host.step;
  const points = step ? " of " + step + "\u00a0s" : "";
  const notes = [];

  if (chart.form === "heat") notes.push("The fuller the colour, the busier; Min and Max are of points" + points + ".");
  if (isOverlaid(chart))
    notes.push("Of all hosts those with the " + (chart.least ? "least" : "most") + " in the time shown are drawn.");
  if (!isAll() && chart.parts.some((p) => p.others))
    notes.push("Ranked again for the time shown, by points" + points + ". What stands with \u2265 has no curve of " +
      "its own: of it only those points count at which it is among the 8 largest of such, and its Max is the " +
      "greatest mean of a point.");
  chart.note.hidden = !notes.length;
  chart.note.textContent = notes.join(" ");
}

/* Tables are of the time shown; 'drawn': the chart is drawing it now. */
function figureShown(chart, drawn) {
  const guests = chart.guests.some((g) => g.row);
  const part = !isAll() || isOverlaid(chart);

  if (!part && !chart.part && !chart.sort) return;
  chart.part = part;
  dropGuests(chart);
  sumRows(chart);
  for (const row of chart.rows) setFigures(row, isAll() ? row.full : figureTexts(chart, row));
  if (!isAll()) showGuests(chart, chooseGuests(chart));
  orderRows(chart);
  if (isOverlaid(chart)) switchLines(chart);
  if (guests || chart.guests.some((g) => g.row)) drawGuests(chart, drawn);
  noteFigures(chart);
}

function drawGuests(chart, drawn) {
  chart.u.setData(chart.data, false);
  for (const guest of chart.guests)
    if (chart.u.series[guest.at].show !== Boolean(guest.row))
      chart.u.setSeries(guest.at, { show: Boolean(guest.row) });
  if (drawn) chart.u.redraw(true, true);
}

/* Everything again, as another host is shown. */
function refresh() {
  for (const chart of charts) {
    const heat = chart.form === "heat" && isOverlaid(chart);

    chart.section.hidden = heat || !partsShown(chart).length;
    if (chart.section.hidden) continue;
    figureShown(chart);
    if (!isOverlaid(chart)) switchLines(chart);
    noteFigures(chart);
    chart.u.setSize(size(chart));
    chart.u.redraw(true, true);
  }
  search();
  noteAddress();
}

/* ---- the zoom in the page's address --------------------------------------- */

function addressTime(t) {
  return new Date(Math.round(t * 1000)).toISOString().replace(".000Z", "Z");
}

/* The host that is chosen; where several have its name, also which of them it is, from 1. */
function hostAddress() {
  const option = hostChoice.selectedOptions[0], same = hostsCalled(option.textContent);
  const parts = ["host=" + encodeURIComponent(option.textContent)];

  if (same.length > 1) parts.push("host-number=" + (same.indexOf(option) + 1));
  return parts;
}

let noting = 0, followed = "";

/* For a link to what is shown now; browsers refuse to be asked often. */
function noteAddress() {
  clearTimeout(noting);
  noting = setTimeout(() => {
    if (location.hash !== followed) return; /* another one was asked for just now */

    const parts = isAll() ? [] : ["from=" + addressTime(shown.min), "to=" + addressTime(shown.max)];

    if (only !== undefined) parts.push(...hostAddress());
    if (parts.length) history.replaceState(null, "", "#" + parts.join("&"));
    else if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    followed = location.hash;
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

/* What a link asks for: a host, and a time. */
function followAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));

  followed = location.hash;
  if (hostChoice) chooseHost(asked.get("host"), Number(asked.get("host-number") || 1));
  show(wantedByAddress() || everything);
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
