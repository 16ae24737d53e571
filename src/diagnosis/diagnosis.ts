/** What a diagnosis is: the contract between readers, the known kinds, and the screens. */
import type { Kind } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import { type Unseen, type Verdict, judge } from "../verdict/verdict.ts";

/** An object with its kind; items of a list do not contain it. */
export interface Item<T extends StoredObject = StoredObject> {
  readonly kind: Kind;
  readonly object: T;
}

/** Names an object, whether it exists or not. */
export interface Ref {
  readonly kind: Kind;
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
}

/** A command for the next step, without the flags that select a cluster. */
export interface Advice {
  readonly tool: "kubectl" | "reconcile";
  /** `logs web-x -c web --previous -n shop`. */
  readonly words: string;
}

/** Something that contradicts "well". */
export interface Finding {
  /** The object where it was found. */
  readonly at: Ref;
  readonly why: string;
  /** Since when, in ms since 1970. */
  readonly since?: number;
  /** The commands that lead on from here. */
  readonly advice?: readonly Advice[];
}

/** `failed` will not recover by itself; `waiting` may. */
export type Is = "well" | "waiting" | "failed" | "being deleted" | "cannot tell";

/** What a kind's own file finds about an object; `judged` turns it into a verdict. */
export interface Examined {
  /** The second half of the first line: `2 of 3 pods of ReplicaSet web-6d5f4c are available`. */
  readonly says: string;
  /** Whether the object itself reports its desired state; undefined if it reports nothing conclusive. */
  readonly reached: boolean | undefined;
  /** The first cause first. */
  readonly findings: readonly Finding[];
  /** What was looked at, each as a phrase. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
  readonly isFailed?: boolean;
  /** What happens next by itself, and when. */
  readonly next?: readonly string[];
  /** Shown, but neutral. */
  readonly notes?: readonly string[];
}

/** The verdict on one object. */
export interface Diagnosis {
  readonly of: Ref;
  readonly is: Is;
  readonly says: string;
  readonly verdict: Verdict<Finding>;
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The verdict on what was examined. An object that has not reached its state is never well, even if no cause was found;
 * and one that reports nothing is well only if something else was looked at, with nothing decisive left out.
 */
export function judged(of: Ref, examined: Examined): Diagnosis {
  const { says, reached, findings, seen, unseen, isFailed = false, next = [], notes = [] } = examined;
  const all = reached === false && findings.length === 0 ? [{ at: of, why: says }] : findings;
  const verdict = judge({ findings: distinct(all), seen, unseen });
  return { of, is: stateOf(verdict, isFailed), says, verdict, next, notes };
}

/** The findings without repetitions: several objects may lead to the same cause. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byText = new Map<string, Finding>();
  for (const finding of findings) {
    const { kind, namespace, name } = finding.at;
    byText.getOrInsertComputed(`${kind.kind} ${kind.group} ${namespace}/${name} ${finding.why}`, () => finding);
  }
  return [...byText.values()];
}

function stateOf(verdict: Verdict<Finding>, isFailed: boolean): Is {
  if (verdict.is === "found") return isFailed ? "failed" : "waiting";
  return verdict.is;
}

/** The findings of a verdict; none if it is well or cannot tell. */
export function findingsOf({ verdict }: Diagnosis): readonly Finding[] {
  return verdict.is === "found" ? verdict.findings : [];
}

/** The name of an item's object. */
export function refOf({ kind, object: { metadata } }: Item): Ref {
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name };
}

/** `Pod web-6d5f4c-x7k2p`. */
export function refText({ kind, name }: Ref): string {
  return `${kind.kind} ${name}`;
}

/** Whether both name the same object, in any version of its kind. */
export function isSameRef(a: Ref, b: Ref): boolean {
  return (
    a.kind.kind === b.kind.kind && a.kind.group === b.kind.group && a.namespace === b.namespace && a.name === b.name
  );
}

/** For spreading into a finding: its `since`, if known. */
export function since(ms: number | undefined): { readonly since?: number } {
  return ms === undefined ? {} : { since: ms };
}

/** ` -n shop`; empty for cluster-scoped objects. */
export function inNamespace(namespace: string | undefined): string {
  return namespace === undefined || namespace === "" ? "" : ` -n ${namespace}`;
}

/** Advice to run kubectl with these words. */
export function kubectl(words: string): Advice {
  return { tool: "kubectl", words };
}
