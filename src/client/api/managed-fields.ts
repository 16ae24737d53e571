/**
 * Parses objects without their managedFields, which are often half of an object's text: they are cut out of the text
 * before parsing, so that nothing is allocated for them. For readers that do not need them.
 */

/** Unescaped quotes and a colon: this is a key, never part of a string. */
const key = '"managedFields":[';
/** Replaces the array. Its presence in the object's metadata after parsing proves that the right text was cut. */
const stump = 0;

interface Stored {
  readonly metadata?: { managedFields?: unknown };
}

/**
 * Like `JSON.parse`, but `metadata.managedFields` may be dropped; keys of that name elsewhere are kept. @throws
 * SyntaxError.
 */
export function parseFrameDroppingManagedFields(text: string): unknown {
  const end = endOfArray(text, text.indexOf(key));
  if (end < 0) return JSON.parse(text) as unknown;
  const start = text.indexOf(key) + key.length - 1;
  const frame = JSON.parse(text.slice(0, start) + stump + text.slice(end)) as { readonly object?: Stored };
  return takeStump(frame.object) ? frame : (JSON.parse(text) as unknown);
}

/** The same for a list: managedFields of its items may be dropped. @throws SyntaxError. */
export function parseListDroppingManagedFields(text: string): unknown {
  const pieces: string[] = [];
  let from = 0;
  let cuts = 0;
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
    const end = endOfArray(text, at);
    if (end < 0) continue;
    pieces.push(text.slice(from, at + key.length - 1));
    from = end;
    cuts++;
  }
  if (cuts === 0) return JSON.parse(text);
  pieces.push(text.slice(from));
  const list = JSON.parse(pieces.join(String(stump))) as { readonly items?: unknown };
  const items: readonly unknown[] = Array.isArray(list.items) ? list.items : [];
  const own = items.reduce<number>((count, item) => count + (takeStump(item as Stored | undefined) ? 1 : 0), 0);
  return own === cuts ? list : (JSON.parse(text) as unknown);
}

/** Removes the replacement from an object's metadata, if present. */
function takeStump(object: Stored | null | undefined): boolean {
  const metadata = object?.metadata;
  if (metadata?.managedFields !== stump) return false;
  delete metadata.managedFields;
  return true;
}

/**
 * Where the array that starts at the end of the key ends, or −1 if that is not obvious. Field sets as the API server
 * writes them contain no arrays, so the first `]` is the end. It is accepted only if no other array starts before it,
 * and if what follows proves that it is outside a string: `}]},"s` or `}],"n`. The quote there starts a key, because a
 * comma, a colon or a bracket follows the quote that ends a string; so what lies between it and `}` is outside strings
 * too.
 */
function endOfArray(text: string, at: number): number {
  if (at < 0) return -1;
  const open = at + key.length - 1;
  const close = text.indexOf("]", open);
  const another = text.indexOf("[", open + 1);
  if (close < 0 || (another >= 0 && another < close) || text[close - 1] !== "}") return -1;
  let next = close + 1;
  while (text[next] === "}") next++;
  if (text[next] !== "," || text[next + 1] !== '"' || !isLetter(text.charCodeAt(next + 2))) return -1;
  return close + 1;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
