import { isObject } from "../api/json.ts";
import type { OwnerReference } from "../api/object.ts";

/** Longer values are not names, and shorter ones occur everywhere. */
const minNameLength = 3;
const maxNameLength = 253;
/** Only the first names of a large object are collected. */
const maxNames = 200;

/** The parts of a written object that refer to other objects. */
export interface WrittenObject {
  readonly metadata?: {
    readonly uid?: string;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The owner of a written object, and the names in its body. Holds only ids and names, so that it can be kept. */
export class WriteDetail {
  /** The controlling owner, or else the first owner; undefined if there is none, or none is known. */
  readonly owner: Pick<OwnerReference, "kind" | "uid" | "name"> | undefined;
  /** The object's uid as far as it is known, even if the write was refused; empty for a refused create. */
  readonly uid: string;
  /** The owners in the request body with `blockOwnerDeletion`. */
  readonly blockedOwners: readonly Pick<OwnerReference, "apiVersion" | "kind">[];
  /** Names and uids in the request body: owners, values of labels and annotations, fields called `name` or ending in `Name`. */
  readonly names: ReadonlySet<string>;

  /** `sent`: the request body. `known`: the object as the response or an earlier read shows it. */
  constructor(sent: unknown, known: WrittenObject | undefined) {
    const [named, own] = [ownersOf(sent) ?? [], known?.metadata?.ownerReferences ?? []];
    const references = named.length > 0 ? named : own;
    const owner = references.find(({ controller }) => controller === true) ?? references[0];
    this.owner = owner === undefined ? undefined : { kind: owner.kind, uid: owner.uid, name: owner.name };
    this.uid = known?.metadata?.uid ?? "";
    const blocking = ownersOf(sent)?.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true) ?? [];
    this.blockedOwners = blocking.map(({ apiVersion, kind }) => ({ apiVersion, kind }));
    this.names = new Set(namesIn(sent));
  }

  toJSON(): unknown {
    return this.owner === undefined ? undefined : { owner: this.owner };
  }
}

function ownersOf(sent: unknown): readonly OwnerReference[] | undefined {
  const metadata = isObject(sent) ? sent["metadata"] : undefined;
  const references = isObject(metadata) ? metadata["ownerReferences"] : undefined;
  return Array.isArray(references) ? references.filter(isReference) : undefined;
}

function isReference(value: unknown): value is OwnerReference {
  return isObject(value) && typeof value["uid"] === "string" && typeof value["kind"] === "string";
}

function* namesIn(sent: unknown): Generator<string> {
  let remaining = maxNames;
  const waiting: (readonly [value: unknown, isName: boolean])[] = [[sent, false]];
  // Breadth first, so that metadata comes before what lies deep in a spec. The loop also visits the items pushed meanwhile.
  for (const [value, isName] of waiting) {
    if (remaining <= 0) return;
    if (typeof value === "string") {
      if (!isName || value.length < minNameLength || value.length > maxNameLength) continue;
      remaining--;
      yield value;
    } else if (Array.isArray(value)) for (const item of value) waiting.push([item, isName]);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value))
        if (!isData.test(key)) waiting.push([item, isNameField(key, isName)]);
  }
}

/** The contents of Secrets and ConfigMaps are not searched. */
const isData = /^(data|stringData|binaryData)$/;

/** Below `labels`, `annotations` and `ownerReferences`, every string may be a name. */
function isNameField(key: string, within: boolean): boolean {
  return within || /^(labels|matchLabels|annotations|ownerReferences|selector|uid|name)$|Name$|Ref$/.test(key);
}
