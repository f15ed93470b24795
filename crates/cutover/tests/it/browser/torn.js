// Finds short words that are broken over two lines.
const torn = new Set();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode;
  if (!node.parentElement.checkVisibility() || node.parentElement.offsetWidth <= 1) continue;
  for (const { 0: word, index } of node.data.matchAll(/(?<!\S)\w{2,12}(?!\S)/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const lines = new Set([...range.getClientRects()].map(part => Math.round(part.top)));
    if (lines.size > 1) torn.add(`torn: ${word}`);
  }
}
return [...torn].slice(0, 5);
