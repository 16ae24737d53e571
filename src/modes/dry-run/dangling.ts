/**
 * Dangling references of the applied objects: a name without an object, a namespace that nothing defines, a selector that matches no pod, a
 * port that no container has. A reference whose target could not be looked up is unseen, not dangling.
 */
import { type ObjectKey, objectKey } from "../../api/key.ts";
import { formatSelector, matches, type Selector, selectorOf, selectorOfLabels } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { LabelSelector } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import type { AppliedChange } from "./apply.ts";
import { missing } from "./lacking.ts";
import { type Scope, whyTargetUnknown } from "./scope.ts";
import { type PodSpec, podSpecOf, type Reference, referencesOf } from "./references.ts";
import { backendsOf, type IngressLike, namedPortsOf, type ServiceLike } from "./services.ts";

/** A reference without a target. */
export interface DanglingReference {
  /** The object that contains the reference. */
  readonly of: KindName;
  readonly key: ObjectKey;
  /** `.spec.template.spec.volumes[0].configMap.name` */
  readonly field: string;
  /** `there is no ConfigMap shop/settings` */
  readonly why: string;
}

/** The references that were looked up. */
export interface References {
  /** How many were looked up. */
  readonly looked: number;
  readonly dangling: readonly DanglingReference[];
  readonly unseen: readonly Unseen[];
}

/** The states between which references are compared. */
export interface DanglingOptions {
  readonly before: State;
  readonly state: State;
  readonly scope: Scope;
}

/**
 * Looks up the references of everything that was applied and exists, and references of other objects to deleted ones.
 */
export function danglingOf(done: readonly AppliedChange[], { before, state, scope }: DanglingOptions): References {
  const dangling: DanglingReference[] = [];
  const unseen = new Map<string, Unseen>();
  const pods = new PodsByNamespace(state);
  let looked = 0;
  for (const { of, key, did, isCustom = false } of withoutDoubles(done)) {
    const object = state.get(entryName(of, key))?.object;
    if (object === undefined || did === "deleted") continue;
    const why = scope.doubtful?.get(object.metadata.namespace ?? "");
    if (why !== undefined) dangling.push({ of, key, field: ".metadata.namespace", why });
    if (isCustom) continue;
    const found = [
      ...referencesOf(object).map((reference) => lookUp(reference, state, scope)),
      ...matchesOf(object, state, pods),
    ];
    for (const { field, is } of found) {
      looked++;
      if (is === "there") continue;
      if ("why" in is) dangling.push({ of, key, field, why: is.why });
      else unseen.set(is.what, { ...is.because, what: is.what, isDecisive: true });
    }
  }
  const applied = new Set(done.map(({ of, key }) => entryName(of, key)));
  dangling.push(...referencesToDeleted(before, state, applied));
  return { looked, dangling, unseen: [...unseen.values()] };
}

/** References of other objects to deleted objects. Running pods no longer need theirs. */
function referencesToDeleted(before: State, state: State, applied: ReadonlySet<string>): readonly DanglingReference[] {
  const gone = new Set([...before.keys()].filter((name) => !state.has(name)));
  if (gone.size === 0) return [];
  return [...state].flatMap(([entry, { of, key, object }]) => {
    if (applied.has(entry) || controllerOf(object) !== undefined) return [];
    const lost = referencesOf(object).filter(
      ({ to, namespace, name, isOptional }) => !isOptional && gone.has(entryName(to, objectKey(namespace, name))),
    );
    return lost.map(({ field, to, namespace, name }) => ({
      of,
      key,
      field,
      why: `${to.kind} ${objectKey(namespace, name)} would be deleted`,
    }));
  });
}

/** An object may be both applied and scaled. */
function withoutDoubles(done: readonly AppliedChange[]): readonly AppliedChange[] {
  return [...new Map(done.map((each) => [entryName(each.of, each.key), each])).values()];
}

interface Looked {
  readonly field: string;
  readonly is:
    "there" | { readonly why: string } | { readonly what: string; readonly because: { readonly why: string } };
}

function lookUp(reference: Reference, state: State, scope: Scope): Looked {
  const { field, isOptional, to, namespace, name } = reference;
  const why = missing(reference, (of, key) => state.get(entryName(of, key))?.object);
  if (why === undefined || isOptional) return { field, is: "there" };
  const unknown = whyTargetUnknown(scope, reference);
  if (unknown === undefined) return { field, is: { why } };
  return { field, is: { what: `${to.kind} ${objectKey(namespace, name)}`, because: { why: unknown } } };
}

interface Template {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

/** Existing pods, and those that controllers which do not run here would create. */
class PodsByNamespace {
  #templates = new Map<string, Template[]>();

  constructor(state: State) {
    for (const { object } of state.values()) {
      const pods = podSpecOf(object);
      if (pods === undefined) continue;
      const namespace = object.metadata.namespace ?? "";
      const there = this.#templates.get(namespace);
      if (there === undefined) this.#templates.set(namespace, [pods]);
      else there.push(pods);
    }
  }

  fitting(selector: Selector, namespace: string): readonly Template[] {
    return (this.#templates.get(namespace) ?? []).filter(({ labels }) => matches(selector, labels));
  }
}

/** Selectors and ports. */
function matchesOf(object: StoredObject, state: State, pods: PodsByNamespace): readonly Looked[] {
  const namespace = object.metadata.namespace ?? "";
  switch (object.kind ?? "") {
    case "Service":
      return matchesOfService(object as ServiceLike, namespace, pods);
    case "PodDisruptionBudget": {
      const { selector } = (object as { readonly spec?: { readonly selector?: LabelSelector } }).spec ?? {};
      return [selectorFits(selectorOf(selector), namespace, pods)];
    }
    case "Ingress":
      return backendsOf(object as IngressLike).flatMap(({ field, name, port }) => {
        const service = state.get(entryName({ group: "", kind: "Service" }, objectKey(namespace, name)))?.object;
        if (service === undefined || (port.name === undefined && port.number === undefined)) return [];
        const ports = (service as ServiceLike).spec?.ports ?? [];
        const isThere = ports.some((each) =>
          port.name === undefined ? each.port === port.number : each.name === port.name,
        );
        const wanted = port.name ?? String(port.number);
        const why = `Service ${objectKey(namespace, name)} has no port ${wanted}`;
        return [{ field: `${field}.port`, is: isThere ? ("there" as const) : { why } }];
      });
    default:
      return [];
  }
}

function selectorFits(selector: Selector, namespace: string, pods: PodsByNamespace): Looked {
  const fits = pods.fitting(selector, namespace).length > 0;
  return { field: ".spec.selector", is: fits ? "there" : { why: `no pod has the labels ${formatSelector(selector)}` } };
}

function matchesOfService(service: ServiceLike, namespace: string, pods: PodsByNamespace): readonly Looked[] {
  const { spec } = service;
  const labels = spec?.selector ?? {};
  // Without a selector, its endpoints are managed by others.
  if (spec?.type === "ExternalName" || Object.keys(labels).length === 0) return [];
  const selector = selectorOfLabels(labels);
  const fitting = pods.fitting(selector, namespace);
  const fits = selectorFits(selector, namespace, pods);
  if (fitting.length === 0) return [fits];
  const names = new Set(fitting.flatMap((pod) => portNamesOf(pod.spec)));
  const ports = namedPortsOf(service).map(({ field, name }): Looked => ({
    field,
    is: names.has(name) ? "there" : { why: `no container of its pods has a port named ${name}` },
  }));
  return [fits, ...ports];
}

function portNamesOf({ containers, initContainers = [] }: PodSpec): readonly string[] {
  // Sidecars serve ports too.
  return [...containers, ...initContainers].flatMap(({ ports = [] }) => ports.flatMap(({ name }) => name ?? []));
}
