/** Code of kinds that is loaded on first use. */
import { expressionsReady } from "./admissionregistration/loading.ts";
import { machineryReady } from "./apiextensions/loading.ts";
import { selectorsReady } from "./resource/loading.ts";

/** Loads the code that a request needs; undefined if there is nothing to wait for, as for nearly every request. */
export function kindsReady(method: string, path: string): Promise<void> | undefined {
  if (method === "GET") return undefined;
  if (path.includes("apiextensions.k8s.io")) return machineryReady();
  if (path.includes("admissionregistration.k8s.io")) return expressionsReady();
  return path.includes("resource.k8s.io") ? selectorsReady() : undefined;
}
