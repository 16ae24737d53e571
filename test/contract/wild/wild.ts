/** Cases of requests with one or a few errors: objects of every kind with a field changed to something wild. */
import type { Random } from "../../../src/platform/random.ts";
import type { Schema, Struct } from "../../../src/api/wire/schema.ts";
import { get, post, put, settle, type Case, type Step } from "../case.ts";
import { diceOf } from "../random/dice.ts";
import { changedStruct } from "./changes.ts";
import type { Example, Json } from "./example.ts";

export function pathOf({ apiVersion, plural, namespaced }: Example): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/{ns}/${plural}` : `${root}/${plural}`;
}

export interface Wildness {
  /** The schema of the kind. */
  readonly struct: Struct;
  readonly schema: Schema;
  /** The number of new objects, and also of updates. */
  readonly length: number;
}

/** A case for one kind: `length` new objects and as many updates of an existing one, all of them dry runs. */
export function wildCase(random: Random, example: Example, { struct, schema, length }: Wildness): Case {
  const dice = diceOf(random);
  const path = pathOf(example);
  const nameOf = (name: string, index: number): string =>
    example.name === undefined ? name : example.name.replace("{n}", name).replace("{i}", String(index + 10));
  const bodyOf = (body: Json, name: string, index: number, more: Json = {}): Json => {
    const whole = { ...body, metadata: { name: nameOf(name, index), ...more } };
    return JSON.parse(JSON.stringify(whole).replaceAll("{n}", name)) as Json;
  };
  const wild = (): Json => {
    let body = example.body;
    do body = changedStruct(dice, body, struct, schema);
    while (dice.chance(0.25));
    return body;
  };
  const news = Array.from({ length }, (_, index) => post(path, bodyOf(wild(), `{ns}-${index}`, index), "dryRun=All"));
  if (example.newOnly === true) return { name: `${example.apiVersion} ${example.plural}`, steps: news };
  const object = `${path}/${nameOf("{ns}", 0)}`;
  const first: Step[] = [post(path, bodyOf(example.body, "{ns}", 0)), settle, get(object)];
  const version = { resourceVersion: "{2.metadata.resourceVersion}" };
  const updates = Array.from({ length }, () => put(object, bodyOf(wild(), "{ns}", 0, version), "dryRun=All"));
  return { name: `${example.apiVersion} ${example.plural}`, steps: [...first, ...news, ...updates] };
}
