// Draws the plots with uPlot, from the data that stand beside them. The tables say the rest without it.
(() => {
  'use strict';
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = value => value === null || value === undefined ? '' :
    value.toLocaleString('en', {maximumFractionDigits: Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4});
  const font = '12px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
  const LABEL_ROWS = 2, LABEL_HEIGHT = 16;

  const clock = (seconds, long) => {
    if (!long && seconds < 120) return number(seconds) + ' s';
    const pad = part => String(Math.floor(part)).padStart(2, '0');
    return seconds < 3600 ? Math.floor(seconds / 60) + ':' + pad(seconds % 60)
      : Math.floor(seconds / 3600) + ':' + pad(seconds / 60 % 60) + ':' + pad(seconds % 60);
  };
  const percent = nines => nines <= 0 ? '0 %' : nines < 1 ? number(100 - 100 / 10 ** nines) + ' %' :
    nines === 1 ? '90 %' : nines === 2 ? '99 %' : Number.isInteger(nines) ? '99.' + '9'.repeat(nines - 2) + ' %' :
    (100 - 100 / 10 ** nines).toFixed(Math.ceil(nines) - 1) + ' %';
  const says = {SECONDS: clock, NINES: percent};
  const SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800];

  const xAxis = plot => {
    const axis = {font, stroke: () => css('--soft'), grid: {show: false}, ticks: {stroke: () => css('--hair'), width: 1, size: 4}, size: 30,
      space: 58, values: (u, splits) => splits.map(split => split === null ? null :
        plot.x === 'NINES' ? percent(split) : clock(split, Math.max(...splits) >= 120))};
    if (says[plot.x] === clock) axis.incrs = SECONDS;
    if (plot.x === 'NINES') axis.splits = (u, i, least, most) => {
      const room = (u.width - 80) / (most - least), kept = [];
      for (const nine of [0, Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8]) {
        if (nine >= least && nine <= most && (!kept.length || (nine - kept[kept.length - 1]) * room >= 52)) kept.push(nine);
      }
      return kept;
    };
    return axis;
  };

  // Rules. A rule's label is an element, so that it can be read, pointed at and moved out of another one's way.
  const marks = plot => {
    const made = [];
    const tag = (u, text, title) => {
      const element = document.createElement('span');
      element.className = 'tag';
      element.textContent = text;
      element.title = title;
      u.over.append(element);
      return element;
    };
    return {hooks: {
      ready: u => plot.rules.forEach(rule => made.push({rule, element: tag(u, rule.label, rule.text)})),
      draw: u => {
        const {ctx, bbox} = u, ratio = devicePixelRatio;
        ctx.save();
        for (const rule of plot.rules) {
          const at = Math.round(u.valToPos(rule.at, rule.upright ? 'x' : 'y', true));
          ctx.beginPath();
          ctx.strokeStyle = css(rule.upright ? '--soft' : '--fail');
          ctx.lineWidth = ratio;
          ctx.setLineDash([3 * ratio, 4 * ratio]);
          if (rule.upright && at >= bbox.left && at <= bbox.left + bbox.width) {
            ctx.moveTo(at, bbox.top);
            ctx.lineTo(at, bbox.top + bbox.height);
          } else if (!rule.upright && at >= bbox.top && at <= bbox.top + bbox.height) {
            ctx.moveTo(bbox.left, at);
            ctx.lineTo(bbox.left + bbox.width, at);
          }
          ctx.stroke();
        }
        ctx.restore();
        place(u);
      },
    }};

    // Labels of upright rules stand in rows above the plot, from the left; one that finds no room is told by its rule alone.
    function place(u) {
      const wide = u.over.clientWidth, ends = new Array(LABEL_ROWS).fill(-Infinity);
      for (const {rule, element} of [...made].sort((a, b) => a.rule.at - b.rule.at)) {
        const at = u.valToPos(rule.at, rule.upright ? 'x' : 'y');
        element.hidden = false;
        if (!rule.upright) {
          element.hidden = at < 0 || at > u.over.clientHeight;
          element.style.right = '4px';
          element.style.top = (at < LABEL_HEIGHT + 2 ? at + 2 : at - LABEL_HEIGHT - 1) + 'px';
          continue;
        }
        const width = element.offsetWidth, left = Math.max(0, Math.min(wide - width, at - width / 2));
        const row = ends.findIndex(end => left >= end + 6);
        element.hidden = row < 0 || at < 0 || at > wide;
        if (element.hidden) continue;
        ends[row] = left + width;
        element.style.left = left + 'px';
        element.style.top = -(row + 1) * LABEL_HEIGHT + 'px';
      }
    }
  };

  const draw = chart => {
    const plot = JSON.parse(chart.dataset.plot);
    const series = plot.lines.map(line => {
      const stroke = () => css('--c' + line.colour);
      const drawn = {label: line.name, stroke, width: 1.6, points: {show: false}, value: (u, value) => number(value)};
      if (line.kind === 'AREA') drawn.fill = () => css('--c' + line.colour) + '22';
      return drawn;
    });
    const across = plot.rules.filter(rule => !rule.upright).map(rule => rule.at);
    const upright = plot.rules.filter(rule => rule.upright).map(rule => rule.at);
    const height = width => Math.max(200, Math.min(270, width * 0.6));
    const u = new uPlot({
      width: chart.clientWidth, height: height(chart.clientWidth),
      padding: [upright.length ? LABEL_ROWS * LABEL_HEIGHT + 4 : 12, plot.x === 'NINES' ? 26 : 16, 0, 0],
      scales: {
        x: {time: false, range: (u, least, most) => [least, most > least ? most : least + 1]},
        y: plot.log ? {distr: 3} : {range: (u, least, most) => uPlot.rangeNum(0, Math.max(most || 0, ...across) || 1, 0.1, true)},
      },
      axes: [xAxis(plot), {font, stroke: () => css('--soft'), grid: {stroke: () => css('--grid'), width: 1}, ticks: {show: false}, size: 64, gap: 6,
        values: (u, splits) => splits.map(split => split === null ? null : number(split))}],
      series: [{label: says[plot.x] === clock ? 'at' : 'share', value: (u, value) => value === null ? '' : says[plot.x](value)}, ...series],
      cursor: {points: {size: 6}, sync: plot.x === 'SECONDS' ? {key: 'time'} : {}},
      legend: {live: true},
      plugins: [marks(plot)],
    }, plot.values, chart);
    new ResizeObserver(() => {
      if (chart.clientWidth > 0 && chart.clientWidth !== u.width) u.setSize({width: chart.clientWidth, height: height(chart.clientWidth)});
    }).observe(chart);
    return u;
  };

  const drawn = [...document.querySelectorAll('.chart')].map(draw);
  for (const query of ['(prefers-color-scheme: dark)', 'print']) {
    matchMedia(query).addEventListener('change', () => drawn.forEach(u => u.redraw(false)));
  }
})();
