/** What a diagnosis is: the contract between what was read, the kinds that are known, and the screens. */
import type { Kind } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import { type Unseen, type Verdict, judge } from "../verdict/verdict.ts";

/** An object with its kind; items of a list do not carry it themselves. */
export interface Item<T extends StoredObject = StoredObject> {
  readonly kind: Kind;
  readonly object: T;
}

/** Which object is meant, whether it is there or not. */
export interface Ref {
  readonly kind: Kind;
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
}

/** A command that helps to go on, without the flags that choose a cluster. */
export interface Advice {
  readonly tool: "kubectl" | "reconcile";
  /** `logs web-x -c web --previous -n shop`. */
  readonly words: string;
}

/** One thing that speaks against "well". */
export interface Finding {
  /** The object where it was found. */
  readonly at: Ref;
  readonly why: string;
  /** Since when, in ms since 1970. */
  readonly since?: number;
  /** The commands that lead on from here. */
  readonly advice?: readonly Advice[];
}

/** `failed` will not get better by itself; `waiting` may. */
export type Is = "well" | "waiting" | "failed" | "being deleted" | "cannot tell";

/** What a kind's own file says of an object; `judged` makes the verdict of it. */
export interface Examined {
  /** The first line's second half: `2 of 3 pods of ReplicaSet web-6d5f4c are available`. */
  readonly says: string;
  /** Whether the object itself reports what is wanted of it; undefined where it reports nothing that would tell. */
  readonly reached: boolean | undefined;
  /** The first cause first. */
  readonly findings: readonly Finding[];
  /** What was looked at, each as a phrase. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
  readonly isFailed?: boolean;
  /** What comes next by itself, and when. */
  readonly next?: readonly string[];
  /** Shown, and speaking neither for nor against. */
  readonly notes?: readonly string[];
}

export interface Diagnosis {
  readonly of: Ref;
  readonly is: Is;
  readonly says: string;
  readonly verdict: Verdict<Finding>;
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The verdict on what was examined. What has not reached its state is never well, whether or not a cause was found; and what
 * reports nothing is well only where something else was looked at, with nothing decisive left out.
 */
export function judged(of: Ref, examined: Examined): Diagnosis {
  const { says, reached, findings, seen, unseen, isFailed = false, next = [], notes = [] } = examined;
  const all = reached === false && findings.length === 0 ? [{ at: of, why: says }] : findings;
  const verdict = judge({ findings: all, seen, unseen });
  return { of, is: stateOf(verdict, isFailed), says, verdict, next, notes };
}

function stateOf(verdict: Verdict<Finding>, isFailed: boolean): Is {
  if (verdict.is === "found") return isFailed ? "failed" : "waiting";
  return verdict.is;
}

/** The findings of a verdict; none where it is well or cannot tell. */
export function findingsOf({ verdict }: Diagnosis): readonly Finding[] {
  return verdict.is === "found" ? verdict.findings : [];
}

export function refOf({ kind, object: { metadata } }: Item): Ref {
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name };
}

/** `Pod web-6d5f4c-x7k2p`. */
export function refText({ kind, name }: Ref): string {
  return `${kind.kind} ${name}`;
}

export function isSameRef(a: Ref, b: Ref): boolean {
  return (
    a.kind.kind === b.kind.kind && a.kind.group === b.kind.group && a.namespace === b.namespace && a.name === b.name
  );
}

/** Spread into a finding: its `since`, where it is known. */
export function since(ms: number | undefined): { readonly since?: number } {
  return ms === undefined ? {} : { since: ms };
}

/** ` -n shop`; empty for objects without a namespace. */
export function inNamespace(namespace: string | undefined): string {
  return namespace === undefined || namespace === "" ? "" : ` -n ${namespace}`;
}

export function kubectl(words: string): Advice {
  return { tool: "kubectl", words };
}
