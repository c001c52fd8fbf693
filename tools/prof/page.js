// SPDX-License-Identifier: MIT
// Draws a run: `run` is what wavetile prof --json writes, with a timeline for each kernel.
'use strict';

const run = JSON.parse(document.getElementById('run').textContent);

// These are colours that colour-blind readers can tell apart: Okabe and Ito's for units, Tol's muted scheme
// for causes.
const UNIT_COLOURS = {MFMA: '#e69f00', VALU: '#56b4e9', LDS: '#009e73', VMEM: '#cc79a7', scalar: '#f0e442', branch: '#d55e00', wait: '#a9b4c0'};
const CAUSE_COLOURS = {
  'busy': '#e69f00', 'issuing': '#56b4e9', 'MFMA dependency': '#ddcc77', 'VALU dependency': '#88ccee', 'LDS wait': '#44aa99',
  'LDS queue full': '#117733', 'VMEM wait': '#cc6677', 'TCP full': '#882255', 'barrier': '#332288', 'issue conflict': '#999933',
  'instruction fetch': '#aa4499', 's_nop and s_sleep': '#bbbbbb'
};
const PIPE_COLOURS = ['#e69f00', '#ffe0a3', '#b97a00', '#fff3d9'];
const DARK_FILLS = new Set(['#117733', '#882255', '#332288', '#aa4499']);

const byId = id => document.getElementById(id);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function element(name, attributes = {}, ...children) {
  const svg = ['line', 'circle', 'text', 'path', 'g'].includes(name);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function scaled(value, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  for (; Math.abs(value) >= 1000 && i < 5; ++i) value /= 1000;
  return `${Number(value.toPrecision(4))} ${prefixes[i]}${unit}`;
}

function duration(seconds) {
  if (seconds < 1e-3) return `${Number((seconds * 1e6).toPrecision(4))} µs`;
  return seconds < 1 ? `${Number((seconds * 1e3).toPrecision(4))} ms` : `${Number(seconds.toPrecision(4))} s`;
}

const percent = share => `${(100 * share).toFixed(1)}%`;

function tip(event, text) {
  const box = byId('tip');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)}px`;
}

function withTip(node, text) {
  node.addEventListener('mousemove', event => tip(event, text));
  node.addEventListener('mouseleave', event => tip(event, ''));
  return node;
}

// ---- all kernels

function showOverview() {
  const head = ['share', 'launches', 'time', 'matrix busy', 'HBM peak', 'limited by', 'kernel'];
  const rows = run.kernels.map((k, i) => {
    const cells = [
      percent(run.seconds ? k.time.seconds_of_all_launches / run.seconds : 0), k.launches.all, duration(k.time.seconds_of_all_launches),
      percent(k.matrix.busy), percent(k.memory.share_of_peak), k.limited_by[0].resource, `${k.title} (${k.target})`
    ];
    const row = element('tr', {}, ...cells.map((c, n) => element('td', n < 5 ? {class: 'number'} : {}, String(c))));
    row.addEventListener('click', () => show(i));
    return row;
  });
  byId('kernels').replaceChildren(
      element('thead', {}, element('tr', {}, ...head.map((h, n) => element('th', n < 5 ? {class: 'number'} : {}, h)))),
      element('tbody', {}, ...rows));
  byId('overview').hidden = run.kernels.length < 2;
}

// ---- one kernel in numbers

function card(value, label, share) {
  const node = element('div', {class: 'card'}, element('b', {}, value), element('span', {}, label));
  if (share !== undefined)
    node.append(element('div', {class: 'meter'}, element('i', {style: `width:${Math.min(100, 100 * share).toFixed(1)}%`})));
  return node;
}

function showCards(k) {
  const cards = [card(duration(k.time.seconds), `${Math.round(k.time.cycles).toLocaleString('en')} cycles at ${Math.round(k.time.clock_mhz)} MHz`)];
  if (k.matrix.flops > 0) {
    cards.push(card(scaled(k.matrix.flops_per_second, 'FLOP/s'), `${percent(k.matrix.share_of_peak)} of the matrix peak`, k.matrix.share_of_peak));
    if (k.matrix.busy_in_loop > 0)
      cards.push(card(percent(k.matrix.busy_in_loop), `matrix pipes busy in the loop (launch ${percent(k.matrix.busy)})`, k.matrix.busy_in_loop));
  } else {
    cards.push(card(scaled(k.vector.flops_per_second, 'FLOP/s'), `${percent(k.vector.share_of_peak)} of the f32 vector peak`, k.vector.share_of_peak));
  }
  const level = nearestLevel(k);
  cards.push(card(scaled(level.bytes_per_second, 'B/s'), `from and to ${level.level}, ${percent(level.share_of_most)} of what it passes on at most`, level.share_of_most));
  const hits = ['tcp', 'l2', 'llc'].map(c => (100 * k.caches[c].hit_rate).toFixed(0)).join(' · ');
  cards.push(card(`${hits}%`, 'hits in L1 (TCP) · L2 · LLC'));
  const o = k.occupancy;
  cards.push(card(`${Number(o.waves_per_simd.toFixed(1))} of ${o.most_waves_per_simd}`,
      `waves per SIMD, limited by ${o.limited_by}; ${o.vgprs} VGPRs, ${(o.lds_bytes / 1024).toFixed(1)} KiB LDS`, o.waves_per_simd / o.most_waves_per_simd));
  byId('cards').replaceChildren(...cards);
}

function showAdvice(k) {
  byId('advice').replaceChildren(...k.limited_by.map((a, i) => element('div', {class: i ? 'limit second' : 'limit'},
      element('b', {}, `${i ? 'And by' : 'Limited by'} ${a.resource}: `), `${a.sentence}. `, element('span', {}, a.suggestion))));
}

// ---- roofline

// The colours are Okabe and Ito's, darker where text of the page lies on paper.
const LEVEL_COLOURS = {'L1 (TCP)': '#009e73', L2: '#0072b2', LLC: '#cc79a7', HBM: '#d55e00'};
const PIPE_ROOFS = {matrix: 'matrix', 'f32 vector': 'vector'};

function nearestLevel(k) { return k.memory_levels.reduce((a, b) => (b.share_of_most > a.share_of_most ? b : a)); }

function showLevels(k) {
  const head = ['', 'read', 'written', 'rate', 'at most', 'used', 'FLOP/byte'];
  const rows = k.memory_levels.map(l => element('tr', {}, element('td', {}, element('i', {style: `background:${LEVEL_COLOURS[l.level]}`}), l.level),
      ...[scaled(l.bytes_read, 'B'), scaled(l.bytes_written, 'B'), scaled(l.bytes_per_second, 'B/s'), scaled(l.most_bytes_per_second, 'B/s'),
        percent(l.share_of_most), l.flops_per_byte ? String(Number(l.flops_per_byte.toPrecision(4))) : '-'].map(c => element('td', {class: 'number'}, c))));
  byId('levels').replaceChildren(element('thead', {}, element('tr', {}, ...head.map((h, n) => element('th', n ? {class: 'number'} : {}, h)))),
      element('tbody', {}, ...rows));
  const [first, second] = k.roofline.roofs;
  byId('bound').textContent = `The nearest roof is ${first.roof}, at ${percent(first.share)}; then ${second.roof}, at ${percent(second.share)}.`;
}

// Points far to the right of a level's ridge, where a repeated launch leaves HBM, stand at the edge with an arrow.
const FAR = 100;

function rooflinePoints(chosen) {
  return run.kernels.flatMap((k, i) => (i === chosen ? k.memory_levels : [nearestLevel(k)]).map(l => ({
    mine: i === chosen, level: l.level, intensity: l.flops_per_byte, rate: k.roofline.flops_per_second, used: l.share_of_most, title: k.title
  }))).filter(p => p.intensity > 0 && p.rate > 0);
}

function showRoofline(chosen) {
  const k = run.kernels[chosen], svg = byId('roofline'), levels = k.memory_levels;
  const left = 62, right = 548, top = 14, bottom = 298;
  const peak = Math.max(k.matrix.peak_flops_per_second, k.vector.peak_flops_per_second);
  const ridge = l => peak / l.most_bytes_per_second, ridges = levels.map(ridge), farthest = FAR * Math.max(...ridges);
  const points = rooflinePoints(chosen), near = points.filter(p => p.intensity <= farthest);
  const xs = [Math.min(...ridges) / 30, Math.max(...ridges) * 10, ...near.map(p => p.intensity)], ys = [peak / 1e4, peak * 1.6, ...points.map(p => p.rate)];
  const x0 = Math.floor(Math.log10(Math.min(...xs))), x1 = Math.ceil(Math.log10(Math.max(...xs)));
  const y0 = Math.floor(Math.log10(Math.min(...ys))), y1 = Math.log10(Math.max(...ys));
  const x = v => left + (Math.log10(v) - x0) / (x1 - x0) * (right - left);
  const y = v => bottom - (Math.log10(v) - y0) / (y1 - y0) * (bottom - top);
  svg.replaceChildren();
  for (let e = x0; e <= x1; ++e)
    svg.append(element('line', {x1: x(10 ** e), x2: x(10 ** e), y1: top, y2: bottom, stroke: 'var(--rule)'}),
        element('text', {x: x(10 ** e), y: bottom + 16, 'text-anchor': 'middle', class: 'faint'}, e < 0 ? (10 ** e).toFixed(-e) : scaled(10 ** e, '')));
  for (let e = y0; e <= y1; ++e)
    svg.append(element('line', {x1: left, x2: right, y1: y(10 ** e), y2: y(10 ** e), stroke: 'var(--rule)'}),
        element('text', {x: left - 6, y: y(10 ** e) + 4, 'text-anchor': 'end', class: 'faint'}, scaled(10 ** e, '')));
  svg.append(element('text', {x: right, y: bottom + 34, 'text-anchor': 'end', class: 'faint'}, 'FLOP per byte of the level'),
      element('text', {x: left + 6, y: top + 10, class: 'faint'}, 'FLOP/s'));
  const bound = k.roofline.bound_by, width = name => (name === bound ? 3 : 1.4);
  const fastest = Math.max(...levels.map(l => l.most_bytes_per_second));
  for (const [name, group] of Object.entries(PIPE_ROOFS)) {
    const value = k[group].peak_flops_per_second;
    if (!value) continue;
    const from = Math.max(x0, Math.log10(value / fastest));
    svg.append(element('line', {class: 'roof', x1: x(10 ** from), x2: right, y1: y(value), y2: y(value), stroke: 'var(--ink)', 'stroke-width': width(name)}),
        element('text', {x: right - 4, y: y(value) - 5, 'text-anchor': 'end'}, `${name}: ${scaled(value, 'FLOP/s')}`));
  }
  for (const [n, l] of levels.entries()) {
    const most = l.most_bytes_per_second, begin = Math.max(10 ** x0, 10 ** y0 / most), end = ridge(l), colour = LEVEL_COLOURS[l.level];
    svg.append(element('line', {class: 'roof', x1: x(begin), y1: y(begin * most), x2: x(end), y2: y(peak), stroke: colour, 'stroke-width': width(l.level)}));
    // The names stand apart along the slopes, which lie close together; the table below has the numbers.
    const share = 0.12 + 0.24 * n, at = begin ** (1 - share) * end ** share;
    const angle = Math.atan2(y(peak) - y(begin * most), x(end) - x(begin)) * 180 / Math.PI;
    svg.append(element('text', {x: x(at), y: y(at * most) - 3, 'text-anchor': 'middle', style: `fill:${colour}`,
        transform: `rotate(${angle.toFixed(1)} ${x(at).toFixed(1)} ${(y(at * most) - 3).toFixed(1)})`}, l.level));
  }
  for (const p of points) {
    const far = p.intensity > farthest, px = far ? right - 5 : x(p.intensity), colour = LEVEL_COLOURS[p.level];
    const style = {class: p.mine ? 'mine' : 'other', fill: p.mine ? colour : 'none', stroke: colour, 'stroke-width': 1.6};
    // Points of one intensity are rings around each other.
    const radius = p.mine ? 8 - 1.3 * Object.keys(LEVEL_COLOURS).indexOf(p.level) : 4;
    const mark = far ? element('path', {d: `M${px - 6} ${y(p.rate) - 5}L${px + 4} ${y(p.rate)}L${px - 6} ${y(p.rate) + 5}Z`, ...style}) :
                       element('circle', {cx: px, cy: y(p.rate), r: radius, ...style});
    svg.append(withTip(mark, `${p.title}\n${scaled(p.rate, 'FLOP/s')}, ${Number(p.intensity.toPrecision(3))} FLOP per byte of ${p.level}, ${
        percent(p.used)} of what it passes on at most`));
  }
  showLevels(k);
}

// ---- where time goes

const CAUSE_ORDER = Object.keys(CAUSE_COLOURS);

function bar(name, shares) {
  const node = element('div', {class: 'bar'});
  for (const cause of CAUSE_ORDER) {
    const share = shares[cause] || 0;
    if (share < 0.0005) continue;
    const colour = CAUSE_COLOURS[cause];
    const part = element('i', {style: `width:${100 * share}%;background:${colour};color:${DARK_FILLS.has(colour) ? '#fff' : '#1f2328'}`},
        share > 0.045 ? (100 * share).toFixed(share > 0.08 ? 1 : 0) : '');
    node.append(withTip(part, `${cause}: ${percent(share)}`));
  }
  return [element('div', {class: 'bar_name'}, name), node];
}

function showBars(k) {
  const rows = [["the waves' time in the launch", k.waves_time.launch], ["the waves' time in the loop", k.waves_time.loop],
    ["the matrix pipes' time in the loop", k.waves_time.matrix_pipe_in_loop]].filter(row => row[1]);
  byId('bars').replaceChildren(...rows.flatMap(row => bar(...row)));
  const seen = CAUSE_ORDER.filter(cause => rows.some(row => (row[1][cause] || 0) >= 0.0005));
  byId('causes').replaceChildren(...seen.map(cause => element('span', {}, element('i', {style: `background:${CAUSE_COLOURS[cause]}`}),
      cause === 'busy' ? 'busy (matrix pipe)' : cause)));
}

// ---- listings

const BAR = 150;  // pixels of the most cycles of a row

// Returns a row's cycles as a bar: what was issued, then what was lost, by cause. lost: [cause, cycles], most
// first.
function costBar(cycles, lost, most) {
  const cost = element('div', {class: 'cost'});
  const add = (part, colour, what) =>
      cost.append(withTip(element('i', {style: `width:${BAR * part / most}px;background:${colour}`}), `${what}: ${part.toFixed(1)} cycles`));
  add(Math.max(0, cycles - lost.reduce((sum, l) => sum + l[1], 0)), CAUSE_COLOURS.issuing, 'issuing');
  for (const [cause, part] of lost) add(part, CAUSE_COLOURS[cause], cause);
  return cost;
}

const sortedLoss = lost => Object.entries(lost).filter(l => l[1] >= 0.05).sort((a, b) => b[1] - a[1]);
const why = lost => element('td', {class: 'why'}, lost.slice(0, 3).map(l => `${l[0]} ${l[1].toFixed(1)}`).join(', '));
const numberCell = text => element('td', {class: 'number'}, text);

function fillListing(id, head, rows) {
  byId(id).replaceChildren(element('thead', {}, element('tr', {}, ...head.map(([text, right]) => element('th', right ? {class: 'number'} : {}, text)))),
      element('tbody', {}, ...rows));
}

function showListing(k) {
  const loop = k.loop, most = Math.max(8, ...loop.instructions.map(i => i.cycles)), lines = loop.instructions.some(i => i.line);
  byId('listing_title').textContent = loop.is_loop ? 'Hot loop' : 'All instructions (no loop was found)';
  byId('listing_note').textContent = `${Number(loop.cycles_per_iteration.toFixed(1))} cycles of a wave ${loop.is_loop ? 'for an iteration' : 'in all'}` +
      (loop.pipe_busy_per_iteration > 0 ? `, in which its MFMAs take ${loop.pipe_busy_per_iteration.toFixed(0)} and leave the matrix pipe idle for ` +
      `${loop.pipe_idle_per_iteration.toFixed(1)}` : '') + '. Cycles: the instruction\'s own slot and what the wave lost before it, mean. Idle: of the matrix pipe before an MFMA.';
  const rows = loop.instructions.map(i => {
    const lost = sortedLoss(i.lost);
    return element('tr', {}, element('td', {}, `+0x${i.offset.toString(16).padStart(5, '0')}`),
        element('td', {}, element('span', {class: 'unit', style: `background:${UNIT_COLOURS[i.unit]}`}, i.unit)),
        numberCell(i.issued ? i.cycles.toFixed(1) : ''), element('td', {}, i.issued ? costBar(i.cycles, lost, most) : ''),
        numberCell(i.pipe_idle >= 0.05 ? i.pipe_idle.toFixed(1) : ''), ...(lines ? [numberCell(i.line ? String(i.line) : '')] : []),
        element('td', {}, i.text), why(lost));
  });
  fillListing('listing', [['offset'], ['unit'], ['cycles', true], [''], ['idle', true], ...(lines ? [['line', true]] : []), ['instruction'],
    ['lost to, cycles']], rows);
}

// ---- source lines

function sourceRow(number, text, line, most) {
  const lost = line ? sortedLoss(line.lost) : [];
  return element('tr', line ? {class: 'hot'} : {}, numberCell(String(number)), numberCell(line ? line.cycles.toFixed(1) : ''),
      numberCell(line ? percent(line.share) : ''), element('td', {}, line ? costBar(line.cycles, lost, most) : ''),
      numberCell(line && line.pipe_idle >= 0.05 ? line.pipe_idle.toFixed(1) : ''), element('td', {class: 'text'}, text), why(lost));
}

function showFile(file) {
  const most = Math.max(1, ...file.lines.map(l => l.cycles)), hot = new Map(file.lines.map(l => [l.line, l]));
  const text = file.text.length ? file.text : file.lines.map(l => [l.line, '']);
  const rows = [];
  let before = text.length ? text[0][0] - 1 : 0;
  for (const [number, words] of text) {
    if (number !== before + 1) rows.push(element('tr', {class: 'gap'}, element('td', {class: 'number'}, '...')));
    rows.push(sourceRow(number, words, hot.get(number), most));
    before = number;
  }
  fillListing('source', [['line', true], ['cycles', true], ['share', true], [''], ['idle', true], ['source'], ['lost to, cycles']], rows);
}

function showSource(k) {
  byId('source_section').hidden = !k.source;
  if (!k.source) return;
  const choice = byId('source_file');
  choice.replaceChildren(...k.source.files.map((f, n) => element('option', {value: n}, `${f.file} (${percent(f.share)} of the cycles)`)));
  choice.value = k.source.own;
  choice.onchange = () => showFile(k.source.files[choice.value]);
  showFile(k.source.files[k.source.own]);
}

// ---- the timeline: slices are [begin, end, op, lane, kind, cause, wave slot], lanes [simd, wave slot or -1 for the pipe]

const ISSUE = 0, STALL = 1, PIPE = 2, LANE = 22, GAP = 8, AXIS = 24, MARGIN = 74;
let view = null;

function hatch(context) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const c = tile.getContext('2d');
  c.strokeStyle = css('--hatch');
  c.beginPath();
  c.moveTo(-1, 7);
  c.lineTo(7, -1);
  c.stroke();
  return context.createPattern(tile, 'repeat');
}

function laneTop(line, n) { return AXIS + n * LANE + line.lanes[n][0] * GAP; }

// The pipe's slices tell the waves of a SIMD apart by their shade.
function pipeColour(line, s) {
  const waves = line.lanes.filter(l => l[0] === line.lanes[s[3]][0] && l[1] >= 0).map(l => l[1]);
  return PIPE_COLOURS[Math.max(0, waves.indexOf(s[6])) % PIPE_COLOURS.length];
}

function tickStep(cycles) {
  const rough = cycles / 10, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(f => f * power).find(step => step >= rough);
}

function drawTimeline() {
  const line = view.line, canvas = byId('timeline'), ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  const height = AXIS + line.lanes.length * LANE + 4 * GAP;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const c = canvas.getContext('2d'), x = t => MARGIN + (t - view.from) / (view.to - view.from) * (width - MARGIN);
  c.scale(ratio, ratio);
  c.fillStyle = css('--paper');
  c.fillRect(0, 0, width, height);
  c.font = '11px system-ui, "DejaVu Sans", sans-serif';
  c.textBaseline = 'middle';
  const step = tickStep(view.to - view.from);
  for (let t = Math.ceil(view.from / step) * step; t < view.to; t += step) {
    c.fillStyle = css('--rule');
    c.fillRect(x(t), AXIS - 6, 1, height);
    c.fillStyle = css('--faint');
    c.fillText(t.toLocaleString('en'), x(t) + 3, AXIS / 2);
  }
  const waiting = hatch(c);
  c.save();
  c.beginPath();
  c.rect(MARGIN, 0, width - MARGIN, height);
  c.clip();
  for (const s of line.slices) {
    if (s[1] <= view.from || s[0] >= view.to) continue;
    // Slices lie on whole pixels, with a gap between neighbours where it fits.
    const begin = Math.floor(x(s[0])), wide = Math.floor(x(s[1])) - begin, y = laneTop(line, s[3]) + 2, tall = LANE - 4;
    c.fillStyle = s[4] === STALL ? waiting : s[4] === PIPE ? pipeColour(line, s) : UNIT_COLOURS[line.ops[s[2]][1]];
    c.fillRect(begin, y, Math.max(wide - (wide > 3), 1), tall);
    if (s[4] !== STALL && wide > 46) {
      c.fillStyle = '#1f2328';
      const text = s[4] === PIPE ? `w ${s[6]}` : line.ops[s[2]][2].split(' ')[0];
      c.fillText(text.slice(0, Math.floor(wide / 6.2)), begin + 3, y + tall / 2 + 1);
    }
  }
  c.restore();
  c.fillStyle = css('--ink');
  line.lanes.forEach((lane, n) => {
    const y = laneTop(line, n) + LANE / 2;
    if (n === 0 || line.lanes[n - 1][0] !== lane[0]) c.fillText(`SIMD ${lane[0]}`, 8, y);
    c.fillText(lane[1] < 0 ? 'P' : `w ${lane[1]}`, 50, y);
  });
}

function sliceAt(event) {
  const box = byId('timeline').getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  const t = view.from + (px - MARGIN) / (box.width - MARGIN) * (view.to - view.from);
  return view.line.slices.find(s => s[0] <= t && t < s[1] && py >= laneTop(view.line, s[3]) && py < laneTop(view.line, s[3]) + LANE);
}

function describe(s) {
  const op = view.line.ops[s[2]], when = `cycles ${s[0].toLocaleString('en')} to ${s[1].toLocaleString('en')} (${s[1] - s[0]})`;
  if (s[4] === STALL) return `waits: ${view.line.causes[s[5]]}\n${when}\nafter ${op[2]}`;
  return `${op[2]}\n+0x${op[0].toString(16)} ${s[4] === PIPE ? 'in the matrix pipe' : op[1]}\n${when}`;
}

function move(from, to) {
  const line = view.line, all = line.to - line.from, wide = Math.min(all, Math.max(24, to - from));
  view.from = Math.min(Math.max(line.from, from), line.to - wide);
  view.to = view.from + wide;
  drawTimeline();
}

function zoom(factor, at) {
  const wide = (view.to - view.from) * factor;
  move(at - (at - view.from) * factor, at - (at - view.from) * factor + wide);
}

function showTimeline(k) {
  const section = byId('timeline').parentElement;
  section.hidden = !k.timeline;
  if (!k.timeline) return;
  view = {line: k.timeline, from: k.timeline.from, to: k.timeline.to};
  const seen = Object.keys(UNIT_COLOURS).filter(u => k.timeline.ops.some(op => op[1] === u));
  byId('units').replaceChildren(...seen.map(u => element('span', {}, element('i', {style: `background:${UNIT_COLOURS[u]}`}), u)));
  // An iteration of the loop is what one wants to see first.
  const iteration = k.loop.is_loop ? k.loop.cycles_per_iteration : 800;
  move(view.from, view.from + Math.min(1200, 1.1 * iteration));
}

function listen() {
  const canvas = byId('timeline');
  const cycles = dx => dx / (canvas.clientWidth - MARGIN) * (view.to - view.from);
  let held = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + cycles(Math.max(0, event.offsetX - MARGIN)));
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    held = {x: event.clientX, from: view.from, to: view.to};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', () => held = null);
  canvas.addEventListener('pointermove', event => {
    if (held) return move(held.from - cycles(event.clientX - held.x), held.to - cycles(event.clientX - held.x));
    const slice = sliceAt(event);
    tip(event, slice ? describe(slice) : '');
  });
  canvas.addEventListener('pointerleave', event => tip(event, ''));
  canvas.addEventListener('keydown', event => {
    const wide = view.to - view.from, keys = {ArrowLeft: -0.2, ArrowRight: 0.2};
    if (event.key in keys) move(view.from + keys[event.key] * wide, view.to + keys[event.key] * wide);
  });
  const middle = () => (view.from + view.to) / 2;
  byId('zoom_in').onclick = () => zoom(0.5, middle());
  byId('zoom_out').onclick = () => zoom(2, middle());
  byId('zoom_all').onclick = () => move(view.line.from, view.line.to);
  addEventListener('resize', () => view && drawTimeline());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(chosen));
}

let chosen = 0;
function show(i) {
  const k = run.kernels[chosen = i], size = v => v.filter((n, d) => n > 1 || d === 0).join(' × ');
  [...byId('kernels').querySelectorAll('tbody tr')].forEach((row, n) => row.className = n === i ? 'chosen' : '');
  byId('title').textContent = k.title;
  const l = k.launches;
  byId('work').textContent = `${k.chip}, ${k.target} · ${size(k.grid)} work-groups of ${size(k.block)} · ${l.all} launch${l.all === 1 ? '' : 'es'}: ` +
      `${l.timed} timed in detail${l.equal ? `, ${l.equal} taken as equal` : ''}${l.alike ? `, ${l.alike} as alike` : ''}`;
  showCards(k);
  showAdvice(k);
  showRoofline(i);
  showBars(k);
  showTimeline(k);
  showSource(k);
  showListing(k);
}

byId('program').textContent = run.program.join(' ');
showOverview();
listen();
show(0);
document.body.dataset.ready = String(run.kernels.length);
