/** TypeScript for a CustomResourceDefinition: its kinds as values, and the types of their objects from its schemas. */

/** The parts of a schema that describe the types of values. Source: apiextensions v1 JSONSchemaProps. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
}

/** The parts of a CustomResourceDefinition that types are generated from. */
export interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly storage?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: Schema };
    }[];
  };
}

/** The width at which comments are wrapped. */
const commentWidth = 120;

/** Generates a module with the kinds of the definitions, sorted by name, so that the result is deterministic. */
export function typesOf(definitions: readonly Definition[]): string {
  const sorted = definitions.toSorted((a, b) => (crdName(a) < crdName(b) ? -1 : 1));
  const names = new Names();
  const parts = sorted.flatMap((definition) =>
    versionsOf(definition).map((version) => new KindText({ definition, version, names }).text),
  );
  return `import { type Kind, kindOf, type StoredObject } from "kubectl-reconcile";\n\n${parts.join("\n")}`;
}

function crdName({ spec: { names, group } }: Definition): string {
  return `${names.plural}.${group}`;
}

type Version = Definition["spec"]["versions"][number];

/** The served versions; the stored one comes first and gets the plain name. */
function versionsOf({ spec }: Definition): readonly Version[] {
  const served = spec.versions.filter((version) => version.served !== false);
  return served.toSorted((a, b) => Number(b.storage === true) - Number(a.storage === true));
}

/** Makes the names in a module unique, because two groups may have a kind of the same name. */
class Names {
  readonly #taken = new Set(["Kind", "kindOf", "StoredObject"]);

  /** The name, with a number appended if it is already used. */
  free(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n++) name = `${wanted}${n}`;
    this.#taken.add(name);
    return name;
  }
}

interface KindParts {
  readonly definition: Definition;
  readonly version: Version;
  readonly names: Names;
}

/** Generates the text of one kind at one version. */
class KindText {
  readonly #definition: Definition;
  readonly #version: Version;
  readonly #names: Names;
  readonly #name: string;
  readonly #interfaces: string[] = [];

  constructor({ definition, version, names }: KindParts) {
    this.#definition = definition;
    this.#version = version;
    this.#names = names;
    const { kind } = definition.spec.names;
    this.#name = names.free(version.storage === true ? kind : `${kind}${capitalized(version.name)}`);
  }

  get text(): string {
    const { group, names, scope } = this.#definition.spec;
    const { name: version, schema } = this.#version;
    const { kind, plural, shortNames = [] } = names;
    const root = schema?.openAPIV3Schema ?? {};
    const fields = Object.entries(root.properties ?? {}).filter(
      ([field]) => !/^(apiVersion|kind|metadata)$/.test(field),
    );
    const body = this.#members(fields, { path: this.#name, required: root.required ?? [] });
    const own = `${comment(root.description ?? `${kind} of ${group}/${version}.`, "")}export interface ${this.#name} extends StoredObject {\n${body}${isOpen(root) ? openMember : ""}}\n`;
    const options = [
      `group: ${text(group)}`,
      `version: ${text(version)}`,
      `kind: ${text(kind)}`,
      `plural: ${text(plural)}`,
      `namespaced: ${scope !== "Cluster"}`,
      ...(shortNames.length === 0 ? [] : [`shortNames: [${shortNames.map(text).join(", ")}]`]),
    ];
    const value = this.#names.free(pluralName(this.#name, { kind, plural }));
    const scoped = scope === "Cluster" ? "cluster-scoped" : "in namespaces";
    const constant = `/** ${kind} (${group}/${version}), ${scoped}. */\nexport const ${value}: Kind<${this.#name}> = kindOf<${this.#name}>({\n${options.map((one) => `  ${one},\n`).join("")}});\n`;
    return [own, ...this.#interfaces, constant].join("\n");
  }

  #members(
    fields: readonly (readonly [string, Schema])[],
    { path, required }: { readonly path: string; readonly required: readonly string[] },
  ): string {
    return fields
      .map(([field, schema]) => {
        const type = this.#type(schema, path + capitalized(field));
        return `${comment(schema.description, "  ")}  readonly ${fieldName(field)}${required.includes(field) ? "" : "?"}: ${type};\n`;
      })
      .join("");
  }

  #type(schema: Schema, path: string): string {
    const type = this.#plainType(schema, path);
    return schema.nullable === true ? `${type} | null` : type;
  }

  #plainType(schema: Schema, path: string): string {
    if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
    if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
    const { type = "" } = schema;
    switch (type) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array": {
        const item = schema.items === undefined ? "unknown" : this.#type(schema.items, `${path}Item`);
        return /^readonly | \| /.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;
      }
      case "object":
        return this.#objectType(schema, path);
      default:
        return "unknown";
    }
  }

  #objectType(schema: Schema, path: string): string {
    const { properties = {}, additionalProperties, required = [] } = schema;
    const fields = Object.entries(properties);
    if (fields.length === 0) {
      const values =
        typeof additionalProperties === "object" ? this.#type(additionalProperties, `${path}Value`) : "unknown";
      return `Readonly<Record<string, ${values}>>`;
    }
    const name = this.#names.free(path);
    const open = isOpen(schema) ? openMember : "";
    // Reserves the position before nested interfaces.
    const place = this.#interfaces.push("") - 1;
    this.#interfaces[place] =
      `${comment(schema.description, "")}export interface ${name} {\n${this.#members(fields, { path: name, required })}${open}}\n`;
    return name;
  }
}

/** An index signature for fields that are not in the schema. */
const openMember = "  readonly [field: string]: unknown;\n";

function isOpen(schema: Schema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema["x-kubernetes-embedded-resource"] === true;
}

/** The name of the kind's value: `Foos` for `Foo` and `foos`, or `FooKind` if that equals the type's name. */
function pluralName(name: string, { kind, plural }: { readonly kind: string; readonly plural: string }): string {
  const lower = kind.toLowerCase();
  let same = 0;
  while (same < lower.length && lower[same] === plural[same]) same++;
  const whole = same === 0 ? capitalized(plural) : kind.slice(0, same) + plural.slice(same);
  const named = identifier(whole) + name.slice(kind.length);
  return named === name ? `${name}Kind` : named;
}

function capitalized(word: string): string {
  const name = identifier(word);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Converts a word to an identifier: removes invalid characters and capitalizes the letter after each. */
function identifier(word: string): string {
  return word.replaceAll(/[^\p{L}\p{N}$]+(.?)/gu, (_, next: string) => next.toUpperCase());
}

function fieldName(field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? field : text(field);
}

function text(value: string): string {
  return JSON.stringify(value);
}

/** A doc comment; any `*` followed by `/` inside it is escaped. */
function comment(description: string | undefined, indent: string): string {
  const escaped = (description ?? "").trim().replaceAll("*/", "*\\/");
  if (escaped === "") return "";
  const lines = escaped.split("\n").flatMap((line) => wrapped(line.trim(), commentWidth - indent.length - 3));
  if (lines.length === 1 && `${indent}/** ${lines[0]} */`.length <= commentWidth)
    return `${indent}/** ${lines[0]} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ""].join("\n");
}

function wrapped(line: string, width: number): readonly string[] {
  const lines = [""];
  for (const word of line.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
