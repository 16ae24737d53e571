/**
 * Audit annotations of webhooks. Source: apiserver v0.36 admission/plugin/webhook/{mutating,validating}/dispatcher.go,
 * admission/attributes.go checkKeyFormat.
 */
import { sortedMap } from "../../meta/field-errors.ts";
import { goJson } from "../../../api/go-json.ts";
import type { RequestAudit } from "../../context/audit.ts";
import type { Hook, HookType } from "./configurations.ts";

/** Adds the annotations of a webhook's response, prefixed with its name; those with invalid keys are dropped. */
export function annotateResponse(audit: RequestAudit, { hook, annotations }: ResponseAnnotations): void {
  for (const [key, value] of Object.entries(annotations))
    if (qualifiedName.test(key)) audit.annotate(`${hook.name}/${key}`, value);
}

/** The annotations in a webhook's response. */
export interface ResponseAnnotations {
  readonly hook: Hook;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The part of a key after the slash; the webhook's name, before it, was validated when it was stored. */
const qualifiedName = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Identifies a call within a request. */
export interface Turn {
  readonly hook: Hook;
  /** 0, or 1 on reinvocation. */
  readonly round: number;
  /** The index among all configured webhooks of the type; for validating ones, among the called ones. */
  readonly index: number;
}

const mutation = "mutation.webhook.admission.k8s.io/";

/** The annotations of one call. */
export class CallAnnotations {
  readonly #audit: RequestAudit | undefined;
  readonly #hook: Hook;
  readonly #place: string;

  constructor(audit: RequestAudit | undefined, { hook, round, index }: Turn) {
    this.#audit = audit;
    this.#hook = hook;
    this.#place = `round_${round}_index_${index}`;
  }

  /** Records whether a mutating webhook changed the object. */
  mutation(mutated: boolean): void {
    const { configuration, name: webhook } = this.#hook;
    this.#audit?.annotate(`${mutation}${this.#place}`, goJson({ configuration, webhook, mutated }));
  }

  /** Records the patch of a mutating webhook. */
  patch(operations: readonly unknown[]): void {
    const { configuration, name: webhook } = this.#hook;
    const value = { configuration, webhook, patch: operations.map(sortedMap), patchType: "JSONPatch" };
    this.#audit?.annotateRequest(`patch.webhook.admission.k8s.io/${this.#place}`, goJson(value));
  }

  /** Records a webhook that could not be called, but whose failures are ignored. */
  failedOpen(type: HookType): void {
    const prefix = type === "mutating" ? mutation : "validating.webhook.admission.k8s.io/";
    this.#audit?.annotate(`failed-open.${prefix}${this.#place}`, this.#hook.name);
  }
}
