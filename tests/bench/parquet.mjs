// parquet.mjs LONG.csv FOLDER: every cell of export --parquet equals that of export --layout long,
// by four readers: DuckDB, hyparquet, arrow-rs, polars.  Needs, in a folder of its own with this file:
//   npm install @duckdb/node-api hyparquet hyparquet-compressors parquet-wasm apache-arrow nodejs-polars nodejs-polars-linux-x64-gnu
// and by a fifth, ClickHouse, where CHDB names a folder with chdb of npm (566 MB).
// LONG.csv is of: perflog export --layout long --no-guard --time iso LOG; names of counters that the folder
// had to change (a second "time") are reported as different.
import fs from 'fs'; import path from 'path'; import { createRequire } from 'module';
const require = createRequire(import.meta.url);
const [, , long, folder] = process.argv;
function* csv(text) { let row = [], cell = '', q = false;
  for (let i = 0; i < text.length; i++) { const c = text[i];
    if (q) { if (c === '"') { if (text[i + 1] === '"') { cell += c; i++; } else q = false; } else cell += c; }
    else if (c === '"') q = true; else if (c === ',') { row.push(cell); cell = ''; }
    else if (c === '\n') { row.push(cell.replace(/\r$/, '')); yield row; row = []; cell = ''; } else cell += c; } }
function expected() { const m = new Map(); let first = true;
  for (const r of csv(fs.readFileSync(long, 'utf8'))) { if (first) { first = false; continue; }
    const [t, h, o, i, c, v, s] = r; if (v === '' && s === '') continue;
    const k = [Date.parse(t + 'Z'), h, o, i, c].join('\x01'); if (m.has(k)) throw `twice in long: ${k}`; m.set(k, [v, s]); } return m; }
const files = fs.readdirSync(folder, { recursive: true }).filter(f => f.endsWith('.parquet') && !f.includes('_events')).map(f => path.join(folder, f));
const objectOf = f => decodeURIComponent(/object=([^/]*)/.exec(f)[1]);
const fixed = new Set(['Time', 'Host', 'Instance', 'Status', 'Command Line', 'Executable', 'User', 'Control Group', 'Parent']);
const split = (s, sep) => { const out = []; let part = ''; for (let i = 0; i < s.length; i++) { if (s[i] === '\\') { part += s[i] + s[++i]; } else if (s.startsWith(sep, i)) { out.push(part); part = ''; i += sep.length - 1; } else part += s[i]; } out.push(part); return out; };
const plain = s => s.replace(/\\(.)/g, '$1');
function reasons(status, nulls) { const m = new Map(); if (status == null) return m;
  if (split(status, ': ').length === 1) { for (const c of nulls) m.set(c, status); return m; }
  for (const part of split(status, '; ')) { const [why, names] = split(part, ': '); for (const n of split(names, ' | ')) m.set(plain(n), why); } return m; }
const num = v => typeof v === 'bigint' ? v.toString() : v;
function compare(name, want, tables) { let cells = 0, rows = 0, bad = 0; const seen = new Set();
  const say = x => { if (bad++ < 5) console.log(name, x); };
  for (const [object, names, cols, n] of tables) { const at = Object.fromEntries(names.map((x, i) => [x, i])); const counters = names.filter(x => !fixed.has(x));
    for (let r = 0; r < n; r++) { rows++; const get = c => { const v = cols[at[c]][r]; return v === undefined ? null : v; };
      const head = [Number(get('Time')), get('Host'), object, get('Instance') ?? ''].join('\x01');
      const nulls = counters.filter(c => get(c) === null); const why = reasons(get('Status'), nulls);
      for (const c of counters) { const v = get(c), s = why.get(c) ?? ''; if (v === null && s === '') continue; const k = head + '\x01' + c; const w = want.get(k);
        if (seen.has(k)) { say(`twice ${k}`); continue; } seen.add(k); cells++;
        if (!w) { say(`not in long: ${k} = ${v} ${s}`); continue; }
        const same = v === null ? w[0] === '' : typeof v === 'bigint' ? BigInt(w[0]) === v : typeof v === 'number' ? Number(w[0]) === v : w[0] === v;
        if (!same || s !== w[1]) say(`${k}: ${v} ${s}, long ${w}`); } } }
  if (seen.size !== want.size) { bad++; for (const k of want.keys()) if (!seen.has(k)) { console.log(name, 'missing', k, want.get(k)); break; } }
  console.log(`${name}: ${rows} rows, ${cells} cells, ${want.size} in long, ${bad} differ`); return bad; }
async function hyparquet() { const { parquetReadObjects, asyncBufferFromFile } = await import('hyparquet'); const { compressors } = await import('hyparquet-compressors'); const out = [];
  for (const f of files) { const file = await asyncBufferFromFile(f); const rows = await parquetReadObjects({ file, compressors, utf8: false }); const names = Object.keys(rows[0]); out.push([objectOf(f), names, names.map(c => rows.map(r => c === 'Time' ? r[c].getTime() : r[c])), rows.length]); } return out; }
async function arrowrs() { const w = require('parquet-wasm'); const arrow = require('apache-arrow'); const out = [];
  for (const f of files) { const t = arrow.tableFromIPC(w.readParquet(new Uint8Array(fs.readFileSync(f))).intoIPCStream()); const names = t.schema.fields.map(x => x.name); out.push([objectOf(f), names, names.map(c => { const col = t.getChild(c); const a = []; for (let i = 0; i < t.numRows; i++) a.push(col.get(i)); return a; }), t.numRows]); } return out; }
async function duckdb() { const { DuckDBInstance } = await import('@duckdb/node-api'); const c = await (await DuckDBInstance.create(':memory:')).connect(); const out = [];
  for (const f of files) { const r = await c.runAndReadAll(`select * from read_parquet('${f.replaceAll("'", "''")}', hive_partitioning=false)`); const names = r.columnNames(); const cols = r.getColumns(); cols[names.indexOf('Time')] = cols[names.indexOf('Time')].map(t => Number(t.micros) / 1000); out.push([objectOf(f), names, cols, r.currentRowCount]); } return out; }
async function polars() { const pl = require('nodejs-polars'); const out = [];
  for (const f of files) { const t = pl.readParquet(f); const names = t.columns; const exact = names.map(c => { const s = t.getColumn(c); if (c === 'Time') return s.cast(pl.Int64).toArray().map(x => Number(x) / 1000); if (String(s.dtype).includes('UInt64')) return s.cast(pl.Utf8).toArray().map(x => x == null ? null : BigInt(x)); return s.toArray(); }); out.push([objectOf(f), names, exact, t.height]); } return out; }
async function clickhouse() { const { query } = createRequire(path.resolve(process.env.CHDB, 'x.js'))('chdb'); const out = [];
  const read = { 'Float64': x => x, 'UInt64': BigInt, 'Int64': BigInt, 'UInt32': x => x, 'Int32': x => x, 'String': x => x };
  for (const f of files) { const text = query(`select * replace (toUnixTimestamp64Milli(Time) as Time) from file('${f.replaceAll("'", "\\'")}', Parquet) settings output_format_json_quote_64bit_integers=1, use_hive_partitioning=0`, 'JSONCompactEachRowWithNamesAndTypes');
    const [names, types, ...rows] = text.trim().split('\n').map(x => JSON.parse(x));
    const plainType = t => /^(?:LowCardinality\()?(?:Nullable\()?(\w+)\)*$/.exec(t)[1];
    out.push([objectOf(f), names, names.map((n, i) => { const as = read[plainType(types[i])]; if (!as) throw `type ${types[i]} of ${n}`; return rows.map(r => r[i] === null ? null : as(r[i])); }), rows.length]); } return out; }
const readers = [duckdb, hyparquet, arrowrs, polars, ...process.env.CHDB ? [clickhouse] : []];
const want = expected(); let bad = 0;
for (const r of readers) { try { bad += compare(r.name, want, await r()); } catch (e) { console.log(r.name, 'failed:', String(e).slice(0, 300)); bad++; } }
process.exit(bad ? 1 : 0);
