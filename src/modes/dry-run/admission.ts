/**
 * Webhooks and admission policies of the cluster. A dry run does not call them; it reports those that would have been
 * called for its writes. Source: apiserver v0.36 admission/plugin/webhook/{generic,predicates,rules},
 * admission/plugin/policy/matching.
 */
import type { ObjectKey } from "../../api/key.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/types.ts";
import type { KindName, WriteEvent } from "../../trace/events.ts";
import { entryName, type State } from "../../views/state.ts";

/** A webhook or policy that matches writes of the dry run. */
export interface AdmissionNote {
  /** One sentence: what would have been called, and for which writes. */
  readonly text: string;
}

type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write, as admission sees it. */
interface AdmittedWrite {
  readonly operation: Operation;
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly subresource: string;
}

interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

interface Constraints {
  readonly rules?: readonly Rule[];
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

interface Webhook extends Constraints {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly unknown[];
}

interface WebhookConfiguration extends StoredObject {
  readonly webhooks?: readonly Webhook[];
}

interface Policy extends StoredObject {
  readonly spec?: { readonly matchConstraints?: Constraints; readonly matchConditions?: readonly unknown[] };
}

interface Binding extends StoredObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly matchResources?: Constraints;
    readonly validationActions?: readonly string[];
  };
}

const operations = {
  create: "CREATE",
  update: "UPDATE",
  patch: "UPDATE",
  delete: "DELETE",
  deletecollection: "DELETE",
} as const;

/** What admission learns from a write event. */
function admittedWrite({ verb, of, key, subresource = "" }: WriteEvent): AdmittedWrite {
  return { operation: operations[verb], of, key, subresource };
}

interface Seen {
  readonly write: AdmittedWrite;
  readonly plural: string;
  readonly object: StoredObject | undefined;
  readonly namespace: StoredObject | undefined;
}

/**
 * The webhooks and policies that match the writes.
 * @param before the state before the writes; it contains the configurations.
 */
export function admissionNotes(
  writes: readonly WriteEvent[],
  {
    before,
    after,
    pluralOf,
  }: { readonly before: State; readonly after: State; readonly pluralOf: (of: KindName) => string },
): readonly AdmissionNote[] {
  const seen = writes.map((event): Seen => {
    const write = admittedWrite(event);
    const name = entryName(write.of, write.key);
    const object = (after.get(name) ?? before.get(name))?.object;
    const slash = write.key.indexOf("/");
    const namespaceName = entryName({ group: "", kind: "Namespace" }, write.key.slice(0, Math.max(0, slash)));
    const namespace = (after.get(namespaceName) ?? before.get(namespaceName))?.object;
    return { write, plural: pluralOf(write.of), object, namespace };
  });
  const configurations = [...before.values()].map(({ object }) => object);
  return [...webhookNotes(configurations, seen), ...policyNotes(configurations, seen)];
}

function webhookNotes(objects: readonly StoredObject[], seen: readonly Seen[]): AdmissionNote[] {
  return objects.flatMap((object) => {
    if (!/^(Validating|Mutating)WebhookConfiguration$/.test(object.kind ?? "")) return [];
    return ((object as WebhookConfiguration).webhooks ?? []).flatMap((webhook) => {
      const hits = seen.filter((each) => isMatched(each, webhook));
      if (hits.length === 0) return [];
      const sure =
        (webhook.matchConditions ?? []).length === 0
          ? "would be called for"
          : "may be called for (its matchConditions are not evaluated)";
      const failing = webhook.failurePolicy === "Ignore" ? "" : ", and rejects them if it fails";
      const who = `${object.kind ?? ""} ${object.metadata.name} (${webhook.name})`;
      return [{ text: `not called here: ${who} ${sure} ${named(hits)}${failing}` }];
    });
  });
}

function policyNotes(objects: readonly StoredObject[], seen: readonly Seen[]): AdmissionNote[] {
  return objects.flatMap((object) => {
    const kind = object.kind ?? "";
    if (kind !== "ValidatingAdmissionPolicy" && kind !== "MutatingAdmissionPolicy") return [];
    const { spec } = object as Policy;
    const bindings = objects.filter(
      (each): each is Binding =>
        each.kind === `${kind}Binding` && (each as Binding).spec?.policyName === object.metadata.name,
    );
    const hits = seen.filter(
      (each) =>
        isMatched(each, spec?.matchConstraints ?? {}) &&
        bindings.some((binding) => isWithin(each, binding.spec?.matchResources)),
    );
    if (hits.length === 0) return [];
    const sure =
      (spec?.matchConditions ?? []).length === 0
        ? "would evaluate"
        : "may evaluate (its matchConditions are not evaluated)";
    const actions = [...new Set(bindings.flatMap((binding) => binding.spec?.validationActions ?? []))];
    const how = actions.length === 0 ? "" : ` (${actions.join(", ")})`;
    return [{ text: `not evaluated here: ${kind} ${object.metadata.name}${how} ${sure} ${named(hits)}` }];
  });
}

/** A binding without rules restricts only by its selectors. */
function isWithin(seen: Seen, constraints: Constraints | undefined): boolean {
  if (constraints === undefined) return true;
  const rules = constraints.resourceRules ?? [];
  if (rules.length > 0) return isMatched(seen, constraints);
  return isMatched(seen, { ...constraints, resourceRules: [anything] });
}

const anything: Rule = { operations: ["*"], apiGroups: ["*"], resources: ["*/*"] };

function isMatched(seen: Seen, constraints: Constraints): boolean {
  const rules = constraints.rules ?? constraints.resourceRules ?? [];
  if (!rules.some((rule) => fits(seen, rule))) return false;
  if ((constraints.excludeResourceRules ?? []).some((rule) => fits(seen, rule))) return false;
  const { object, namespace, write } = seen;
  const isNamespace = write.of.group === "" && write.of.kind === "Namespace";
  const judged = isNamespace ? object : namespace;
  // A namespaceSelector never excludes cluster-scoped objects.
  if (judged !== undefined && !isSelected(constraints.namespaceSelector, judged)) return false;
  return object === undefined || isSelected(constraints.objectSelector, object);
}

/** An absent selector excludes nothing. */
function isSelected(selector: LabelSelector | undefined, { metadata }: StoredObject): boolean {
  return selector === undefined || matches(selectorOf(selector), metadata.labels);
}

function fits({ write, plural, namespace }: Seen, rule: Rule): boolean {
  const has = (list: readonly string[] | undefined, ...words: readonly string[]): boolean =>
    (list ?? []).some((each) => words.includes(each));
  const { subresource } = write;
  const resources =
    subresource === "" ? ["*", "*/*", plural] : ["*/*", `${plural}/*`, `*/${subresource}`, `${plural}/${subresource}`];
  const { scope = "*", resourceNames = [] } = rule;
  const isInScope = scope === "*" || (scope === "Namespaced") === (namespace !== undefined);
  const name = write.key.slice(write.key.indexOf("/") + 1);
  return (
    has(rule.operations, "*", write.operation) &&
    has(rule.apiGroups, "*", write.of.group) &&
    has(rule.resources, ...resources) &&
    isInScope &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

const verbs: Readonly<Record<Operation, string>> = {
  CREATE: "create",
  UPDATE: "update",
  DELETE: "delete",
  CONNECT: "connect to",
};

/** `create Pod, update Deployment/status`. */
function named(seen: readonly Seen[]): string {
  const words = seen.map(
    ({ write: { operation, of, subresource } }) =>
      `${verbs[operation]} ${of.kind}${subresource === "" ? "" : `/${subresource}`}`,
  );
  return [...new Set(words)].join(", ");
}
