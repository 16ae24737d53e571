/** The most likely intended word for an unknown one. */

/** The first name with the same prefix as the word, or one letter off; two, for a word that is long enough. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = word.length > 4 ? 2 : 1;
  return names.find((name) => name.startsWith(word) || word.startsWith(name) || distance(name, word) <= most);
}

/** Letters to add, remove or change to get from one word to the other (Levenshtein). */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split("").entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
