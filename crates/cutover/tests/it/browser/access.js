// Finds accessibility faults: violations of the rules of WCAG 2.2 that a program can check.
const faults = [];
const all = selector => [...document.querySelectorAll(selector)];
const told = element => element.outerHTML.replace(/\s+/g, ' ').slice(0, 120);
const fault = (what, ...elements) => faults.push([what, ...elements.slice(0, 3).map(told)].join(': '));
const check = (what, selector, fails) => {
  const found = all(selector).filter(fails);
  if (found.length) fault(what, ...found);
};
const shown = element => element.checkVisibility({ visibilityProperty: true });

if (!document.documentElement.lang) fault('the language is not said');
if (!document.title.trim()) fault('no title');
if (all('main').length !== 1) fault('not one main part', ...all('main'));
if (all('h1').filter(shown).length !== 1) fault('not one heading of the page', ...all('h1'));
let level = 0;
for (const heading of all('h1, h2, h3, h4, h5, h6').filter(shown)) {
  const next = Number(heading.localName[1]);
  if (next > level + 1) fault('a level of headings is skipped', heading);
  level = next;
}
const viewport = document.querySelector('meta[name=viewport]')?.content ?? '';
if (/user-scalable\s*=\s*(no|0)|maximum-scale/.test(viewport)) fault('it cannot be made larger');

const ids = new Set();
check('an id twice', '[id]', element => ids.has(element.id) || !ids.add(element.id));
for (const name of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for']) {
  const lost = id => id && !document.getElementById(id);
  check(`${name} leads nowhere`, `[${name}]`, element => element.getAttribute(name).split(/\s+/).some(lost));
}
const fields = 'input:not([type=hidden], [type=submit]), select, textarea';
check('a field without a label', fields, field => !field.labels.length && !field.hasAttribute('aria-label'));
check('a picture without words', 'img', picture => !picture.hasAttribute('alt'));
check('a drawing without words', 'svg, canvas', drawing =>
  shown(drawing) && !drawing.closest('[aria-hidden=true], [role=img][aria-label], [role=img][aria-labelledby]'));
check('a cell of headings that says not of what', 'table th', cell => !cell.scope);
check('an order of its own', '[tabindex]', element => element.tabIndex > 0);
check('one within another', ':is(a[href], button, summary) :is(a[href], button, input, select)', () => true);
check('too small to hit', 'button, input:not([type=hidden]), select', element => {
  const { width, height } = element.getBoundingClientRect();
  return shown(element) && (width < 24 || height < 24);
});
check('scrolls, but not by keys', 'body *', element => {
  const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX);
  return scrolls && element.scrollWidth > element.clientWidth && element.tabIndex < 0
    && !element.querySelector('a[href], button, input, select, textarea');
});
return faults;
