// Finds parts that scroll sideways within the page, so that some of their content is out of sight.
return [...document.querySelectorAll('.scroll')]
  .filter(part => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
  .map(part => `cut off: ${part.ariaLabel}, ${part.scrollWidth} in ${part.clientWidth}`);
