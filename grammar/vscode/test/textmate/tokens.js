// Reads files with the TextMate grammar as the editor does: `node tokens.js GRAMMAR FILE...` prints, as JSON, for each
// file its tokens (text, scopes) by line, and the scopes that are open at its end.
"use strict";

const fs = require("node:fs");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

async function main([grammarPath, ...files]) {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammarPath, "utf8"), grammarPath),
  });
  const grammar = await registry.loadGrammar("source.bouton");
  const answers = files.map((file) => {
    let stack = INITIAL;
    const lines = fs.readFileSync(file, "utf8").split(/\r?\n/).map((line) => {
      const read = grammar.tokenizeLine(line, stack);
      stack = read.ruleStack;
      return read.tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.slice(1)]);
    });
    return { lines, depth: stack.depth };
  });
  process.stdout.write(JSON.stringify(answers));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
