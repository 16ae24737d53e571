/** Modules and data of this package that are loaded on first use: not work of the program that virtual time could order. */

const underWay = new Set<Promise<unknown>>();

/** Returns the promise of an import. Until it is settled, virtual time stands still, so the duration of the load has no effect. */
export function loadsModule<T>(load: Promise<T>): Promise<T> {
  const end = (): void => void underWay.delete(load);
  underWay.add(load);
  load.then(end, end);
  return load;
}

/** Waits for all loads in progress; undefined if there are none. Never rejects. */
export function modulesLoaded(): Promise<unknown> | undefined {
  return underWay.size === 0 ? undefined : Promise.allSettled(underWay);
}
