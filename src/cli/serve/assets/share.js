// Rules in an address: DEFLATE, then base 64 with the characters that addresses allow. Texts that are saved as files.

const MAX_CHARACTERS = 16_000; // Longer addresses are cut off by some programs that one sends them with.
const MAX_BYTES = 131_072; // The greatest size of rules that the server takes.

async function through(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) {
      return new Blob(parts).arrayBuffer();
    }
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError("too long");
    }
    parts.push(value);
  }
}

/** Packs a text for an address; null if it is too long for one. */
export async function packed(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_BYTES) {
    return null;
  }
  const small = new Uint8Array(await through(bytes, new CompressionStream("deflate-raw"), Infinity));
  let binary = "";
  small.forEach((byte) => { binary += String.fromCharCode(byte); });
  const written = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return written.length > MAX_CHARACTERS ? null : written;
}

/** Unpacks the text of an address; throws if it is damaged, or if the text is too long. */
export async function unpacked(written) {
  if (written.length > MAX_CHARACTERS) {
    throw new RangeError("too long");
  }
  const binary = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
  const small = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
  const bytes = await through(small, new DecompressionStream("deflate-raw"), MAX_BYTES);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** Saves a text as a file; its name becomes one of small letters. */
export function save(text, name) {
  const [, stem, ending] = /^(.*)\.(\w+)$/.exec(name);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = `${stem.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "rules"}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
