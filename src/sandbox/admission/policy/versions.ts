/**
 * An operation at the versions at which policies see it. Source: apiserver v0.36 admission/plugin/policy/generic/policy_dispatcher.go
 * versionedAttributeAccessor.
 */
import { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes, GroupVersionKind } from "../../context/attributes.ts";
import type { Steps } from "../../meta/steps.ts";
import type { Invocation } from "../matching/invocation.ts";
import { versionedObjects, type VersionedObjects } from "../matching/versions.ts";
import { namespaceObjectOf, type Seen } from "./input.ts";
import { ConfigurationError } from "./params.ts";

/** A key for the version of an object. */
export const versionKey = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

/** The objects of an operation by version, each converted once, before any policy changed them. */
export class SeenVersions {
  readonly #attributes: AdmissionAttributes;
  readonly #known = new Map<string, VersionedObjects>();

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Converts the objects for an invocation. @throws ConfigurationError if a webhook cannot convert them. */
  *make({ kind }: Invocation): Steps<VersionedObjects> {
    const key = versionKey(kind);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    try {
      const made = yield* versionedObjects(this.#attributes, kind);
      this.#known.set(key, made);
      return made;
    } catch (cause) {
      if (!(cause instanceof StatusError)) throw cause;
      throw new ConfigurationError(cause.message, { cause });
    }
  }

  /** What the policies of an invocation see; call `make` first. @throws StatusError 404 if the namespace does not exist. */
  seenAs(invocation: Invocation): Seen {
    const objects = this.#known.get(versionKey(invocation.kind));
    if (objects === undefined) throw new Error(`Cannot evaluate policies: no object of ${versionKey(invocation.kind)}`);
    const attributes = this.#attributes;
    return { attributes, invocation, ...objects, namespaceObject: namespaceObjectOf(attributes) };
  }
}
