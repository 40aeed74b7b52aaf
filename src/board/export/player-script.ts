// The browser script of an exported run: the slider over events, playing, and comparing two events.
// It only sets texts, never markup, and needs no network.

export const PLAYER_SCRIPT = `'use strict';
(() => {
  const { moments, steps, end, words, signs } = JSON.parse(document.getElementById('data').textContent);
  const el = (id) => document.getElementById(id);
  const [slider, play, from, to] = ['slider', 'play', 'from', 'to'].map(el);
  const rows = [...document.querySelectorAll('#timeline > li')];

  // Every moment holds only what changed; these are complete.
  const whole = [];
  let last = { states: {}, outputs: {}, feedback: null, counts: { refusals: 0, overrides: 0, nudges: 0 } };
  for (const moment of moments) {
    const outputs = { ...last.outputs, ...moment.outputs };
    for (const name of Object.keys(outputs)) if (outputs[name] === null) delete outputs[name];
    last = {
      states: { ...last.states, ...moment.states },
      outputs,
      feedback: 'feedback' in moment ? moment.feedback : last.feedback,
      counts: moment.counts || last.counts,
    };
    whole.push(last);
  }

  const time = (at) => at.slice(0, 10) + ' ' + at.slice(11, 19) + ' UTC';
  let now = moments.length - 1;

  function mark(group, state) {
    group.dataset.state = state;
    group.querySelector('.dw-mark').textContent = signs[state];
    group.querySelector('title').textContent = group.dataset.label + ': ' + words[state];
  }

  function show(index, follow) {
    now = Math.max(0, Math.min(moments.length - 1, index));
    const moment = moments[now];
    const { states, feedback } = whole[now];
    slider.value = String(now);
    slider.setAttribute('aria-valuetext', 'Event ' + moment.seq + ': ' + moment.text.split('\\n')[0]);
    el('where').textContent = 'Event ' + moment.seq + ' of ' + moments.length;
    el('when').textContent = time(moment.at);
    const [first, ...details] = moment.text.split('\\n');
    el('happened').textContent = first;
    el('details').textContent = details.join('\\n');
    el('by').textContent = moment.by === null ? '' : 'by ' + moment.by;
    el('feedback').textContent = feedback === null ? 'Nothing.' : feedback;
    el('first').disabled = el('back').disabled = now === 0;
    el('on').disabled = el('end').disabled = now === moments.length - 1;
    for (const group of document.querySelectorAll('.dw [data-step]')) {
      mark(group, states[group.dataset.step] || 'to_do');
    }
    for (const group of document.querySelectorAll('.dw-end')) {
      mark(group, now === moments.length - 1 ? end : 'to_do');
    }
    rows.forEach((row, at) => {
      row.classList.toggle('later', at > now);
      if (at === now) row.setAttribute('aria-current', 'step');
      else row.removeAttribute('aria-current');
    });
    if (follow) {
      const list = el('timeline');
      list.scrollTop = rows[now].offsetTop - list.clientHeight / 3;
    }
  }

  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
  }
  function start() {
    if (now === moments.length - 1) show(0, true);
    play.textContent = 'Pause';
    timer = setInterval(() => {
      show(now + 1, true);
      if (now === moments.length - 1) stop();
    }, Number(el('speed').value));
  }
  play.addEventListener('click', () => (timer === null ? start() : stop()));
  el('speed').addEventListener('change', () => {
    if (timer !== null) {
      stop();
      start();
    }
  });
  slider.addEventListener('input', () => {
    stop();
    show(Number(slider.value), true);
  });
  for (const [id, by] of [['first', -Infinity], ['back', -1], ['on', 1], ['end', Infinity]]) {
    el(id).addEventListener('click', () => {
      stop();
      show(now + by, true);
    });
  }
  rows.forEach((row, at) =>
    row.querySelector('button').addEventListener('click', () => {
      stop();
      show(at, false);
    }),
  );

  function item(list, kind, text) {
    const line = document.createElement('li');
    const label = document.createElement('b');
    label.textContent = kind;
    line.append(label, ' ', text);
    list.append(line);
  }

  function compare() {
    const [a, b] = [Number(from.value), Number(to.value)].sort((x, y) => x - y);
    const [one, other] = [whole[a], whole[b]];
    const list = el('changes');
    list.replaceChildren();
    for (const { id, name } of steps) {
      const [was, is] = [one.states[id] || 'to_do', other.states[id] || 'to_do'];
      if (was !== is) item(list, 'Step', name + ': ' + words[was] + ' → ' + words[is]);
    }
    for (const name of new Set([...Object.keys(one.outputs), ...Object.keys(other.outputs)])) {
      const [was, is] = [one.outputs[name], other.outputs[name]].map((paths) => (paths || []).join(', '));
      if (was === is) continue;
      if (was === '') item(list, 'Output', name + ': ' + is);
      else item(list, 'Output', name + ': ' + was + ' → ' + (is === '' ? 'no longer counts' : is));
    }
    if (one.feedback !== other.feedback) {
      item(list, 'Feedback', other.feedback === null ? 'resolved: ' + one.feedback : other.feedback);
    }
    for (const [key, word] of [['refusals', 'Turned down'], ['overrides', 'Reviews skipped'], ['nudges', 'Sent back to work']]) {
      const more = other.counts[key] - one.counts[key];
      if (more > 0) item(list, word, more === 1 ? 'once' : more + ' times');
    }
    if (list.children.length === 0) item(list, 'Nothing', 'changed between them.');
    const between = b - a;
    el('between').textContent =
      'Event ' + moments[a].seq + ' to event ' + moments[b].seq + ': ' + between + (between === 1 ? ' event' : ' events') + '.';
  }
  from.addEventListener('change', compare);
  to.addEventListener('change', compare);
  el('from-here').addEventListener('click', () => {
    from.value = String(now);
    compare();
  });
  el('to-here').addEventListener('click', () => {
    to.value = String(now);
    compare();
  });

  document.body.classList.add('playing');
  compare();
  show(moments.length - 1, true);
})();
`;
