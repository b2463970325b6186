/* Making elements. What is shown is set as text and never parsed as HTML. */
"use strict";

var qtieElements = (() => {
  // An HTML element; children that are null or "" are left out, texts stay texts.
  function make(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  // An SVG element, appended to `parent`.
  function node(parent, name, attributes = {}, text = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  }

  return {make, node};
})();
