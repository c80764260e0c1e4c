// SVG elements, with the same shapes and styles as those of the reports.

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Make a drawing with a description for people who cannot see it.
 * @param {string} label
 * @param {number} width
 * @param {number} height
 * @param {Node[]} children
 */
export function drawing(label, width, height, children) {
  const attributes = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "plot" };
  return svg("svg", attributes, ...children);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {"start" | "end"} [anchor]
 */
export function text(x, y, content, anchor = "start") {
  return svg("text", { x, y, "text-anchor": anchor }, content);
}

/**
 * @param {[x: number, y: number]} from
 * @param {[x: number, y: number]} to
 * @param {string} kind a class
 */
export function line([x1, y1], [x2, y2], kind) {
  return svg("line", { x1, y1, x2, y2, class: kind });
}
