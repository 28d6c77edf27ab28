/* ---- figures and times --------------------------------------------------- */

function rounded(v, digits) {
  return String(Number(v.toPrecision(digits)));
}

/* Powers of 1000, as in the tables. */
function figure(v, unit, digits) {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let power = 0;

  if (v === null || v === undefined) return "";
  if (unit === "s" && v > 0 && v < 1)
    return v >= 1e-3 ? rounded(v * 1e3, digits) + "\u00a0ms" : rounded(v * 1e6, digits) + "\u00a0\u00b5s";
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
