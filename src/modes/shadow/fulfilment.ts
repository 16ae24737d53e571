/** Which act of the owner, seen as a delta, may be the write that a sync of ours intended. */
import type { StoredObject } from "../../api/object.ts";
import type { Act, Observed } from "./acts.ts";
import { creationDifferences, differences } from "./comparison.ts";
import { chooserOf, type Intention, ownerUidOf } from "./intention.ts";
import { isGenerated, type WouldBeWrite } from "./would-be-write.ts";

/** Whether the delta may fulfil the write, by verb and object. */
export function isFulfilled(write: WouldBeWrite, observed: Observed, act: Act): boolean {
  if (!isOfKind(write, observed)) return false;
  const { key, after } = observed;
  switch (write.verb) {
    case "create": {
      if (act !== "create") return false;
      if (!isGenerated(write)) return write.target === key;
      const uid = ownerUidOf(write);
      return (
        uid !== undefined && after !== undefined && uid === ownerUidOf({ ...write, verb: "delete", before: after })
      );
    }
    case "delete":
      return act === "delete" && write.target === key;
    case "update":
    case "patch":
      if (write.target !== key) return false;
      return write.after === undefined ? after === undefined : act === "update" || after !== undefined;
  }
}

/** Whether the delta shows an object of the write's kind. */
export function isOfKind({ kind, group }: WouldBeWrite, { of }: Observed): boolean {
  return kind === of.kind && group === of.group;
}

/** Among several creates with generateName, the one that intended this object: a DaemonSet creates its pods in any order of the nodes. */
export function closest(open: readonly Intention[], object: StoredObject | undefined): Intention | undefined {
  const [first] = open;
  if (first === undefined || open.length === 1 || object === undefined || !isGenerated(first.write)) return first;
  return open.find((each) => creationDifferences(each, object).length === 0) ?? first;
}

/** The paths at which the owner's write differs from the intention. */
export function pathsOf(intention: Intention, { after, before }: Observed): readonly string[] {
  const { write } = intention;
  if (write.verb === "delete" || write.after === undefined || after === undefined) return [];
  return write.verb === "create" ? creationDifferences(intention, after) : differences(write, after, before);
}

/** Whether two deletions choose from the objects of the same owner: the choice may change until one is deleted. */
export function isSibling(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  if (standing.verb !== "delete" || write.verb !== "delete" || standing.kind !== write.kind) return false;
  const uid = chooserOf(write.before);
  return uid !== undefined && uid === chooserOf(standing.before);
}

/** Whether a deleted object has the same owner as the one to be deleted. */
export function isSiblingOf(write: WouldBeWrite, { of, before }: Observed): boolean {
  if (write.verb !== "delete" || write.kind !== of.kind || before === undefined) return false;
  const uid = chooserOf(write.before);
  return uid !== undefined && uid === chooserOf(before);
}
