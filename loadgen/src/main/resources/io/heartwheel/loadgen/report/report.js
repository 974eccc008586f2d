// Tells the values under the pointer; the page says everything without it.
(function () {
  'use strict';
  const SVG = document.querySelector('svg') ? document.querySelector('svg').namespaceURI : '';
  const make = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  };
  const axis = text => {
    const [kind, least, most, from, to] = text.split(' ').map((part, i) => i ? Number(part) : part);
    return place => {
      const share = (place - from) / (to - from);
      return kind === 'log' ? least * Math.pow(most / least, share) : least + (most - least) * share;
    };
  };
  const number = value => value.toLocaleString('en', {maximumFractionDigits: Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 3});
  for (const svg of document.querySelectorAll('.plot svg')) {
    const lines = [...svg.querySelectorAll('path.line')].map(path => ({
      name: path.dataset.name,
      points: (path.getAttribute('d').match(/-?[\d.]+ -?[\d.]+/g) || []).map(pair => pair.split(' ').map(Number)),
    })).filter(line => line.points.length);
    if (!lines.length) continue;
    const yOf = axis(svg.dataset.y), group = make('g', {'pointer-events': 'none'});
    svg.append(group);
    svg.addEventListener('pointerleave', () => group.replaceChildren());
    svg.addEventListener('pointermove', event => {
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
      const near = lines.map(line => line.points.reduce((best, point) => Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best));
      const says = lines.map((line, i) => line.name + ' ' + number(yOf(near[i][1])));
      const at = near[0][0], wide = Math.max(...says.map(text => text.length)) * 7.8 + 16, left = at > 420 ? at - wide - 8 : at + 8;
      group.replaceChildren(make('line', {class: 'cursor', x1: at, x2: at, y1: 24, y2: 238}),
        make('rect', {class: 'tip', x: left, y: 30, width: wide, height: says.length * 19 + 10, rx: 4}));
      says.forEach((text, i) => {
        const label = make('text', {class: 'says', x: left + 8, y: 49 + 19 * i});
        label.textContent = text;
        group.append(label);
      });
    });
  }
})();
