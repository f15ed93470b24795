// Finds parts that scroll sideways within the page, so that some of their content is out of sight. Tables of imported
// data have as many columns as the data has members: they may, where their rows are not stacked.
const isNarrow = innerWidth <= 544;
return [...document.querySelectorAll(isNarrow ? '.scroll' : '.scroll:not(.wide)')]
  .filter(part => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
  .map(part => `cut off: ${part.ariaLabel}, ${part.scrollWidth} in ${part.clientWidth}`);
