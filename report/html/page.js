'use strict';
(() => {
  const all = [...document.querySelectorAll('details')];
  let folded = [];
  addEventListener('beforeprint', () => { folded = all.filter(d => !d.open); folded.forEach(d => { d.open = true; }); });
  addEventListener('afterprint', () => folded.forEach(d => { d.open = false; }));
  const form = document.getElementById('filter');
  if (!form) return;
  const field = name => document.getElementById('f-' + name);
  const rows = [];
  const classes = [...document.querySelectorAll('details.class')].map(el => {
    const own = [...el.querySelectorAll('.rows tbody tr')].map(tr => {
      const row = { el: tr, shown: true, severity: tr.cells[0].textContent, account: tr.cells[2].textContent, life: tr.cells[5].textContent };
      rows.push(row);
      return row;
    });
    return { el, own, name: el.dataset.class, open: el.open };
  });
  const show = () => {
    const text = field('text').value.trim().toLowerCase(), severity = field('severity').value;
    const name = field('class').value, account = field('account').value, life = field('life').value;
    const asked = text || severity || name || account || life;
    let shown = 0;
    for (const c of classes) {
      let any = 0;
      for (const r of c.own) {
        let fits = (!name || c.name === name) && (!severity || r.severity === severity) && (!account || r.account === account) && (!life || r.life === life);
        if (fits && text) {
          r.text ??= (c.name + ' ' + r.el.textContent).toLowerCase();
          fits = r.text.includes(text);
        }
        if (fits !== r.shown) { r.shown = fits; r.el.hidden = !fits; }
        if (fits) any++;
      }
      c.el.hidden = Boolean(asked) && any === 0;
      c.el.open = asked ? any > 0 && any <= 500 : c.open;
      shown += any;
    }
    field('count').textContent = asked ? shown + ' of ' + rows.length : '';
  };
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', e => e.preventDefault());
  form.addEventListener('reset', () => setTimeout(show));
})();
