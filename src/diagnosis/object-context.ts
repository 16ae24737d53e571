/** The context of an object: its namespace, and its owners up to the topmost. */
import { Namespaces } from "../api/kinds.ts";
import { readTime } from "../api/time.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Finding, type Item, type Ref, refOf, since } from "./diagnosis.ts";
import type { Look } from "./look.ts";

/** Findings about the namespace and the owners of an object. */
export interface ObjectContext {
  readonly findings: readonly Finding[];
  readonly unseen: readonly Unseen[];
  /** From the nearest owner up: `ReplicaSet web-1`, `Deployment web`. */
  readonly owners: readonly Ref[];
}

const highest = 8;

/** Looks up the namespace and all owners. */
export function contextOf(look: Look, item: Item): ObjectContext {
  const { namespace = "" } = item.object.metadata;
  const findings: Finding[] = [];
  const unseen: Unseen[] = [];
  if (namespace !== "") {
    const found = look.get(Namespaces, "", namespace);
    if (found.is === "unseen") unseen.push({ ...found.unseen, isDecisive: false });
    const going = found.is === "found" ? found.object.metadata.deletionTimestamp : undefined;
    if (going !== undefined) {
      const why = "it is being deleted: nothing can be created in it, and everything in it will be deleted";
      findings.push({ at: { kind: Namespaces, namespace: "", name: namespace }, why, ...since(readTime(going)) });
    }
  }
  const owners: Ref[] = [];
  let level: readonly Item[] = [item];
  for (let height = 0; height < highest && level.length > 0; height++) {
    level = level.flatMap((each) => ownersOf(look, each, { findings, unseen, isDirect: height === 0 }));
    owners.push(...level.map(refOf));
  }
  return { findings, unseen, owners };
}

interface Collected {
  readonly findings: Finding[];
  readonly unseen: Unseen[];
  readonly isDirect: boolean;
}

function ownersOf(look: Look, item: Item, { findings, unseen, isDirect }: Collected): readonly Item[] {
  const { namespace = "", ownerReferences = [] } = item.object.metadata;
  const found: Item[] = [];
  const gone: string[] = [];
  for (const reference of ownerReferences) {
    const owner = look.owner(reference, namespace);
    if (owner.is === "unseen") unseen.push({ ...owner.unseen, isDecisive: false });
    else if (owner.is === "missing") gone.push(`${reference.kind} ${reference.name}`);
    else {
      found.push(owner.object);
      const finding = leaving(owner.object, isDirect);
      if (finding !== undefined) findings.push(finding);
    }
  }
  // While one owner exists, the garbage collector only removes the references to the others.
  if (gone.length > 0 && gone.length === ownerReferences.length) {
    const owner = `its owner ${gone.join(" and ")} does not exist`;
    findings.push({ at: refOf(item), why: `${owner}: the garbage collector will delete it` });
  }
  return found;
}

const foreground = "foregroundDeletion";

/** What the deletion of an owner means for its dependents. */
function leaving(owner: Item, isDirect: boolean): Finding | undefined {
  const { deletionTimestamp, finalizers = [] } = owner.object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const whose = isDirect ? "this owner" : "this indirect owner";
  const others = finalizers.filter((name) => name !== foreground).join(", ");
  const held = others === "" ? "" : `, blocked by finalizer ${others}`;
  const why = finalizers.includes(foreground)
    ? `${whose} is being deleted in the foreground, after its dependents${held}`
    : `${whose} is being deleted${held}`;
  return { at: refOf(owner), why, ...since(readTime(deletionTimestamp)) };
}
