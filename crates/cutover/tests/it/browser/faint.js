// Finds texts with less contrast than WCAG 2.2, 1.4.3 requires; with `only`, returns the luminance of the page's
// background.
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
// Results are cached.
const once = (known, make) => key => known.has(key) ? known.get(key) : known.set(key, make(key)).get(key);
const colour = once(new Map(), css => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = css;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return { r, g, b, a: a / 255 };
});
const over = (top, under, a = top.a) =>
  ({ r: top.r * a + under.r * (1 - a), g: top.g * a + under.g * (1 - a), b: top.b * a + under.b * (1 - a), a: 1 });
const part = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ({ r, g, b }) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
// The default background of a page.
const probe = document.body.appendChild(document.createElement('i'));
probe.style.backgroundColor = 'Canvas';
const ground = colour(getComputedStyle(probe).backgroundColor);
probe.remove();
const behind = once(new Map(), element =>
  element ? over(colour(getComputedStyle(element).backgroundColor), behind(element.parentElement)) : ground);
const opacity = once(new Map(), element =>
  element ? getComputedStyle(element).opacity * opacity(element.parentElement) : 1);
if (typeof only !== 'undefined') return luminance(behind(document.body));
const seen = element => {
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
};
const faint = [];
const check = (element, css, text, style) => {
  const under = behind(element), ink = colour(css);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  const found = contrast(over(ink, under, ink.a * opacity(element)), under);
  if (found < (large ? 3 : 4.5)) faint.push(`${found.toFixed(2)}: ${element.localName}: ${text.trim().slice(0, 60)}`);
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode.data, element = texts.currentNode.parentElement;
  if (!text.trim() || element.closest(':disabled, script, style, noscript, template') || !seen(element)) continue;
  const style = getComputedStyle(element);
  check(element, element instanceof SVGElement ? style.fill : style.color, text, style);
}
for (const field of document.querySelectorAll('input:not([type=hidden]), textarea, select')) {
  if (!seen(field) || field.disabled) continue;
  const empty = field.placeholder && !field.value;
  const style = getComputedStyle(field, empty ? '::placeholder' : null);
  check(field, style.color, empty ? field.placeholder : field.value || '', getComputedStyle(field));
}
return faint;
