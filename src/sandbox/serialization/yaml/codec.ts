/** YAML, loaded when a client first sends or accepts it: most never do. */
import { readJson } from "../../meta/json.ts";
import type { ReadYaml } from "./read.ts";

/** Reads and writes YAML as sigs.k8s.io/yaml does. */
export interface YamlCodec {
  /** @throws YamlProblem */
  read(body: Uint8Array): ReadYaml;
  write(json: unknown): string;
}

/** Where the server keeps the codec once it is loaded. */
export interface YamlSlot {
  codec?: YamlCodec;
}

/** The media type of YAML. */
export const yamlType = "application/yaml" as const;

/** That of an applied configuration. */
const appliedType = "application/apply-patch+yaml";

/**
 * Loads the codec for a request that needs it; undefined if there is nothing to wait for. A configuration in JSON, as controllers
 * apply it, needs none: what they do in a cluster on virtual time waits for no file.
 */
export function yamlReadyFor(
  slot: YamlSlot,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
): Promise<void> | undefined {
  if (slot.codec !== undefined) return undefined;
  const type = headers["content-type"] ?? "";
  const asked = type.includes(yamlType) || (headers["accept"] ?? "").includes(yamlType);
  return asked || (type.includes(appliedType) && !isPlainJson(body)) ? load(slot) : undefined;
}

/** Whether a body is JSON without a key that is there twice, of which YAML makes something else. */
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
