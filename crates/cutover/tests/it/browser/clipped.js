// Finds text that is out of sight: in an element that hides what goes beyond its edges, or in one that scrolls and is
// not a region for that, which keys reach.
const clipped = [];
const told = element => `${element.outerHTML.replace(/\s+/g, ' ').slice(0, 80)}`;
for (const element of document.body.querySelectorAll('*')) {
  if (!(element instanceof HTMLElement) || element.matches('input, select, option, textarea, script, style')) continue;
  if (!element.checkVisibility() || element.offsetWidth <= 1 || !element.innerText.trim()) continue;
  const style = getComputedStyle(element);
  const isWide = element.scrollWidth > element.clientWidth + 1, isHigh = element.scrollHeight > element.clientHeight + 1;
  const is = kinds => isWide && kinds.test(style.overflowX) || isHigh && kinds.test(style.overflowY);
  // The page itself scrolls.
  if (element === document.body) continue;
  if (is(/^(hidden|clip)$/)) clipped.push(`clipped: ${told(element)}`);
  const isRegion = element.matches('.scroll, .payload') && element.tabIndex === 0;
  if (is(/^(auto|scroll)$/) && !isRegion) clipped.push(`scrolls, but is no region: ${told(element)}`);
}
// Where rows are blocks, the heading of a column stands before its value, within the cell.
for (const cell of document.querySelectorAll('.stacked td[data-label]')) {
  const style = getComputedStyle(cell), label = getComputedStyle(cell, '::before');
  const room = parseFloat(style.paddingLeft), needed = -parseFloat(label.marginLeft);
  if (style.display === 'flow-root' && label.float === 'left' && room < needed) clipped.push(`no room for ${cell.dataset.label}`);
}
return clipped.slice(0, 5);
