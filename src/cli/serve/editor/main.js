// The code editor: CodeMirror in a shadow tree, so that its styles obey the content policy of the page.
import {
  autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completeFromList, completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { forEachDiagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { bouton, KEYWORDS } from "./language.js";

const colours = HighlightStyle.define([
  { tag: [tags.definitionKeyword, tags.keyword, tags.operatorKeyword], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.typeName, tags.self], color: "var(--code-type)" },
  { tag: [tags.number, tags.atom], color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.docComment, color: "var(--faint)" },
  { tag: tags.function(tags.variableName), color: "var(--code-function)" },
]);

// The pictures of CodeMirror's own theme are data in addresses, which the content policy forbids.
const wave = (colour) => ({ backgroundImage: "none", textDecoration: `underline wavy ${colour}`, textDecorationSkipInk: "none" });
const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "14px", height: "100%" },
  "&.cm-focused": { outline: "3px solid var(--link)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--faint)", borderRight: "1px solid var(--rule)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--code-line)" },
  ".cm-selectionMatch": { backgroundColor: "var(--code-match)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--code-match)", outline: "1px solid var(--faint)" },
  ".cm-lintRange-error": wave("var(--code-error)"),
  ".cm-lintRange-warning": wave("var(--code-warning)"),
  ".cm-lintRange-info": wave("var(--code-note)"),
  ".cm-lintRange-active": { backgroundColor: "var(--code-match)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--faint)", maxWidth: "36rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--link)", color: "var(--paper)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", padding: ".35rem .6rem", borderLeft: "4px solid var(--code-note)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--code-error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--code-warning)" },
  ".cm-diagnosticAction": {
    font: "inherit", fontSize: ".9em", color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--faint)",
    borderRadius: ".3rem", padding: ".15rem .5rem", margin: ".25rem .4rem 0 0", backgroundImage: "none",
  },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-panel.cm-search": { padding: ".4rem 2rem .4rem .6rem", fontSize: ".9rem" },
  ".cm-textfield, .cm-button": {
    color: "var(--ink)", backgroundColor: "var(--paper)", backgroundImage: "none", border: "1px solid var(--faint)",
  },
});

/** The edits of a fix as changes of the text. */
const changesOf = (fix) => fix.edits.map(({ from, to, text }) => ({ from, to, insert: text }));

/** Makes an editor in an element; `changed` is called after each change of its text. */
export function createEditor(holder, changed) {
  const root = holder.attachShadow({ mode: "open" });
  const parent = document.createElement("div");
  root.append(parent);
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const dark = new Compartment();
  const darkness = () => EditorView.theme({}, { dark: isDark.matches });
  let checked = null; // The text that the diagnostics are about; their edits fit no other.

  /** Makes the edits of a fix, if they still fit. */
  function make(fix) {
    if (view.state.doc === checked) {
      view.dispatch({ changes: changesOf(fix), userEvent: "input.fix", scrollIntoView: true });
    }
  }

  /** Makes the fix of the diagnostic at the cursor, or else of the first one of its line. */
  function fixHere(target) {
    const { head } = target.state.selection.main;
    const line = target.state.doc.lineAt(head);
    const near = [];
    forEachDiagnostic(target.state, (found, from, to) => {
      if (found.fixes.length && from <= line.to && to >= line.from) {
        near.push({ found, isHere: from <= head && head <= to });
      }
    });
    const best = near.find(({ isHere }) => isHere) ?? near[0];
    if (best) {
      make(best.found.fixes[0]);
    }
    return Boolean(best);
  }

  const extensions = [
    lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), indentOnInput(), bracketMatching(),
    closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), search({ top: true }),
    autocompletion({ override: [completeFromList(KEYWORDS), completeAnyWord], icons: false }),
    indentUnit.of("  "), bouton, syntaxHighlighting(colours), look, dark.of(darkness()), EditorView.lineWrapping,
    // Tab leaves the editor, as everywhere on the page.
    keymap.of([
      { key: "Mod-.", run: fixHere }, { key: "Alt-Enter", run: fixHere },
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
    ]),
    EditorView.contentAttributes.of({ "aria-label": "Rules of the game", "aria-describedby": "keys", spellcheck: "false" }),
    EditorView.updateListener.of((update) => update.docChanged && changed()),
  ];
  const stateOf = (doc) => EditorState.create({ doc, extensions });
  const view = new EditorView({ state: stateOf(""), parent, root });
  isDark.addEventListener("change", () => view.dispatch({ effects: dark.reconfigure(darkness()) }));

  return {
    text: () => view.state.doc.toString(),
    /** Replaces the text, with a history of its own. */
    setText(text) {
      view.setState(stateOf(text));
      view.dispatch({ effects: dark.reconfigure(darkness()) });
    },
    /** Shows the diagnostics of the text as it is. */
    showDiagnostics(found) {
      checked = view.state.doc;
      const length = view.state.doc.length;
      const placed = found.filter((of) => of.from !== null).map((of) => ({
        from: Math.min(of.from, length),
        to: Math.min(of.to, length),
        severity: of.severity === "note" ? "info" : of.severity,
        source: of.code,
        fixes: of.fixes,
        message: [of.title, of.label, ...of.notes, of.help && `help: ${of.help}`].filter(Boolean).join("\n"),
        renderMessage() {
          const text = document.createElement("span");
          text.textContent = this.message;
          return text;
        },
        actions: of.fixes.map((fix) => ({
          name: fix.title,
          apply: () => make(fix),
        })),
      }));
      view.dispatch(setDiagnostics(view.state, placed));
    },
    /** Makes the edits of a fix. */
    fix(fix) {
      make(fix);
      view.focus();
    },
    /** Selects a range and goes there. */
    select(from, to) {
      const end = view.state.doc.length;
      const selection = { anchor: Math.min(from, end), head: Math.min(to, end) };
      view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
      view.focus();
    },
    selectAll() {
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
      view.focus();
    },
    focus: () => view.focus(),
  };
}
