/** Modules that most servers never need, loaded on first use. */
import { loadsModule } from "../../platform/module-loads.ts";

/** A module that is loaded on first use. */
export interface LazyModule<T> {
  /** Loads it; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined;
  /** @throws Error if it is not loaded yet. */
  get(): T;
}

/** A module that `load` imports; `what` names it in the error for callers that did not wait. */
export function lazyModule<T>(load: () => Promise<T>, what: string): LazyModule<T> {
  let loaded: T | undefined;
  let loading: Promise<void> | undefined;
  return {
    ready() {
      if (loaded !== undefined) return undefined;
      loading ??= loadsModule(load().then((module) => void (loaded = module)));
      return loading;
    },
    get() {
      if (loaded === undefined) throw new Error(`Cannot use ${what}: it is not loaded yet`);
      return loaded;
    },
  };
}
