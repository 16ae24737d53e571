/** The kinds of kube-apiserver 1.36.3, and random paths through their fields: CEL expressions for the value of a field. */
import { readFileSync } from "node:fs";
import type { Random } from "../../../../src/platform/random.ts";
import { escapeName } from "../../../../src/sandbox/cel/schema/schema.ts";

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A kind that the server stores. */
export interface ServerKind extends GroupVersionKind {
  readonly plural: string;
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly verbs: readonly string[];
}

interface Data {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly kinds: readonly ServerKind[];
}

let data: Data | undefined;

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../../src/${path}`, import.meta.url), "utf8"));
}

function dataOfServer(): Data {
  if (data !== undefined) return data;
  const { schemas } = read("sandbox/serving/openapi/schemas.json") as Pick<Data, "schemas">;
  const { resources } = read("api/wire/api.json") as {
    readonly resources: Readonly<Record<string, readonly Resource[]>>;
  };
  const kinds = Object.entries(resources).flatMap(([groupVersion, all]) => {
    const [first = "", second] = groupVersion.split("/");
    const [group, version] = second === undefined ? ["", first] : [first, second];
    return all
      .filter(({ name, verbs }) => !name.includes("/") && verbs.includes("watch"))
      .map(({ name, kind }) => ({ group, version, kind, plural: name }));
  });
  data = { schemas, kinds };
  return data;
}

export const kindsOfServer = (): readonly ServerKind[] => dataOfServer().kinds;

function resolved(schema: Schema | undefined): Schema {
  const ref = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
  if (schema === undefined || ref === undefined) return schema ?? {};
  return dataOfServer().schemas[ref.replace("#/components/schemas/", "")] ?? {};
}

function schemaOf({ group, version, kind }: ServerKind): Schema {
  const isOf = (each: GroupVersionKind): boolean =>
    each.group === group && each.version === version && each.kind === kind;
  return (
    Object.values(dataOfServer().schemas).find((each) => each["x-kubernetes-group-version-kind"]?.some(isOf)) ?? {}
  );
}

/** Returns an expression such as `object.spec.ports[0].name`, sometimes with a nonexistent field at the end. */
export function walkIn(random: Random, kind: ServerKind, from = "object"): string {
  let path = from;
  let schema = schemaOf(kind);
  for (let steps = 0; steps < 12; steps++) {
    const { properties = {}, items, additionalProperties, type } = schema;
    const isOften = (name: string): boolean => steps > 0 || !/^(apiVersion|kind|metadata)$/.test(name);
    const all = Object.keys(properties).filter((name) => escapeName(name) !== undefined);
    const names = random.next() < 0.8 && all.some(isOften) ? all.filter(isOften) : all;
    const name = names[Math.floor(random.next() * names.length)];
    if (steps > 0 && random.next() < 0.1) return random.next() < 0.8 ? path : `${path}.none`;
    if (name !== undefined) {
      path += `.${escapeName(name)}`;
      schema = resolved(properties[name]);
    } else if (items !== undefined) {
      path += "[0]";
      schema = resolved(items);
    } else if (additionalProperties !== undefined && type === "object") {
      path += '["a"]';
      schema = resolved(additionalProperties);
    } else return path;
  }
  return path;
}
