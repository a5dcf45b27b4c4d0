// Steps through the picture of a search: what came later is faint, and numbers are those of the step.
const slider = document.querySelector(".stepping input");
const words = document.querySelector(".stepping output");
const lines = [...document.querySelectorAll(".steps li")];
const last = Number(slider.max);
const parts = [...document.querySelectorAll("[data-came]")];
const signs = [...document.querySelectorAll("[data-signs]")].map((text) => {
  const changes = text.dataset.signs.split(";").map((change) => change.split(" "));
  return { text, changes: changes.map(([from, sign]) => ({ from: Number(from), sign: sign ?? "" })) };
});
function show(step) {
  const at = Math.max(0, Math.min(last, step));
  slider.value = at;
  for (const part of parts) {
    part.classList.toggle("later", Number(part.dataset.came) > at);
    part.classList.toggle("now", Number(part.dataset.visited) === at);
    part.classList.toggle("open", Number(part.dataset.known) > at);
  }
  for (const { text, changes } of signs) {
    text.textContent = changes.findLast(({ from }) => at >= from)?.sign ?? "";
  }
  lines.forEach((line, number) => line.classList.toggle("now", number + 1 === at));
  words.textContent = at === 0 ? "before the first step" : `${at} of ${last}: ${lines[at - 1].textContent}`;
}
const by = { first: () => 0, back: (at) => at - 1, on: (at) => at + 1, last: () => last };
for (const button of document.querySelectorAll(".stepping button")) {
  button.addEventListener("click", () => show(by[button.name](Number(slider.value))));
}
slider.addEventListener("input", () => show(Number(slider.value)));
lines.forEach((line, number) => line.addEventListener("click", () => show(number + 1)));
document.querySelector(".stepping").hidden = false;
show(last);
