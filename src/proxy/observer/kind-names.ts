/** Which kind a resource is of: paths name resources, events name kinds. */
import { isObject } from "../../api/json.ts";
import { groupOf } from "../../api/kind.ts";
import type { ApiData } from "../../api/wire/format.ts";
import type { KindName } from "../../trace/names.ts";

/** A resource, as paths name it. */
export interface ResourceName {
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly plural: string;
}

/** The kinds of resources: the built-in ones, and those that responses have named. */
export class KindNames {
  readonly #kinds = new Map<string, KindName>();

  constructor({ resources }: ApiData) {
    for (const [apiVersion, entries] of Object.entries(resources))
      for (const { name, kind } of entries) if (!name.includes("/")) this.learn({ apiVersion, plural: name }, kind);
  }

  /** The kind of a resource; under the resource's own name where it is not known. */
  of({ apiVersion, plural }: ResourceName): KindName {
    return this.#kinds.get(`${apiVersion} ${plural}`) ?? { group: groupOf(apiVersion), kind: plural };
  }

  /** Notes the kind of a resource. Forms of an object, such as tables, are no kinds of it. */
  learn({ apiVersion, plural }: ResourceName, kind: string): void {
    const name = `${apiVersion} ${plural}`;
    if (!this.#kinds.has(name)) this.#kinds.set(name, { group: groupOf(apiVersion), kind });
  }

  /** Notes what a discovery document says: an `APIResourceList`, or an `APIGroupDiscoveryList`. */
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
