/** Runs `work` for each item in order, at most `width` at a time; the promises of all items are available immediately. */
export function inFlight<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): ReadonlyMap<Item, Promise<Result>> {
  const started = new Map<Item, Promise<Result>>();
  const lanes: Promise<unknown>[] = Array.from({ length: width }, () => Promise.resolve());
  for (const [index, item] of items.entries()) {
    const result = (lanes[index % width] as Promise<unknown>).then(() => work(item));
    // The caller that awaits the result receives its error; the lane continues.
    lanes[index % width] = result.catch(() => undefined);
    started.set(item, result);
  }
  return started;
}
