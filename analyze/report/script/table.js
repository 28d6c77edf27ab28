/* ---- a chart's table ------------------------------------------------------- */

/* A column for the cursor, and a box to switch each line off. */
function equip(chart, section) {
  const head = section.querySelector(".lines thead tr");

  chart.when = document.createElement("th");
  chart.when.scope = "col";
  chart.when.className = "cursor";
  chart.when.textContent = "At cursor";
  head.cells[0].after(chart.when);
  chart.body = section.querySelector(".lines tbody");
  chart.rows = Array.from(chart.body.rows, (row, number) => {
    const line = chart.lines[number];

    return Object.assign(equipRow(row, chart.parts[row.dataset.part || 0], (on) => toggle(chart, line, on)),
      { line });
  });
  chart.rows.forEach((row, number) => (chart.lines[number].row = row));
  chart.note = section.appendChild(document.createElement("p"));
  chart.note.className = "quiet";
  chart.note.hidden = true;
  for (const list of section.querySelectorAll(".others")) chart.parts[list.dataset.part].names = list.children;
  if (chart.rows.length > 1 || chart.parts.some((p) => p.others)) equipPicking(chart, section, head);
}

/* A row with a box before its name, and a cell for the cursor. */
function equipRow(row, part, toggled) {
  const th = row.querySelector("th");
  const label = document.createElement("label");
  const box = document.createElement("input");
  const cursor = row.insertCell(1);
  const is = (name) => row.classList.contains(name);

  box.type = "checkbox";
  box.checked = true;
  label.append(box, ...th.childNodes);
  th.append(label);
  cursor.className = "cursor";
  const made = {
    row,
    part,
    box,
    cursor,
    toggled,
    swatch: row.querySelector(".swatch"),
    colour: 0,
    text: th.textContent.toLowerCase(),
    name: row.querySelector(".label").textContent,
    ranked: is("ranked"),
    zero: is("zero"),
    lead: is("lead"),
    stacked: is("stacked"),
    ended: row.dataset.ended === undefined ? undefined : Number(row.dataset.ended),
    figures: Array.from(row.cells).slice(2),
    full: Array.from(row.cells, (cell) => cell.textContent).slice(2),
  };

  box.addEventListener("change", () => {
    made.byHand = true;
    toggled(box.checked);
  });
  return made;
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

function setRowByHand(row, on) {
  row.byHand = true;
  setRow(row, on);
}

/* Of those that the search left. */
function setFound(chart, on) {
  for (const row of rowsOffered(chart)) if (!row.row.hidden || on) setRowByHand(row, on);
}

/* This line alone; all of them, if it already was. */
function isolate(chart, row) {
  const rows = rowsOffered(chart);
  const alone = rows.every((r) => r.box.checked === (r === row));

  for (const r of rows) setRowByHand(r, alone || r === row);
}

/* Lines of zeros, and those behind the first ones where there are many. */
function foldRows(chart) {
  const rows = rowsOffered(chart);
  const folded = rows.filter((r) => r.zero || r.beyond);
  const all = folded.every((r) => r.zero) && folded.length === rows.length;

  for (const row of rows) row.folded = !all && (row.zero || row.beyond);
  if (!chart.fold) return;
  const zeros = folded.every((r) => r.zero) ? " of zeros" : "";

  chart.fold.hidden = all || !folded.length;
  chart.fold.textContent = folded.length + (zeros ? "" : " more") + (folded.length === 1 ? " line" : " lines") + zeros;
}

function isFolded(chart, row) {
  return row.folded && chart.fold && chart.fold.getAttribute("aria-expanded") === "false";
}

function equipFolding(chart) {
  chart.fold = makeButton("", "", () => {
    const open = chart.fold.getAttribute("aria-expanded") === "false";

    chart.fold.setAttribute("aria-expanded", String(open));
    search();
  });
  chart.fold.setAttribute("aria-expanded", "false");
  chart.fold.hidden = true;
  chart.pick.append(chart.fold);
}

/* An instance that was not there in the time shown. */
function isGone(row) {
  return row.ranked && !isAll() && !row.sum;
}

/* Words in any order, in what stands in the row: name, command, user. */
function search() {
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/);

  for (const chart of charts)
    for (const r of rowsOf(chart))
      r.row.hidden = !isOffered(chart, r) || isGone(r) || !(chart.pick ? words : []).every((w) => r.text.includes(w)) ||
        (isFolded(chart, r) && !words[0]);
}

const SORTS = [
  (r) => r.name,
  undefined, /* at the cursor */
  (r) => r.sum && r.sum.amount / r.sum.seconds,
  (r) => r.sum && r.sum.min,
  (r) => r.sum && r.sum.max,
  (r) => r.sum && r.part.host.x[r.sum.peak],
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
  if (!chart.part) sumRows(chart);
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
    makeButton("All", "All curves of " + chart.title, () => setFound(chart, true)),
    makeButton("None", "None of the curves of " + chart.title, () => setFound(chart, false)));
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

/* Switch a curve on or off, as an area where these are on top of each other. */
function toggle(chart, line, on) {
  if (isStacked(chart) && line.area !== undefined) restack(chart);
  else setColumns(chart, line, on);
}

/* Shades of many hosts would hide their curves. */
function setColumns(chart, line, on) {
  const shade = !isOverlaid(chart) || chart.parts.length <= FEW_HOSTS;

  for (let i = 0; i < line.row.columns; i++) {
    const show = on && (shade || !i);

    if (chart.u.series[line.at + i].show !== show) chart.u.setSeries(line.at + i, { show });
  }
}

function restack(chart) {
  const stacked = isStacked(chart);

  if (stacked) stack(chart);
  for (const line of chart.lines) {
    if (line.area === undefined) continue;
    const on = stacked && isOffered(chart, line.row) && line.row.box.checked;

    if (stacked) setColumns(chart, line, false);
    chart.u.setSeries(line.area, { show: on });
  }
  chart.u.setData(chart.data, false);
  chart.u.redraw(true, true);
}

/* Switch on what is worth seeing of what is offered, but for what the user switched. */
function switchLines(chart) {
  const rows = rowsOf(chart);
  const offered = rowsOffered(chart);
  const most = isOverlaid(chart) ? LINES_OVERLAID : Infinity;
  const stacked = isStacked(chart);
  const inTable = chart.form === "heat" ? LINES_OVERLAID : most;

  if (most < Infinity) offered.sort((a, b) => amountOf(chart, b) - amountOf(chart, a));
  offered.forEach((row, i) => {
    row.beyond = i >= inTable;
    row.worth = i < most && (!stacked || row.stacked || row.lead);
  });
  giveColours(chart, offered);
  foldRows(chart);
  for (const row of rows) {
    const on = isOffered(chart, row) && (row.byHand ? row.box.checked : row.worth);

    row.box.checked = row.byHand ? row.box.checked : on;
    if (row.guest) continue;
    setColumns(chart, row.line, on && !(stacked && row.stacked));
  }
  if (chart.form === "stack") restack(chart);
}
