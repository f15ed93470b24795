// Finds numbers that are broken over two lines: amounts, times, numbers of accounts such as A-7K2M9QX4, and short
// values of several words such as 2 of 3. Longer words may have to be broken, and so may those in the prose of documents.
if (location.pathname.startsWith('/docs/')) return [];
const most = innerWidth <= 544 ? 16 : 24;
const NUMBER = /^[+\-−]?[A-Z0-9]+(?:[.,:\/-][A-Z0-9]+)*%?$/;
const VALUE = /^(?:[\d,]+|None) of [\d,]+$|^\d+ (?:d|h|min)(?: \d+ (?:h|min))?$/;
const broken = new Set();
const check = (node, start, text) => {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, start + text.length);
  const lines = new Set([...range.getClientRects()].map(part => Math.round(part.top)));
  if (lines.size > 1) broken.add(`broken: ${text}, in ${node.parentElement.outerHTML.slice(0, 80)}`);
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode;
  if (!node.parentElement.checkVisibility() || node.parentElement.offsetWidth <= 1) continue;
  const value = node.data.trim();
  if (VALUE.test(value)) check(node, node.data.indexOf(value), value);
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    if (word.length > most) continue;
    const begin = word.match(/^["'“(]*/)[0].length;
    const number = word.slice(begin).replace(/["'”).,;:?…]+$/, '');
    if (/\d/.test(number) && NUMBER.test(number)) check(node, index + begin, number);
  }
}
return [...broken].slice(0, 5);
