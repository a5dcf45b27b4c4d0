// Bundles the editor into one module, with the licences of its parts: node build.mjs TARGET
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const result = await build({
  absWorkingDir: folder,
  entryPoints: ["main.js"],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  write: true,
  outfile: process.argv[2],
  logLevel: "warning",
  banner: { js: notice() },
});

// A package of which nothing is in the bundle needs no licence, and one that is in it has one.
const used = new Set(Object.keys(result.metafile.inputs).map(packageOf).filter(Boolean));
const known = new Set(packages());
for (const name of used) {
  if (!known.has(name)) {
    throw new Error(`${name} is in the bundle, but not in the lock file`);
  }
}

function packageOf(path) {
  return /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

/** The packages of the lock file that are not for development alone. */
function packages() {
  const { packages: locked } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const own = Object.entries(locked).filter(([path, { dev }]) => path !== "" && !dev);
  return own.map(([path]) => path.slice("node_modules/".length)).sort();
}

/** The licences of the packages, each text once. */
function notice() {
  const texts = new Map();
  for (const name of packages()) {
    const { version, license } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
    if (license !== "MIT") {
      throw new Error(`${name} has the licence ${license}`);
    }
    const text = readFileSync(join(folder, "node_modules", name, "LICENSE"), "utf8").trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join(", ")}:\n\n${text}`);
  return `/*!\nMade by src/cli/serve/editor/build.mjs from these packages.\n\n${parts.join("\n\n")}\n*/`;
}
