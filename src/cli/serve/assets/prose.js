// Comments of games as a person reads them.

/** Sets the text of an element: what stands between backquotes is code. */
export function setProse(element, lines) {
  const parts = lines.join(" ").split("`");
  element.replaceChildren(...parts.map((text, index) => {
    if (index % 2 === 0 || index === parts.length - 1) {
      return index % 2 === 0 ? text : `\`${text}`;
    }
    const code = document.createElement("code");
    code.textContent = text;
    return code;
  }));
}
