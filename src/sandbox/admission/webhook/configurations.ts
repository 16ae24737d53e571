/** The configured webhooks, in the order in which they are called. Source: apiserver v0.36 admission/configuration. */
import type { RequestScope } from "../../context/server.ts";
import type { MatchCondition } from "../../cel/admission/conditions.ts";
import { derived } from "../../meta/derived.ts";
import { fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import type { Entry } from "../../storage/entry.ts";
import { clientConfigOf, type ClientConfig } from "../../webhook/client-config.ts";
import { criteriaOf } from "../matching/criteria.ts";
import type { MatchCriteria } from "../matching/invocation.ts";

/** A webhook from a configuration. */
export interface Hook {
  readonly configuration: string;
  readonly name: string;
  /** Unique even if two webhooks have the same name. */
  readonly uid: string;
  readonly criteria: MatchCriteria;
  readonly matchConditions: readonly MatchCondition[];
  readonly client: ClientConfig;
  /** True if the request continues when the webhook cannot be called. */
  readonly ignoresFailure: boolean;
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  /** The versions of AdmissionReview that it accepts, in order of preference. */
  readonly reviewVersions: readonly string[];
  readonly isReinvoked: boolean;
}

/** Webhooks that mutate objects, or that validate them. */
export type HookType = "mutating" | "validating";

const group = "admissionregistration.k8s.io";
const plugins = { mutating: "MutatingAdmissionWebhook", validating: "ValidatingAdmissionWebhook" } as const;

/** True if a configured webhook of the type may match the request. Configurations of webhooks and policies are exempt. */
export function hasHooks({ server, served }: RequestScope, type: HookType): boolean {
  if (server.webhooks === undefined || served.group === group || !server.admission.has(plugins[type])) return false;
  return server.store.collection(`${type}webhookconfigurations.${group}`, false).size > 0;
}

/** All webhooks of the type: by the name of their configuration, then in its order. */
export function hooksOf(scope: RequestScope, type: HookType): Hook[] {
  if (!hasHooks(scope, type)) return [];
  const configurations = scope.server.store.collection(`${type}webhookconfigurations.${group}`, false);
  return [...configurations.range({})].flatMap(hooksIn);
}

const hooksIn = derived(({ object }: Entry): readonly Hook[] => madeOf(object));

function madeOf(configuration: ApiObject): Hook[] {
  const times = new Map<string, number>();
  const { name: owner = "" } = configuration.metadata;
  return fieldsIn(configuration["webhooks"]).map((fields) => {
    const name = textOf(fields["name"]);
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    return hookOf(fields, { owner, uid: `${owner}/${name}/${before}` });
  });
}

function hookOf(fields: Fields, { owner, uid }: { readonly owner: string; readonly uid: string }): Hook {
  const [timeoutSeconds, clientConfig] = [fields["timeoutSeconds"], fields["clientConfig"]];
  return {
    configuration: owner,
    name: textOf(fields["name"]),
    uid,
    criteria: criteriaOf(fields),
    matchConditions: fieldsIn(fields["matchConditions"]).map((condition) => ({
      name: textOf(condition["name"]),
      expression: textOf(condition["expression"]),
    })),
    client: clientConfigOf(isFields(clientConfig) ? clientConfig : {}),
    ignoresFailure: fields["failurePolicy"] === "Ignore",
    sideEffects: textOf(fields["sideEffects"]),
    timeoutSeconds: typeof timeoutSeconds === "number" ? timeoutSeconds : 10,
    reviewVersions: textsIn(fields["admissionReviewVersions"]),
    isReinvoked: fields["reinvocationPolicy"] === "IfNeeded",
  };
}
