// Finds elements that make the page wider than its window; scrolling elements may be wider.
if (document.documentElement.scrollWidth <= innerWidth) return [];
const around = element =>
  getComputedStyle(element).position === 'absolute' ? element.offsetParent : element.parentElement;
const scrolls = element => {
  for (let at = around(element); at && at !== document.body; at = around(at)) {
    if (getComputedStyle(at).overflowX !== 'visible') return true;
  }
  return false;
};
const wide = [...document.body.querySelectorAll('*')]
  .filter(element => element.getBoundingClientRect().right > innerWidth + 0.5 && !scrolls(element))
  .map(element => `${element.localName}.${element.className} ends at ${element.getBoundingClientRect().right}`);
return [`${document.documentElement.scrollWidth} in ${innerWidth}`, ...wide.slice(0, 5)];
