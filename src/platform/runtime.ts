/** Which runtime this is. Everything that differs between them asks here, and lives in this folder. */

export type Runtime = "bun" | "deno" | "node";

/** Bun and Deno both pass for Node in many ways, so these two are looked for first. */
export const runtime: Runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";
