import type { FieldNumbers } from "./decode.ts";
import type { ApiData } from "./format.ts";

let loaded: Promise<ApiData> | undefined;

/** The extracted data, 140 KB: loaded once, on first use. */
export function loadApiData(): Promise<ApiData> {
  // The compiler's type for a literal of this size is useless.
  loaded ??= import("./api.json", { with: { type: "json" } }).then((module) => module.default as unknown as ApiData);
  return loaded;
}

/** The numbers of all fields in protobuf, 40 KB. */
export async function loadFieldNumbers(): Promise<FieldNumbers> {
  return (await import("./numbers.json", { with: { type: "json" } })).default;
}
