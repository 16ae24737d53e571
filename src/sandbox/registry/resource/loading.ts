/** The compiler for expressions that select devices, loaded when the first object that may have one is written. */
import type * as Selectors from "../../cel/devices/selectors.ts";
import { lazyModule, type LazyModule } from "../../meta/lazy-module.ts";

const selectorsModule: LazyModule<typeof Selectors> = lazyModule(
  () => import("../../cel/devices/selectors.ts"),
  "what compiles selectors of devices",
);

/** Loads it; undefined if there is nothing to wait for. */
export const selectorsReady = (): Promise<void> | undefined => selectorsModule.ready();

/** @throws Error if it is not loaded yet. */
export const selectors = (): typeof Selectors => selectorsModule.get();
