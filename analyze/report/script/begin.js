/* The charts of a report: drawn by uPlot from the numbers in the page. */

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const status = document.getElementById("status");
const hostChoice = document.getElementById("host");
const everything = { min: data.from, max: data.to };

/*
 * Each is a frame of the page, of one content.  Its parts are of one host each, with lines of
 * their own; its columns of numbers (data, as uPlot has them) are of all times of its parts (x).
 */
const charts = [];

/* Kinds of marks, by number, most important first: classes of the page. */
const MARKS = ["damaged", "missing", "off", "step", "note"];
const COLOURS = 10;
const MOST_COLOURS = 2 * COLOURS;
const GUESTS = 8;
