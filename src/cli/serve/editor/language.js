// The colours of the language of `.bou` files: comments, strings, numbers, and words by their kind.
import { StreamLanguage } from "@codemirror/language";
import words from "./keywords.json";

const kinds = new Map([
  ...words.contextual.map((word) => [word, "contextual"]),
  ...words.items.map((word) => [word, "item"]),
  ...words.reserved.map((word) => [word, "keyword"]),
  ...words.types.map((word) => [word, "typeKeyword"]),
  ...words.constants.map((word) => [word, "atom"]),
  ...words.operators.map((word) => [word, "operatorKeyword"]),
]);
const OPERATOR = /^(:=|\+=|-=|\|=|<-|->|=>|==|!=|<=|>=|\.\.|[-+*/|&=<>#?])/;

/** The words that the language knows, for completion. */
export const KEYWORDS = [...kinds.keys(), ...words.variables].sort();

/** Reads the rest of a block comment, which may hold others. */
function comment(stream, state) {
  while (!stream.eol()) {
    if (stream.match("/*")) {
      state.comments += 1;
    } else if (stream.match("*/")) {
      state.comments -= 1;
      if (state.comments === 0) {
        break;
      }
    } else {
      stream.next();
    }
  }
  return "comment";
}

/** Reads the rest of a string; one with a single quotation mark ends at the end of its line. */
function string(stream, state) {
  while (!stream.eol()) {
    if (stream.match(state.quote)) {
      state.quote = null;
      return "string";
    }
    if (stream.next() === "\\" && state.quote === '"') {
      stream.next();
    }
  }
  if (state.quote === '"') {
    state.quote = null;
  }
  return "string";
}

/** The kind of a word at the place where it stands. */
function kindOf(word, stream, isFirst) {
  const kind = kinds.get(word);
  if (kind === "item") {
    // Most of these words are names elsewhere.
    const isName = stream.match(/^\s*(:=|[[(.:=])/, false);
    return isFirst && !isName ? "definitionKeyword" : words.reserved.includes(word) ? "keyword" : "variableName";
  }
  if (kind === "contextual") {
    return stream.match(/^(\s+[\w"#{-]|\s*[;{])/, false) ? "keyword" : "variableName";
  }
  if (kind) {
    return kind === "typeKeyword" ? "typeName" : kind;
  }
  if (words.variables.includes(word)) {
    return "self";
  }
  if (/^[A-Z]/.test(word)) {
    return "typeName";
  }
  return stream.match("(", false) ? "variableName.function" : "variableName";
}

function token(stream, state) {
  if (state.comments > 0) {
    return comment(stream, state);
  }
  if (state.quote !== null) {
    return string(stream, state);
  }
  if (stream.eatSpace()) {
    return null;
  }
  const { isFirst } = state;
  if (stream.match("//")) {
    const isDoc = stream.match(/^[/!](?!\/)/);
    stream.skipToEnd();
    return isDoc ? "docComment" : "lineComment";
  }
  if (stream.match("/*")) {
    state.comments = 1;
    return comment(stream, state);
  }
  state.isFirst = false;
  if (stream.match('"""')) {
    state.quote = '"""';
    return string(stream, state);
  }
  if (stream.match('"')) {
    state.quote = '"';
    return string(stream, state);
  }
  if (stream.match(/^[0-9]+(\.[0-9]+)?\b/)) {
    return "number";
  }
  const word = stream.match(/^[A-Za-z_][A-Za-z0-9_]*/);
  if (word) {
    return kindOf(word[0], stream, isFirst);
  }
  if (stream.match(OPERATOR)) {
    return "operator";
  }
  const sign = stream.next();
  if ("([{".includes(sign)) {
    state.depth += 1;
  } else if (")]}".includes(sign)) {
    state.depth = Math.max(0, state.depth - 1);
  }
  // An item begins after the end of another.
  state.isFirst = state.depth === 0 && (sign === ";" || sign === "}");
  return "punctuation";
}

export const bouton = StreamLanguage.define({
  name: "bouton",
  startState: () => ({ comments: 0, quote: null, depth: 0, isFirst: true }),
  copyState: (state) => ({ ...state }),
  token,
  indent(state, after, context) {
    if (state.comments > 0 || state.quote !== null) {
      return null;
    }
    const closes = /^\s*[)\]}]/.test(after) ? 1 : 0;
    return Math.max(0, state.depth - closes) * context.unit;
  },
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[)\]}]$/,
  },
});
