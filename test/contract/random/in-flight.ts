/** Does `work` for each item in order, `width` of them at a time; the promise of each is there at once. */
export function inFlight<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): ReadonlyMap<Item, Promise<Result>> {
  const started = new Map<Item, Promise<Result>>();
  const lanes: Promise<unknown>[] = Array.from({ length: width }, () => Promise.resolve());
  for (const [index, item] of items.entries()) {
    const result = (lanes[index % width] as Promise<unknown>).then(() => work(item));
    // Whoever awaits the result is told of its failure; the lane goes on.
    lanes[index % width] = result.catch(() => undefined);
    started.set(item, result);
  }
  return started;
}
