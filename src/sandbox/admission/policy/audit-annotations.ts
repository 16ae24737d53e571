/** Audit annotations of policies. Source: apiserver v0.36 admission/plugin/policy/validating/dispatcher.go. */
import type { AdmissionAttributes } from "../../context/attributes.ts";

const longestValue = 10 * 1024;

/** The annotations of one policy, with all its bindings and parameters. */
export class AuditAnnotations {
  readonly #policy: string;
  readonly #values = new Map<string, Set<string>>();

  constructor(policy: string) {
    this.#policy = policy;
  }

  add({ key, value }: { readonly key: string; readonly value: string }): void {
    const bytes = new TextEncoder().encode(value);
    const kept = bytes.length > longestValue ? new TextDecoder().decode(bytes.subarray(0, longestValue)) : value;
    this.#values.set(key, (this.#values.get(key) ?? new Set()).add(kept));
  }

  /** Different values of one key are joined with commas. */
  publish({ scope }: AdmissionAttributes): void {
    for (const [key, values] of this.#values) scope.audit?.annotate(`${this.#policy}/${key}`, [...values].join(", "));
  }
}

/** A failed validation. */
export interface ValidationFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly index: number;
  readonly actions: readonly string[];
}

/** Only the first failure of a request is recorded. */
export function auditFailure(
  { scope }: AdmissionAttributes,
  { message, policy, binding, index, actions }: ValidationFailure,
): void {
  const failure = { message, policy, binding, expressionIndex: index, validationActions: actions };
  scope.audit?.annotate("validation.policy.admission.k8s.io/validation_failure", JSON.stringify([failure]));
}
