/**
 * What webhooks add to the audit log. Source: apiserver v0.36 admission/plugin/webhook/{mutating,validating}/dispatcher.go,
 * admission/attributes.go checkKeyFormat.
 */
import { sortedMap } from "../../meta/field-errors.ts";
import { goJson } from "../../../api/go-json.ts";
import type { RequestAudit } from "../../context/audit.ts";
import type { Hook, HookType } from "./configurations.ts";

/** The annotations that a webhook asks for, under its name; those whose keys are none are left out. */
export function annotateResponse(audit: RequestAudit, { hook, annotations }: AskedAnnotations): void {
  for (const [key, value] of Object.entries(annotations))
    if (qualifiedName.test(key)) audit.annotate(`${hook.name}/${key}`, value);
}

/** What a response of a webhook asks for. */
export interface AskedAnnotations {
  readonly hook: Hook;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What may follow the slash of a key; the name of a webhook, before it, was checked when it was configured. */
const qualifiedName = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Which call of a request it is. */
export interface Turn {
  readonly hook: Hook;
  /** 0, or 1 for a webhook that is asked again. */
  readonly round: number;
  /** Among all webhooks of the type that are configured; for those that validate, among those that are called. */
  readonly index: number;
}

const mutation = "mutation.webhook.admission.k8s.io/";

/** What one call of a webhook adds. */
export class CallAnnotations {
  readonly #audit: RequestAudit | undefined;
  readonly #hook: Hook;
  readonly #place: string;

  constructor(audit: RequestAudit | undefined, { hook, round, index }: Turn) {
    this.#audit = audit;
    this.#hook = hook;
    this.#place = `round_${round}_index_${index}`;
  }

  /** Whether a mutating webhook changed the object. */
  mutation(mutated: boolean): void {
    const { configuration, name: webhook } = this.#hook;
    this.#audit?.annotate(`${mutation}${this.#place}`, goJson({ configuration, webhook, mutated }));
  }

  /** The patch of a mutating webhook. */
  patch(operations: readonly unknown[]): void {
    const { configuration, name: webhook } = this.#hook;
    const value = { configuration, webhook, patch: operations.map(sortedMap), patchType: "JSONPatch" };
    this.#audit?.annotateRequest(`patch.webhook.admission.k8s.io/${this.#place}`, goJson(value));
  }

  /** A webhook that could not be called, and whose failures are ignored. */
  failedOpen(type: HookType): void {
    const prefix = type === "mutating" ? mutation : "validating.webhook.admission.k8s.io/";
    this.#audit?.annotate(`failed-open.${prefix}${this.#place}`, this.#hook.name);
  }
}
