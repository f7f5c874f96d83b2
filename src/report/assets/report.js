"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const page = document.getElementById("page");

/* --- small parts --------------------------------------------------------------------------------- */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child != null) element.append(child);
  return element;
}
const whole = n => Math.round(n).toLocaleString("en-US");
const ratio = (a, b, digits = 2) => (b ? (a / b).toFixed(digits) : "–");
const base = path => path.slice(path.lastIndexOf("/") + 1);
const bytes = n => {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (unit < 3 && n >= 1024 && (n % 1024 === 0 || n >= 16384)) n /= 1024, unit++;
  return (n % 1 ? n.toFixed(1) : whole(n)) + " " + units[unit];
};
const times = list => (list || []).join(" × ");
const sum = (counters, part) => Object.keys(counters).reduce((s, name) => (name.includes(part) ? s + counters[name] : s), 0);
function costs(counters) {
  return {
    instructions: counters["smsp__inst_executed.sum"] || 0, lanes: counters["smsp__thread_inst_executed.sum"] || 0,
    requests: sum(counters, "l1tex__t_requests_"), sectors: sum(counters, "l1tex__t_sectors_"), used: sum(counters, "wg__bytes_used_"),
    wavefronts: sum(counters, "_wavefronts_mem_shared_"), ideal: sum(counters, "wg__wavefronts_ideal_"),
    divergent: counters["smsp__sass_branch_targets_threads_divergent.sum"] || 0,
  };
}
const poor = c => (c.used && c.sectors > 1.5 * Math.max(c.used / 32, c.requests)) || c.wavefronts > c.ideal || c.divergent > 0;
const numbers = (...cells) => cells.map(text => h("td", {class: "num"}, text));
const heads = (...cells) => cells.map(text => h("th", {class: "num"}, text));

/* --- theme ---------------------------------------------------------------------------------------- */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  for (const redraw of onTheme) redraw();
}
const onTheme = [], onShown = [];
const wanted = new URLSearchParams(location.hash.slice(1));
document.documentElement.dataset.theme = wanted.get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/* --- values of registers ----------------------------------------------------------------------------- */
const view = new DataView(new ArrayBuffer(8));
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : (fraction / 1024) * 2 ** -14);
}
function single(bits) {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}
const short = value => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value));
function show(type, low, high) {
  switch (type) {
    case "f32": return short(single(low));
    case "f64": view.setUint32(0, high), view.setUint32(4, low); return short(view.getFloat64(0));
    case "f16x2": return short(half(low & 0xffff)) + "|" + short(half(low >>> 16));
    case "bf16x2": return short(single((low << 16) >>> 0)) + "|" + short(single((low & 0xffff0000) >>> 0));
    case "s32": return String(low | 0);
    default: return low > 0xffff ? "0x" + low.toString(16) : String(low);
  }
}
const wide = type => type === "f64" || type === "u64";
/* [{name, lanes: [text or null]}] of a list of registers. */
function columns(names, type, values, lanes) {
  const out = [], step = wide(type) && values.length % 2 === 0 ? 2 : 1;
  for (let v = 0; v < values.length; v += step) {
    const at = (list, l) => (Array.isArray(list) ? list[l] : list);
    const texts = [], low64 = l => (at(values[v], l) == null ? Infinity : at(values[v + 1], l) * 4294967296 + at(values[v], l));
    if (type === "u64" && step === 2) { /* addresses: the least, and how far each lane is from it */
      const all = Array.from({length: lanes}, (_, l) => low64(l)), least = Math.min(...all);
      out.push({name: names ? names[v] : "stored", from: Number.isFinite(least) ? "0x" + least.toString(16) : "", lanes: all.map(x => (x === Infinity ? null : "+" + (x - least)))});
      continue;
    }
    for (let l = 0; l < lanes; l++) {
      const low = at(values[v], l);
      texts.push(low == null ? null : show(wide(type) && step === 1 ? "u32" : type, low, step === 2 ? at(values[v + 1], l) : 0));
    }
    out.push({name: names ? names[v] : "stored", uniform: !Array.isArray(values[v]), lanes: texts});
  }
  return out;
}

/* --- pictures of an access ------------------------------------------------------------------------------ */
const ranges = lanes => {
  const parts = [];
  for (let i = 0; i < lanes.length; i++) {
    let end = i;
    while (end + 1 < lanes.length && lanes[end + 1] === lanes[end] + 1) end++;
    parts.push(end > i ? lanes[i] + "–" + lanes[end] : String(lanes[i]));
    i = end;
  }
  return parts.join(",");
};
function owner(address) {
  return (run.allocations || []).find(a => address >= Number(a.address) && address < Number(a.address) + a.size);
}
function placeOf(address) {
  const a = owner(address);
  return a ? `${a.name || "allocation " + a.id} +${address - Number(a.address)}` : "0x" + address.toString(16);
}
/* Words of 4 bytes that lanes touch: word -> lanes. */
function words(access) {
  const map = new Map();
  access.addresses.forEach((address, lane) => {
    if (address == null) return;
    for (let w = Math.floor(address / 4); w <= Math.floor((address + access.width - 1) / 4); w++) {
      if (!map.has(w)) map.set(w, []);
      map.get(w).push(lane);
    }
  });
  return map;
}
function sectorPicture(access) {
  const map = words(access), lines = new Map();
  const sectors = [...new Set([...map.keys()].map(w => Math.floor(w / 8)))].sort((a, b) => a - b);
  for (const s of sectors) {
    const line = Math.floor(s / 4);
    if (!lines.has(line)) lines.set(line, []);
    lines.get(line).push(s);
  }
  const active = access.addresses.filter(a => a != null).length;
  return h("div", {},
    h("p", {class: "small dim"}, `${active} lanes × ${access.width} bytes touch ${sectors.length} sector${sectors.length === 1 ? "" : "s"} of 32 bytes: ` +
      `${map.size * 4 > active * access.width ? active * access.width : map.size * 4} of ${sectors.length * 32} bytes are used. A cell is 4 bytes, the numbers are lanes; a frame is 128 bytes.`),
    h("div", {class: "picture"}, [...lines].map(([line, list]) => h("div", {class: "line128"}, h("em", {}, placeOf(list[0] * 32)),
      list.map(s => h("div", {class: "sector"}, Array.from({length: 8}, (_, k) => {
        const lanes = map.get(s * 8 + k);
        return h("i", {class: lanes ? "used" : null, title: lanes ? "lane " + ranges(lanes) : "not used"}, lanes ? ranges(lanes) : "");
      })))))));
}
function bankPicture(access) {
  const banks = Array.from({length: 32}, () => new Map()), map = words(access);
  for (const [word, lanes] of map) banks[word % 32].set(word, lanes);
  const most = Math.max(...banks.map(b => b.size));
  return h("div", {},
    h("p", {class: "small dim"}, most > 1 ? `The busiest bank holds ${most} different words of this access. ` : "No bank holds two different words of this access. ",
      "A column is one of the 32 banks, 4 bytes wide; the numbers are lanes."),
    h("div", {class: "banks"}, banks.map((bank, b) => h("div", {class: "bank"}, h("b", {}, b),
      bank.size ? [...bank].map(([word, lanes], i) => h("i", {class: i ? "used again" : "used", title: `bytes ${word * 4}: lane ${ranges(lanes)}`}, ranges(lanes))) : h("i", {}, "")))));
}
const accessPicture = access => (access.space === "shared" ? bankPicture(access) : sectorPicture(access));

/* --- a kernel ------------------------------------------------------------------------------------------------ */
function cards(kernel) {
  const c = costs(kernel.counters), o = kernel.occupancy || {};
  const list = [
    [whole(c.instructions), "warp instructions"], [ratio(c.lanes, c.instructions, 1), "active lanes of 32"],
    [whole(c.sectors), "sectors"], [ratio(c.sectors, c.requests), "sectors a request"],
    [c.sectors ? ratio(100 * c.used, c.sectors * 32, 0) + " %" : "–", "of moved bytes used"],
    [whole(c.wavefronts), "shared wavefronts" + (c.wavefronts ? `, ideal ${whole(c.ideal)}` : "")],
    [whole(c.divergent), "divergent branches"], [whole(kernel.registers), "registers a thread"],
    [bytes(kernel.shared_static + kernel.shared_dynamic), "shared memory a block"],
    [o.fraction != null ? ratio(100 * o.fraction, 1, 0) + " %" : "–", "occupancy" + (o.limited_by ? `, limited by ${String(o.limited_by).replace("_", " ")}` : "")],
  ];
  return h("div", {class: "cards"}, list.map(([value, what]) => h("div", {class: "card"}, h("b", {}, value), h("span", {}, what))));
}
function counterTable(kernel) {
  return h("details", {}, h("summary", {}, "All counters"), h("div", {class: "scroll"}, h("table", {},
    Object.entries(kernel.counters).map(([name, value]) => h("tr", {}, h("td", {class: "name small"}, name),
      h("td", {class: "num"}, Number.isInteger(value) ? whole(value) : value.toPrecision(6)), h("td", {class: "small dim"}, (kernel.exactness || {})[name] || ""))))));
}
function byLine(kernel) {
  const files = new Map();
  for (const instruction of kernel.instructions) {
    if (!instruction.file) continue;
    if (!files.has(instruction.file)) files.set(instruction.file, new Map());
    const lines = files.get(instruction.file), total = lines.get(instruction.line) || {};
    const c = costs(instruction.counters);
    for (const key in c) total[key] = (total[key] || 0) + c[key];
    lines.set(instruction.line, total);
  }
  return files;
}
function sourceTable(kernel) {
  const files = byLine(kernel);
  if (!files.size) return h("p", {class: "dim"}, "No source lines are known: compile with -lineinfo.");
  const all = kernel.instructions.reduce((s, i) => s + (i.counters["smsp__inst_executed.sum"] || 0), 0);
  return [...files].map(([file, lines]) => {
    const text = run.sources[file] || [], known = [...lines.keys()];
    const first = Math.max(1, Math.min(...known) - 2), last = text.length ? Math.min(text.length, Math.max(...known) + 2) : Math.max(...known);
    const rows = [];
    for (let n = first; n <= last; n++) {
      const c = lines.get(n);
      if (!c && !text.length) continue;
      rows.push(h("tr", {class: !c ? "off" : poor(c) ? "poor" : null},
        numbers(n, c ? ratio(100 * c.instructions, all, 1) : "", c ? ratio(c.lanes, c.instructions, 1) : "", c && c.requests ? whole(c.sectors) : "",
          c && c.requests ? ratio(c.sectors, c.requests) : "", c && c.wavefronts ? ratio(c.wavefronts, c.ideal, 1) : "", c && c.divergent ? whole(c.divergent) : ""),
        h("td", {}, text[n - 1] || "")));
    }
    return [h("h3", {class: "name"}, base(file)), text.length ? null : h("p", {class: "small dim"}, "The source could not be read."),
      h("div", {class: "scroll source code"}, h("table", {}, h("thead", {}, h("tr", {}, heads("line", "instr. %", "lanes", "sectors", "/request", "× ideal", "diverged"), h("th", {}, "source"))), h("tbody", {}, rows)))];
  });
}
function accessViewer(kernel) {
  const list = kernel.instructions.filter(i => i.sample);
  if (!list.length) return null;
  const place = h("div", {});
  const draw = k => {
    const i = list[k], s = i.sample;
    place.replaceChildren(h("p", {class: "small"}, h("span", {class: "name"}, i.sass), ` — ${s.space} ${s.access}, block ${s.block}, warp ${s.warp}`), accessPicture(s));
  };
  const choice = h("select", {"aria-label": "access", onchange: event => draw(event.target.selectedIndex)},
    list.map(i => h("option", {}, `${i.file ? base(i.file) + ":" + i.line + "  " : ""}${i.sass}`)));
  const worst = list.reduce((best, i, k) => (costs(i.counters).sectors + costs(i.counters).wavefronts > costs(list[best].counters).sectors + costs(list[best].counters).wavefronts ? k : best), 0);
  choice.selectedIndex = worst;
  draw(worst);
  return [h("h3", {}, "Accesses"), h("div", {class: "fields"}, choice, h("span", {class: "small dim"}, "the example with the most lanes")), place];
}
function coverage(kernel) {
  const shown = kernel.launches[0], last = shown && shown.last_block;
  if (!last) return null;
  const threads = shown.block.reduce((a, b) => a * b, 1), idle = kernel.counters["wg__threads_idle.sum"] || 0, all = kernel.counters["launch__thread_count"] || 0;
  const working = last.working, warps = [];
  for (let w = 0; w * 32 < threads; w++)
    warps.push(h("div", {class: "warp", title: "warp " + w}, Array.from({length: 32}, (_, l) => h("i", {class: w * 32 + l >= threads ? "none" : w * 32 + l >= working ? "idle" : null}))));
  return [h("h3", {}, "Launch coverage"),
    h("p", {}, `${whole(all)} threads in ${whole(kernel.n_launches)} launch${kernel.n_launches === 1 ? "" : "es"}; ${whole(idle)} had no work (${ratio(100 * idle, all, 1)} %). `,
      `First launch: grid ${times(shown.grid)}, block ${times(shown.block)}; its last block (${whole(last.index)}) has ${working} threads with work and ${last.idle} without:`),
    h("div", {class: "threads"}, warps),
    h("p", {class: "small dim"}, h("span", {class: "key"}), "works", h("span", {class: "key idle"}), "idle", h("span", {class: "key none"}), "no thread — how many, not which; a frame is a warp")];
}
function kernelPanel(kernel, index) {
  return h("section", {class: "panel", id: "kernel-" + index}, h("h2", {class: "name"}, kernel.kernel),
    h("p", {class: "dim"}, `grid ${times(kernel.grid)}, block ${times(kernel.block)}, sm_${kernel.sm}`, kernel.incomplete ? h("b", {class: "bad"}, ` — ${kernel.incomplete} launches did not end`) : null),
    cards(kernel), coverage(kernel), h("h3", {}, "Source"), sourceTable(kernel), accessViewer(kernel), counterTable(kernel));
}
function kernelTable() {
  const most = Math.max(1, ...run.kernels.map(k => costs(k.counters).instructions));
  return h("section", {class: "panel"}, h("h2", {}, "Kernels by cost"), h("div", {class: "scroll"}, h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "kernel"), heads("launches", "warp instr.", "lanes", "sectors", "/request", "used", "× ideal"))),
    h("tbody", {}, run.kernels.map((k, i) => {
      const c = costs(k.counters), bar = h("i", {});
      bar.style.width = 100 * c.instructions / most + "%";
      return h("tr", {}, h("td", {class: "kernel"}, h("a", {class: "name", href: "#kernel-" + i}, k.kernel.replace(/\(.*/s, "")), h("div", {class: "bar"}, bar)),
        numbers(whole(k.n_launches), whole(c.instructions), ratio(c.lanes, c.instructions, 1), whole(c.sectors), ratio(c.sectors, c.requests),
          c.sectors ? ratio(100 * c.used, 32 * c.sectors, 0) + " %" : "–", ratio(c.wavefronts, c.ideal, 1)));
    })))), run.n_kernels > run.kernels.length ? h("p", {class: "dim"}, `${run.n_kernels - run.kernels.length} more kernels are not shown.`) : null);
}

/* --- allocations ------------------------------------------------------------------------------------------------ */
function readsOf(a) {
  if (a.map) return a.map;
  if (!a.map_runs || a.elements > 4194304) return null;
  const out = [];
  for (const [reads, n] of a.map_runs) for (let i = 0; i < n; i++) out.push(reads);
  return out;
}
function guessWidth(a) {
  const root = Math.round(Math.sqrt(a.elements));
  if (root > 1 && root * root === a.elements) return root;
  for (const k of run.kernels) {
    const x = (k.grid || [0])[0] * (k.block || [0])[0];
    if (x > 1 && (k.grid[1] > 1 || k.block[1] > 1) && a.elements % x === 0) return x;
  }
  return a.elements <= 64 ? a.elements : Math.min(256, 2 ** Math.ceil(Math.log2(Math.sqrt(a.elements * 2))));
}
function colour(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
}
function heatMap(a) {
  const reads = readsOf(a);
  if (!a.values_read) return null;
  if (!reads) return h("p", {class: "small dim"}, "No map: neighbouring elements differ too often in how often they were read.");
  const canvas = h("canvas", {class: "heat", role: "img", "aria-label": "reads of each element"}), told = h("span", {class: "small"}, "point at an element");
  const input = h("input", {type: "number", min: 1, max: a.elements, value: guessWidth(a), "aria-label": "elements in a row"});
  let columns = 1, cell = 1;
  const draw = () => {
    columns = Math.max(1, Math.min(a.elements, Number(input.value) || 1));
    const rows = Math.ceil(a.elements / columns), low = colour("--heat0"), high = colour("--heat1"), most = a.most_reads || 1;
    const shown = Math.min(rows, 2048);
    cell = Math.max(1, Math.min(22, Math.floor(640 / columns), Math.floor(360 / shown) || 1));
    canvas.width = columns * cell;
    canvas.height = shown * cell;
    const context = canvas.getContext("2d");
    for (let i = 0; i < reads.length && i < shown * columns; i++) {
      const part = reads[i] / most;
      context.fillStyle = `rgb(${low.map((v, k) => Math.round(v + (high[k] - v) * part)).join(",")})`;
      context.fillRect((i % columns) * cell, Math.floor(i / columns) * cell, cell > 3 ? cell - 1 : cell, cell > 3 ? cell - 1 : cell);
    }
  };
  input.addEventListener("input", draw);
  onTheme.push(draw);
  canvas.addEventListener("pointermove", event => {
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
    const x = Math.floor((event.clientX - box.left) * scale / cell), y = Math.floor((event.clientY - box.top) * scale / cell), i = y * columns + x;
    if (x >= 0 && x < columns && i < reads.length) told.textContent = `element ${i} (row ${y}, column ${x}): ${whole(reads[i])} read${reads[i] === 1 ? "" : "s"}`;
  });
  draw();
  return h("div", {}, h("div", {class: "fields"}, h("label", {class: "small"}, "elements in a row ", input), told), h("div", {class: "scroll"}, canvas),
    h("div", {class: "legend"}, "0 reads", h("span", {class: "ramp"}), `${whole(a.most_reads)} reads`));
}
function allocations() {
  const list = (run.allocations || []).filter(a => a.bytes_read || a.bytes_written);
  if (!list.length) return null;
  return h("section", {class: "panel"}, h("h2", {}, "Memory"), list.map(a => h("div", {},
    h("h3", {}, `${a.name || "Allocation " + a.id}: ${bytes(a.size)}, ${whole(a.elements)} elements of ${a.element} bytes`),
    h("p", {}, a.values_read ? `${whole(a.values_read)} reads of ${whole(a.distinct_values)} elements: ${a.reads_per_value.toFixed(2)} each, ${whole(a.most_reads)} at most. ` : "Not read by kernels. ",
      a.bytes_written ? `${bytes(a.bytes_written)} written` + (a.unwritten ? "; " : ".") : "", a.unwritten ? h("b", {class: "warn"}, `${whole(a.unwritten)} elements were never written.`) : null),
    heatMap(a))));
}

/* --- findings ---------------------------------------------------------------------------------------------------- */
function findings() {
  const list = run.findings || [], out = [];
  for (const f of list) {
    const where = [f.kernel, f.file ? `${base(f.file)}:${f.line}` : null, f.block ? `block (${f.block})` : null, f.thread ? `thread (${f.thread})` : null].filter(Boolean).join(", ");
    out.push(h("div", {class: "finding " + f.severity}, h("b", {}, f.kind), f.count > 1 ? ` × ${whole(f.count)}` : "", h("div", {}, f.message), (f.also || []).map(a => h("div", {class: "small"}, `also: ${a.access}` + (a.other ? `, other side: ${a.other.access}` : ""))),
      h("div", {class: "small dim"}, where)));
  }
  for (const n of run.not_run || []) out.push(h("div", {class: "finding error"}, h("b", {}, "did not run: "), h("span", {class: "name"}, n.kernel || "?"), h("div", {}, n.reason)));
  for (const b of run.budget || []) if (b.broken) out.push(h("div", {class: "finding error"}, h("b", {}, "budget broken: "), b.rule, h("div", {class: "small dim"}, b.verdict)));
  if (run.n_findings > list.length) out.push(h("p", {class: "dim"}, `${run.n_findings - list.length} more`));
  return h("section", {class: "panel"}, h("h2", {}, "Findings"), out.length ? out : h("p", {class: "good"}, "None."));
}

/* --- the trace ------------------------------------------------------------------------------------------------------ */
function tracePanel(trace, number) {
  const steps = trace.steps, instructions = trace.instructions, lanes = trace.lanes;
  const on = step => (step.on != null ? step.on : step.mask);
  let at = Math.max(0, Math.min(steps.length - 1, (number === 0 && Number(wanted.get("step"))) || 0));
  const file = (instructions.find(i => i.file) || {}).file, text = file ? run.sources[file] || [] : [];
  const id = "trace-" + number, readout = h("output", {id: id + "-where", "aria-live": "polite"});
  const slider = h("input", {type: "range", min: 0, max: Math.max(0, steps.length - 1), value: 0, "aria-label": "step", oninput: () => go(Number(slider.value))});
  const button = (name, label, to) => h("button", {id: `${id}-${name}`, "aria-label": label, title: label, onclick: () => go(to())}, {first: "|◀", back: "◀", next: "▶", last: "▶|"}[name]);
  const order = [...instructions.keys()].sort((a, b) => instructions[a].offset - instructions[b].offset);
  const known = instructions.filter(i => i.file === file && i.line).map(i => i.line);
  const from = Math.max(1, Math.min(...known) - 2), to = Math.min(text.length, Math.max(...known) + 2);
  const sourceRows = new Map(), sassRows = new Map();
  const sourcePane = h("div", {class: "pane code", tabindex: 0, "aria-label": "source"}, text.length && known.length ? h("table", {},
    Array.from({length: to - from + 1}, (_, k) => {
      const row = h("tr", {}, h("td", {class: "num dim"}, from + k), h("td", {}, text[from + k - 1]));
      sourceRows.set(from + k, row);
      return row;
    })) : h("p", {class: "dim"}, "No source lines are known."));
  const sassPane = h("div", {class: "pane code", tabindex: 0, "aria-label": "machine code"}, h("table", {}, order.map(k => {
    const row = h("tr", {}, h("td", {class: "dim"}, instructions[k].offset.toString(16).padStart(4, "0")), h("td", {}, instructions[k].sass));
    sassRows.set(k, row);
    return row;
  })));
  const cells = Array.from({length: lanes}, (_, l) => h("div", {class: "lane", id: `${id}-lane-${l}`}, h("small", {}, h("span", {}, l), h("span", {})), h("b", {}), h("em", {})));
  const what = h("p", {class: "small"}), picture = h("div", {}), registers = h("div", {class: "scroll"});

  function mark(rows, key, pane) {
    for (const row of rows.values()) row.classList.remove("hot");
    const row = rows.get(key);
    if (!row) return;
    row.classList.add("hot");
    const top = row.offsetTop, bottom = top + row.offsetHeight;
    if (top < pane.scrollTop || bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - pane.clientHeight / 2;
  }
  function outcome(step, instruction) {
    if (step.values) return columns(instruction.writes, instruction.type, step.values, lanes);
    if (step.stored) return columns(null, instruction.stores, step.stored, lanes);
    return Object.entries(step.predicates || {}).map(([name, bits]) => ({name, lanes: Array.from({length: lanes}, (_, l) => ((on(step) >>> l) & 1 ? String((bits >>> l) & 1) : null))}));
  }
  function drawLanes(step, instruction) {
    const result = outcome(step, instruction);
    what.replaceChildren(h("b", {class: "name"}, instruction.sass), result.length ? ` — ${result.map(r => r.name + (r.from ? " = " + r.from + " + …" : "")).join(", ")}` : "",
      ` — active lanes ${on(step) ? ranges(Array.from({length: lanes}, (_, l) => l).filter(l => (on(step) >>> l) & 1)) : "none"}`, step.on != null ? ", others are guarded off" : "");
    cells.forEach((cell, l) => {
      const active = (on(step) >>> l) & 1, [head, value, source] = cell.children;
      cell.className = "lane " + (active ? "on" : "off");
      head.lastChild.textContent = result.length && active ? result[0].name : "";
      value.textContent = active ? result.map(r => r.lanes[l]).find(t => t != null) ?? "" : "·";
      value.title = value.textContent;
      source.textContent = step.from && step.from[l] != null ? "← " + step.from[l] : "";
    });
  }
  function drawRegisters() {
    const state = new Map();
    for (let s = 0; s <= at; s++) {
      const step = steps[s], instruction = instructions[step.instruction];
      if (!step.values) continue;
      for (const r of columns(instruction.writes, instruction.type, step.values, lanes)) {
        const old = state.get(r.name), texts = r.lanes.map((t, l) => (t == null && old ? old.lanes[l] : t));
        state.set(r.name, {lanes: old && old.from !== r.from ? r.lanes : texts, from: r.from, fresh: s === at});
      }
    }
    const names = [...state.keys()].sort((a, b) => a.replace(/\D/g, "") - b.replace(/\D/g, "") || a.localeCompare(b)).filter(n => !n.startsWith("U"));
    registers.replaceChildren(h("table", {class: "registers"}, h("thead", {}, h("tr", {}, h("th", {}, "lane"), Array.from({length: lanes}, (_, l) => h("th", {}, l)))),
      h("tbody", {}, names.map(n => h("tr", {class: state.get(n).fresh ? "new" : null}, h("th", {}, n + (state.get(n).from ? " " + state.get(n).from : "")), state.get(n).lanes.map(t => h("td", {}, t ?? "·")))))));
  }
  function go(n) {
    at = Math.max(0, Math.min(steps.length - 1, n));
    const step = steps[at], instruction = instructions[step.instruction];
    slider.value = at;
    readout.textContent = `step ${at + 1} of ${steps.length}` + (instruction.line ? `, ${base(instruction.file)}:${instruction.line}` : "");
    mark(sourceRows, instruction.file === file ? instruction.line : -1, sourcePane);
    mark(sassRows, step.instruction, sassPane);
    drawLanes(step, instruction);
    picture.replaceChildren(...(step.accesses || []).map(a => h("div", {}, h("h3", {}, `${a.space} ${a.access}, ${a.width} bytes a lane`), accessPicture(a))));
    drawRegisters();
  }
  const panel = h("section", {class: "panel", id}, h("h2", {}, "Trace of ", h("span", {class: "name"}, trace.kernel)),
    h("p", {class: "dim"}, `launch ${trace.launch}, block (${trace.block}), warp ${trace.warp}; keys: ← → Home End`, trace.cut ? "; more was executed than is recorded here" : ""),
    h("div", {class: "stepper"}, button("first", "first step", () => 0), button("back", "one step back", () => at - 1), button("next", "one step on", () => at + 1),
      button("last", "last step", () => steps.length - 1), slider, readout),
    h("div", {class: "panes"}, sourcePane, sassPane), what, h("div", {class: "lanes"}, cells), picture, h("h3", {}, "Registers so far"), registers);
  const keys = {ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => steps.length - 1};
  if (number === 0)
    document.addEventListener("keydown", event => {
      if (!keys[event.key] || /^(INPUT|SELECT)$/.test(event.target.tagName || "") || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      go(keys[event.key]());
    });
  if (steps.length) onShown.push(() => go(at)); /* what scrolls needs to be laid out first */
  return panel;
}

/* --- the page ---------------------------------------------------------------------------------------------------------- */
const program = run.program || {}, gpu = run.gpu;
document.title = "warpgrind: " + base(program.path || "run");
const ended = run.status.signal_name ? `died of ${run.status.signal_name}` : run.status.exit ? `exit status ${run.status.exit}` : "";
page.append(
  h("header", {}, h("h1", {class: "name"}, [base(program.path || "run"), ...(program.arguments || [])].join(" ")),
    h("span", {class: "about"}, gpu ? `simulated ${gpu.name}, compute capability ${gpu.compute_capability}` : "no CUDA call", ended ? `; ${ended}` : "", `; warpgrind ${run.warpgrind}`),
    h("button", {id: "theme", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark")}, "light / dark")),
  ...(run.notes || []).map(n => h("p", {class: "small dim"}, n)),
  ...(run.traces || []).map(tracePanel),
  run.kernels.length ? kernelTable() : h("p", {class: "dim"}, "No kernel was recorded."),
  findings(), allocations() || "", ...run.kernels.map(kernelPanel));
for (const draw of onShown) draw();
if (/^#[a-z]+-\d+$/.test(location.hash) && document.querySelector(location.hash)) document.querySelector(location.hash).scrollIntoView();
