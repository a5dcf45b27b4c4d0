// Looks at the page it is in, once that is there, and sends what is wrong to the page around it.
(() => {
  const tell = (words) => parent.postMessage(`${window.name}: ${words}`, "*");
  const missing = (event) => event.target !== window && tell(`asks for ${event.target.outerHTML}`);
  addEventListener("error", missing, true);

  const shown = (part) => part.checkVisibility() && part.getBoundingClientRect().width > 0;
  const short = (part) => JSON.stringify(part.textContent.trim().slice(0, 40));

  function asksNothing() {
    for (const entry of performance.getEntriesByType("resource")) tell(`asks for ${entry.name}`);
  }

  function fits(what) {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) tell(`${what}: wider than the screen, ${scrollWidth} of ${clientWidth}`);
  }

  // Texts of pictures lie within them and not over each other.
  function pictures() {
    for (const picture of document.querySelectorAll("svg")) {
      const frame = picture.getBoundingClientRect();
      const texts = [...picture.querySelectorAll("text")].filter((text) => text.textContent.trim() && shown(text));
      const boxes = texts.map((text) => text.getBoundingClientRect());
      boxes.forEach((box, i) => {
        const out = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
        if (out > 1) tell(`${short(texts[i])} is outside of its picture by ${out.toFixed(1)}`);
        for (let j = 0; j !== i; j++) {
          const other = boxes[j];
          const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
          const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
          // Lines of text have some air above and below.
          if (wide > 1 && high > 4) tell(`${short(texts[i])} lies over ${short(texts[j])}`);
        }
      });
    }
  }

  const colour = (words) => words.match(/[\d.]+/g).map(Number);
  const part = (c) => (c / 255 > 0.04045 ? ((c / 255 + 0.055) / 1.055) ** 2.4 : c / 255 / 12.92);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);

  // What is behind a part: the nearest colour that is not transparent.
  function ground(of) {
    for (let at = of; at; at = at.parentElement) {
      const own = colour(getComputedStyle(at).backgroundColor);
      if (own.length === 3 || own[3] > 0) return own;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  }

  // What is behind a text of a picture: the last shape drawn under its middle.
  function shape(text) {
    const piece = text.matches(".corner") ? null : text.closest(".piece");
    const own = piece && getComputedStyle(piece.querySelector("circle, rect, path")).fill;
    if (own && own !== "none") return colour(own);
    text.scrollIntoView({ block: "center", inline: "center" });
    const box = text.getBoundingClientRect();
    const under = document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const drawn = under.find((at) => at.matches("rect, circle, polygon") && getComputedStyle(at).fill !== "none");
    return drawn ? colour(getComputedStyle(drawn).fill) : ground(text.ownerSVGElement);
  }

  // The contrast of letters and ground by the Web Content Accessibility Guidelines.
  function legible() {
    const looked = new Set();
    for (const of of document.querySelectorAll("body *")) {
      const text = of.matches("svg text");
      const own = [...of.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!own || !shown(of) || of.closest("script, .later") || (of.closest("svg") && !text)) continue;
      const style = getComputedStyle(of);
      const ink = colour(text ? style.fill : style.color);
      const paper = text ? shape(of) : ground(of);
      const [low, high] = [light(ink), light(paper)].sort((a, b) => a - b);
      const contrast = (high + 0.05) / (low + 0.05);
      const key = `${ink} ${paper}`;
      if (4.5 > contrast && !looked.has(key)) {
        looked.add(key);
        tell(`${short(of)} is hard to read: ${ink} on ${paper}, ${contrast.toFixed(2)}`);
      }
    }
  }

  // What is folded is hidden, and one click shows it.
  function folds() {
    for (const fold of document.querySelectorAll("details")) {
      if (fold.open) tell("what is folded is open");
      const inside = [...fold.children].filter((child) => child.tagName !== "SUMMARY");
      if (inside.some(shown)) tell("what is folded is seen");
      fold.querySelector("summary").click();
      if (!fold.open || !inside.some(shown)) tell(`${short(fold)} does not unfold`);
    }
  }

  // The slider, the buttons and the lines go to a step: what came later is faint, and one line is marked.
  function steps() {
    const slider = document.querySelector(".stepping input");
    if (!slider) return;
    const last = Number(slider.max);
    const at = () => Number(slider.value);
    const faint = () => document.querySelectorAll("svg .later").length;
    const signs = () => [...document.querySelectorAll("svg .sign")].map((sign) => sign.textContent).join();
    const whole = signs();
    const expect = (step, what) => {
      if (at() !== step) tell(`${what}: at step ${at()}, not ${step}`);
      const marked = document.querySelectorAll(".steps .now").length;
      if (marked !== Math.min(step, 1)) tell(`${what}: ${marked} lines are marked`);
      if (!document.querySelector(".stepping output").textContent) tell(`${what}: nothing is said`);
    };
    const press = (name) => document.querySelector(`.stepping button[name=${name}]`).click();
    if (!shown(slider)) tell("the slider is hidden");
    expect(last, "at first");
    if (faint() !== 0) tell("the whole tree is faint");
    press("first");
    expect(0, "first");
    if (faint() === 0) tell("before the first step all is there");
    if (signs() === whole) tell("before the first step all is known");
    press("back");
    expect(0, "back from the start");
    let before = faint();
    for (let step = 1; last >= step; step++) {
      press("on");
      expect(step, "on");
      if (faint() > before) tell(`at step ${step} less is there than before`);
      before = faint();
    }
    press("on");
    expect(last, "on from the end");
    if (faint() !== 0 || signs() !== whole) tell("at the last step something is missing");
    press("back");
    expect(last - 1, "back");
    document.querySelector(".steps li").click();
    expect(1, "a line");
    slider.value = 2;
    slider.dispatchEvent(new Event("input"));
    expect(2, "the slider");
    press("last");
    expect(last, "last");
  }

  addEventListener("load", () => {
    asksNothing();
    fits("folded");
    pictures();
    folds();
    fits("unfolded");
    steps();
    legible();
    tell("done");
  });
})();
