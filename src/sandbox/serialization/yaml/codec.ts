/** YAML, loaded when a client first sends or accepts it: most never do. */
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

/** Loads the codec for a request that needs it; undefined if there is nothing to wait for. */
export function yamlReadyFor(slot: YamlSlot, headers: Readonly<Record<string, string>>): Promise<void> | undefined {
  const type = headers["content-type"] ?? "";
  const asked = type.includes(yamlType) || type.includes(appliedType) || (headers["accept"] ?? "").includes(yamlType);
  return asked && slot.codec === undefined ? load(slot) : undefined;
}

async function load(slot: YamlSlot): Promise<void> {
  const [{ readYaml }, { writeYaml }] = await Promise.all([import("./read.ts"), import("./write.ts")]);
  slot.codec = { read: readYaml, write: writeYaml };
}
