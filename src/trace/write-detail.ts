import { isObject } from "../api/json.ts";
import type { OwnerReference } from "../api/object.ts";

/** Longer values are texts, not names; shorter ones stand everywhere. */
const shortestName = 3;
const longestName = 253;
/** Of large objects, the names that come first. */
const mostNames = 200;

/** What a written object says about others. */
export interface WrittenObject {
  readonly metadata?: {
    readonly uid?: string;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Whose a written object is, and what its body names: of ids and names alone, so that it may be kept. */
export class WriteDetail {
  /** The object that controls it, or else the first of its owners; undefined where it has none, or none is known. */
  readonly owner: Pick<OwnerReference, "kind" | "uid" | "name"> | undefined;
  /** The object's uid as far as it was known, also where the write was refused; empty for a create that was. */
  readonly uid: string;
  /** The owners in what was sent whose deletion the object holds up (`blockOwnerDeletion`). */
  readonly blockedOwners: readonly Pick<OwnerReference, "apiVersion" | "kind">[];
  /** The names and uids that stand in what was sent: owners, values of labels and annotations, fields called `name` or ending in `Name`. */
  readonly names: ReadonlySet<string>;

  /** `known`: the object as the response or an earlier read shows it. */
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
  let left = mostNames;
  const waiting: (readonly [value: unknown, isName: boolean])[] = [[sent, false]];
  // Breadth first: metadata comes before what lies deep in a spec.
  // What is pushed meanwhile is visited as well.
  for (const [value, isName] of waiting) {
    if (left <= 0) return;
    if (typeof value === "string") {
      if (!isName || value.length < shortestName || value.length > longestName) continue;
      left--;
      yield value;
    } else if (Array.isArray(value)) for (const item of value) waiting.push([item, isName]);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value))
        if (!isData.test(key)) waiting.push([item, isNameField(key, isName)]);
  }
}

/** What Secrets and ConfigMaps hold is theirs. */
const isData = /^(data|stringData|binaryData)$/;

/** Below `labels`, `annotations` and `ownerReferences` every text may be a name. */
function isNameField(key: string, within: boolean): boolean {
  return within || /^(labels|matchLabels|annotations|ownerReferences|selector|uid|name)$|Name$|Ref$/.test(key);
}
