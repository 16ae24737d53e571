/** YAML, loaded when a client first sends or accepts it: most never do. */
import { readJson } from "../../meta/json.ts";
import type { ReadYaml } from "./read.ts";

/** Reads and writes YAML like sigs.k8s.io/yaml. */
export interface YamlCodec {
  /** @throws YamlProblem */
  read(body: Uint8Array): ReadYaml;
  write(json: unknown): string;
}

/** Where the server keeps the loaded codec. */
export interface YamlSlot {
  codec?: YamlCodec;
}

/** The media type of YAML. */
export const yamlType = "application/yaml" as const;

/** The media type of an apply configuration. */
const appliedType = "application/apply-patch+yaml";

/**
 * Loads the codec if a request needs it; undefined if there is nothing to wait for. An apply configuration in JSON, as controllers send it,
 * needs none: a cluster on virtual time must not wait for file reads.
 */
export function yamlReadyFor(
  slot: YamlSlot,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
): Promise<void> | undefined {
  if (slot.codec !== undefined) return undefined;
  const type = headers["content-type"] ?? "";
  const isYaml = type.includes(yamlType) || (headers["accept"] ?? "").includes(yamlType);
  return isYaml || (type.includes(appliedType) && !isPlainJson(body)) ? load(slot) : undefined;
}

/** True if a body is JSON without duplicate keys, which YAML treats differently. */
function isPlainJson(body: Uint8Array): boolean {
  try {
    return readJson(body, (problem) => problem).repeated.length === 0;
  } catch {
    return false;
  }
}

async function load(slot: YamlSlot): Promise<void> {
  const [{ readYaml }, { writeYaml }] = await Promise.all([import("./read.ts"), import("./write.ts")]);
  slot.codec = { read: readYaml, write: writeYaml };
}
