// Writes down what the probes in the frames send.
addEventListener("message", ({ data }) => {
  document.querySelector("pre").append(data + "\n");
});
