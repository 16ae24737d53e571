/** The paths of a resource. Source: apiserver v0.36 endpoints/installer.go. */
import type { ResourceData } from "../../../api/wire/format.ts";
import type { GroupVersionKind } from "./data.ts";

/** A resource or a subresource, as in discovery. */
export interface Listed {
  readonly group: string;
  readonly version: string;
  readonly data: ResourceData;
  /** The kind of the resource, also for a subresource; and its list kind. */
  readonly of: string;
  readonly listKind: string;
  /** Defined by a CustomResourceDefinition. */
  readonly isCustom: boolean;
  readonly returnsDeletedObject: boolean;
}

/** With a capital first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The paths of a resource or a subresource, and other properties that its operations share. */
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

  /** The path for listing and creating objects. */
  get collection(): string {
    return `${this.#root}${this.#scope}/${this.plural}`;
  }

  /** The path for listing the objects of all namespaces. */
  get ofAllNamespaces(): string {
    return `${this.#root}/${this.plural}`;
  }

  /** The path of one object, or of the subresource. */
  get object(): string {
    return `${this.collection}/{name}${this.subresource === "" ? "" : `/${this.subresource}`}`;
  }

  /** The deprecated watch path for a path. */
  watch(path: string): string {
    return path.replace(this.#root, `${this.#root}/watch`);
  }

  /** The content of the object, and of request bodies. */
  get own(): GroupVersionKind {
    const { data, group, version } = this.listed;
    return { group: data.group ?? group, version: data.version ?? version, kind: data.kind };
  }
}
