/** Does `work` for each index below `count`, at most `lanes` of them at a time. */
export async function inLanes(
  { count, lanes }: { readonly count: number; readonly lanes: number },
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}
