/** The machinery of custom resources, loaded when a definition is first written or read from a snapshot: most servers never need it. */
import { lazyModule, type LazyModule } from "../../meta/lazy-module.ts";
import type * as Machinery from "./machinery.ts";

const machineryModule: LazyModule<typeof Machinery> = lazyModule(
  () => import("./machinery.ts"),
  "what serves custom resources",
);

/** Loads the machinery; undefined if there is nothing to wait for. */
export const machineryReady = (): Promise<void> | undefined => machineryModule.ready();

/** @throws Error if it is not loaded yet. */
export const machinery = (): typeof Machinery => machineryModule.get();
