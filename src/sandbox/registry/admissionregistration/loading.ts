/** The compiler for the expressions of policies and webhooks, loaded when the first of these is written. */
import type * as Expressions from "../../cel/admission/compile.ts";
import { lazyModule, type LazyModule } from "../../meta/lazy-module.ts";

const expressionsModule: LazyModule<typeof Expressions> = lazyModule(
  () => import("../../cel/admission/compile.ts"),
  "what compiles expressions of admission",
);

/** Loads it; undefined if there is nothing to wait for. */
export const expressionsReady = (): Promise<void> | undefined => expressionsModule.ready();

/** @throws Error if it is not loaded yet. */
export const expressions = (): typeof Expressions => expressionsModule.get();
