/** Admission policies and their bindings: what the API server checks or changes in requests by CEL expressions. */
import type { Kind } from "../api/kind.ts";
import { MutatingAdmissionPolicyBindings, ValidatingAdmissionPolicyBindings } from "../api/kinds.ts";
import type { StoredObject } from "../api/object.ts";
import type { AdmissionPolicyBinding, ValidatingAdmissionPolicy } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Examined, type Finding, type Item, kubectl, refOf } from "./diagnosis.ts";
import { aside, type Look } from "./look.ts";

/** By the warnings about its expressions, and whether a binding refers to it. */
export function examineValidatingPolicy(look: Look, item: Item<ValidatingAdmissionPolicy>): Examined {
  const { metadata, status } = item.object;
  const warnings = status?.typeChecking?.expressionWarnings ?? [];
  const findings = warnings.map(({ fieldRef, warning }): Finding => {
    const lines = warning.split("\n").filter((line) => !line.startsWith(" |") && line.trim() !== "");
    return { at: refOf(item), why: `${fieldRef}: ${lines.join("; ")}` };
  });
  const isChecked = status?.observedGeneration === metadata.generation;
  const unchecked: Unseen = {
    what: "whether the types in its expressions are right",
    why: "its controller has not checked it",
    isDecisive: false,
  };
  const bindings = bindingsOf(look, { item, kind: ValidatingAdmissionPolicyBindings });
  return {
    says: findings.length > 0 ? "its expressions do not fit what it matches" : bindings.says,
    reached: findings.length === 0,
    findings,
    seen: [...(isChecked ? ["its status"] : []), ...bindings.seen],
    unseen: [...bindings.unseen, ...(isChecked ? [] : [unchecked])],
    notes: bindings.notes,
  };
}

/** Whether a binding refers to it: its expressions are only checked by the API server when it is written. */
export function examineMutatingPolicy(look: Look, item: Item): Examined {
  const { says, seen, unseen, notes } = bindingsOf(look, { item, kind: MutatingAdmissionPolicyBindings });
  return { says, reached: true, findings: [], seen: ["that it exists", ...seen], unseen, notes };
}

/** A policy, and the kind of its bindings. */
interface Bound {
  readonly item: Item;
  readonly kind: Kind<AdmissionPolicyBinding>;
}

function bindingsOf(
  look: Look,
  { item, kind }: Bound,
): Pick<Examined, "says" | "seen" | "unseen"> & { readonly notes: readonly string[] } {
  const { objects, unseen } = look.list(kind, "");
  const names = objects
    .filter(({ spec }) => spec.policyName === item.object.metadata.name)
    .map(({ metadata }) => metadata.name);
  if (unseen.length > 0) return { says: "it is stored", seen: [], unseen: aside(unseen), notes: [] };
  const isBound = names.length > 0;
  return {
    says: isBound ? `it is enforced by ${kind.kind} ${names.join(", ")}` : "it is stored, and no binding refers to it",
    seen: [`${objects.length} ${objects.length === 1 ? kind.kind : `${kind.kind}s`}`],
    unseen: [],
    notes: isBound ? [] : ["it is not enforced: no binding refers to it"],
  };
}

/** Examines the bindings of a kind of policy: whether the policy exists. Its parameters are not looked at. */
export function bindingOf(kind: Kind): (look: Look, item: Item<AdmissionPolicyBinding>) => Examined {
  return (look, item) => {
    const { policyName, paramRef } = item.object.spec;
    const says = `it enforces ${kind.kind} ${policyName}`;
    const found = look.get<StoredObject>(kind, "", policyName);
    if (found.is === "unseen") return { says, reached: undefined, findings: [], seen: [], unseen: [found.unseen] };
    const at = { kind, namespace: "", name: policyName };
    const advice = [kubectl(`get ${kind.plural}`)];
    const why = `there is no such ${kind.kind}: the binding enforces nothing`;
    const findings = found.is === "missing" ? [{ at, why, advice }] : [];
    const parameters: Unseen = { what: "its parameters", why: "they are not checked", isDecisive: false };
    const unseen = paramRef === undefined ? [] : [parameters];
    return { says, reached: findings.length === 0, findings, seen: [`${kind.kind} ${policyName}`], unseen };
  };
}
