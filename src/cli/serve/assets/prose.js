// Comments of games, and numbers, as a person reads them.

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

/** The share of games won that an expected payoff of -1 to 1 means; it is a whole number, or a fraction as text. */
export function shareOfWins(payoff) {
  const [above, below] = String(payoff).split("/").map(BigInt);
  const whole = 2n * (below ?? 1n);
  const won = above + (below ?? 1n);
  const hundredths = Number((won * 20_000n + whole) / (2n * whole));
  if (hundredths === 10_000 && won < whole) {
    return "more than 99.99%";
  }
  return hundredths === 0 && won > 0n ? "less than 0.01%" : `${hundredths / 100}%`;
}
