/** The current runtime. Everything that differs between runtimes depends on this and lives in this folder. */
import process from "node:process";

/** A supported runtime. */
export type Runtime = "bun" | "deno" | "node";

/** Bun and Deno both imitate Node, so they are detected first. */
export const runtime: Runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";

/** The runtime and its version: `Bun 1.4.5`. */
export function runtimeName(): string {
  switch (runtime) {
    case "bun":
      return `Bun ${process.versions["bun"] ?? ""}`;
    case "deno":
      return `Deno ${process.versions["deno"] ?? ""}`;
    case "node":
      return `Node ${process.versions.node}`;
  }
}
