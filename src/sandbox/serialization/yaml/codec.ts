/** YAML for the server, loaded when somebody first sends it or asks for it: most never do. */
import type { ReadYaml } from "./read.ts";

/** Reads and writes YAML as sigs.k8s.io/yaml does. */
export interface YamlCodec {
  /** @throws YamlProblem */
  read(body: Uint8Array): ReadYaml;
  write(json: unknown): string;
}

/** Where the server keeps it. */
export interface YamlSlot {
  codec?: YamlCodec;
}

/** The media type of YAML. */
export const yamlType = "application/yaml" as const;

/** Makes it ready for a request that needs it; undefined where there is nothing to wait for. */
export function yamlReadyFor(slot: YamlSlot, headers: Readonly<Record<string, string>>): Promise<void> | undefined {
  const asked = (headers["content-type"] ?? "").includes(yamlType) || (headers["accept"] ?? "").includes(yamlType);
  return asked && slot.codec === undefined ? load(slot) : undefined;
}

async function load(slot: YamlSlot): Promise<void> {
  const [{ readYaml }, { writeYaml }] = await Promise.all([import("./read.ts"), import("./write.ts")]);
  slot.codec = { read: readYaml, write: writeYaml };
}
