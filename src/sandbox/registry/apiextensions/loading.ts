/** The machinery of custom resources, loaded when a definition is first written or read from a snapshot: most servers never have one. */
import type * as Machinery from "./machinery.ts";

let loaded: typeof Machinery | undefined;
let loading: Promise<void> | undefined;

/** Loads the machinery; undefined if there is nothing to wait for. */
export function machineryReady(): Promise<void> | undefined {
  if (loaded !== undefined) return undefined;
  loading ??= import("./machinery.ts").then((module) => void (loaded = module));
  return loading;
}

/** True for a request that may need the machinery: any but a read of definitions. */
export function needsMachinery(method: string, path: string): boolean {
  return method !== "GET" && path.includes("apiextensions.k8s.io");
}

/** @throws Error before it is loaded. */
export function machinery(): typeof Machinery {
  if (loaded === undefined) throw new Error("Cannot serve custom resources: what serves them is not loaded yet");
  return loaded;
}
