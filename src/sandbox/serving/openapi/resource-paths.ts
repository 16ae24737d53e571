/** Where a resource is served. Source: apiserver v0.36 endpoints/installer.go. */
import type { ResourceData } from "../../../api/wire/format.ts";
import type { GroupVersionKind } from "./data.ts";

/** A resource or a subresource, as discovery lists it. */
export interface Listed {
  readonly group: string;
  readonly version: string;
  readonly data: ResourceData;
  /** The kind of the resource, also for a subresource; and of its lists. */
  readonly of: string;
  readonly listKind: string;
  /** Defined by a CustomResourceDefinition. */
  readonly isCustom: boolean;
  readonly returnsDeletedObject: boolean;
}

/** With a capital first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The paths of a resource or a subresource, and what else its operations have in common. */
export class ResourcePaths {
  readonly listed: Listed;
  readonly plural: string;
  /** `""` for the resource itself. */
  readonly subresource: string;
  /** The kind that the operations name. */
  readonly about: GroupVersionKind;
  /** `Pod`, `NamespacedPodStatus`. */
  readonly scoped: string;
  readonly #root: string;
  readonly #scope: string;

  constructor(listed: Listed) {
    this.listed = listed;
    const { data, of, isCustom } = listed;
    const [plural = "", subresource = ""] = data.name.split("/");
    this.plural = plural;
    this.subresource = subresource;
    const own = { group: listed.group, version: listed.version, kind: of };
    this.about = isCustom
      ? own
      : { group: data.group ?? own.group, version: data.version ?? own.version, kind: data.kind };
    this.#root = listed.group === "" ? `/api/${listed.version}` : `/apis/${listed.group}/${listed.version}`;
    this.#scope = data.namespaced ? "/namespaces/{namespace}" : "";
    this.scoped = `${data.namespaced ? "Namespaced" : ""}${of}${capitalized(subresource)}`;
  }

  /** Where objects are listed and created. */
  get collection(): string {
    return `${this.#root}${this.#scope}/${this.plural}`;
  }

  /** Where the objects of all namespaces are listed. */
  get ofAllNamespaces(): string {
    return `${this.#root}/${this.plural}`;
  }

  /** Of one object, or of the subresource. */
  get object(): string {
    return `${this.collection}/{name}${this.subresource === "" ? "" : `/${this.subresource}`}`;
  }

  /** The path where the same is watched by itself. */
  watch(path: string): string {
    return path.replace(this.#root, `${this.#root}/watch`);
  }

  /** The content of the object, and of what is written. */
  get own(): GroupVersionKind {
    const { data, group, version } = this.listed;
    return { group: data.group ?? group, version: data.version ?? version, kind: data.kind };
  }
}
