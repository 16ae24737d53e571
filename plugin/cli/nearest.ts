/** The most likely intended word for an unknown one. */

/** The first name with the same prefix as the word, or one letter off; two, for a word that is long enough. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = word.length > 4 ? 2 : 1;
  return names.find((name) => name.startsWith(word) || word.startsWith(name) || distance(name, word) <= most);
}

/** Letters to add, remove, change or swap with the next one, to get from one word to the other (optimal string alignment). */
export function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const isSwapped = a[i] === b[j - 1] && a[i - 1] === b[j];
      next.push(
        Math.min(
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
          (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1),
          isSwapped ? (before[j - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
