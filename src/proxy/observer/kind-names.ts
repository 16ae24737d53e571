/** Maps resources, which paths name, to kinds, which events name. */
import { isObject } from "../../api/json.ts";
import { groupOf } from "../../api/kind.ts";
import type { ApiData } from "../../api/wire/format.ts";
import type { KindName } from "../../trace/names.ts";

/** A resource as named in paths. */
export interface ResourceName {
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly plural: string;
}

/** The kinds of built-in resources, and of others as learned from responses. */
export class KindNames {
  readonly #kinds = new Map<string, KindName>();

  constructor({ resources }: ApiData) {
    for (const [apiVersion, entries] of Object.entries(resources))
      for (const { name, kind } of entries) if (!name.includes("/")) this.learn({ apiVersion, plural: name }, kind);
  }

  /** The kind of a resource; if unknown, with the plural as its name. */
  of({ apiVersion, plural }: ResourceName): KindName {
    return this.#kinds.get(`${apiVersion} ${plural}`) ?? { group: groupOf(apiVersion), kind: plural };
  }

  /** Records the kind of a resource, unless it is known. */
  learn({ apiVersion, plural }: ResourceName, kind: string): void {
    const name = `${apiVersion} ${plural}`;
    if (!this.#kinds.has(name)) this.#kinds.set(name, { group: groupOf(apiVersion), kind });
  }

  /** Records the kinds in a discovery document: an `APIResourceList` or an `APIGroupDiscoveryList`. */
  learnFrom(document: unknown): void {
    if (!isObject(document)) return;
    const { kind, groupVersion, resources, items } = document;
    if (kind === "APIResourceList" && typeof groupVersion === "string")
      for (const resource of objects(resources))
        this.#learnOne({ apiVersion: groupVersion, name: resource["name"], kind: resource["kind"] });
    if (kind !== "APIGroupDiscoveryList") return;
    for (const group of objects(items)) {
      const { name } = isObject(group["metadata"]) ? group["metadata"] : {};
      for (const version of objects(group["versions"])) {
        const apiVersion = [name, version["version"]].filter((part) => part !== undefined && part !== "").join("/");
        for (const { resource, responseKind } of objects(version["resources"]))
          this.#learnOne({
            apiVersion,
            name: resource,
            kind: isObject(responseKind) ? responseKind["kind"] : undefined,
          });
      }
    }
  }

  #learnOne({
    apiVersion,
    name,
    kind,
  }: {
    readonly apiVersion: string;
    readonly name: unknown;
    readonly kind: unknown;
  }): void {
    if (typeof name === "string" && typeof kind === "string" && !name.includes("/"))
      this.learn({ apiVersion, plural: name }, kind);
  }
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
