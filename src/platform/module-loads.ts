/** Modules and data of this package that are loaded when they are first needed: no work of the program that virtual time could order. */

const underWay = new Set<Promise<unknown>>();

/** Returns the promise of an import. Until it is settled, virtual time stands still, so that how long the load takes decides nothing. */
export function loadsModule<T>(load: Promise<T>): Promise<T> {
  const end = (): void => void underWay.delete(load);
  underWay.add(load);
  load.then(end, end);
  return load;
}

/** Waits for all loads that are under way; undefined if there is none. Never rejects. */
export function modulesLoaded(): Promise<unknown> | undefined {
  return underWay.size === 0 ? undefined : Promise.allSettled(underWay);
}
