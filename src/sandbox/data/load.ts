import type { ApiData } from "./format.ts";

let loaded: Promise<ApiData> | undefined;

/** The extracted data, read once and only when a sandbox is made. */
export function loadApiData(): Promise<ApiData> {
  // The compiler's own type of a literal of this size is of no use.
  loaded ??= import("./api.json", { with: { type: "json" } }).then((module) => module.default as unknown as ApiData);
  return loaded;
}
