/**
 * The ConfigMaps and Secrets that containers need before they start. Volumes are set up for the whole pod, environment variables for each
 * container. Source: kubernetes v1.36 pkg/kubelet/kubelet_pods.go makeEnvironmentVariables, pkg/volume/{configmap,secret,projected}.
 */
import {
  type ConfigurationReference,
  configurationOfContainer,
  configurationOfVolume,
  isNeeded,
} from "../../api/pod-configuration.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { ConfigMap, Pod, Secret } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { configErrorReason, type ContainerLife, type LifecycleEvent, type PodLife } from "./life.ts";

/** How long until what was missing is looked for again, in ms. */
export const lookAgainMs = 2000;

/**
 * Holds back what lacks a ConfigMap or a Secret, and releases what no longer does, changing `life` in place.
 * @returns what was held back now, for decisions and Events. @throws StatusError if one may not be read; TransportError.
 */
export async function holdUnconfigured(
  context: SyncContext,
  { pod, life }: { readonly pod: Pod; readonly life: PodLife },
): Promise<readonly LifecycleEvent[]> {
  const next = aboutToStart(life);
  if (next.length === 0 || life.stop !== undefined) return [];
  const objects = new Lookup(context, pod.metadata.namespace ?? "");
  const held: LifecycleEvent[] = [];
  const isSetUp = life.containers.some(({ state, last }) => state.is !== "waiting" || last !== undefined);
  const before = life.unmounted;
  life.unmounted = isSetUp ? undefined : await firstUnmounted(pod, objects);
  if (life.unmounted !== undefined) {
    if (life.unmounted !== before) held.push({ what: "not-mounted", message: life.unmounted });
    return held;
  }
  for (const container of next) {
    const message = await firstLack(configurationOfContainer(container.spec), objects);
    const { state } = container;
    if (state.is !== "waiting") continue;
    const isHeld = state.reason === configErrorReason;
    if (message === undefined) {
      if (isHeld) container.state = { is: "waiting", reason: "ContainerCreating" };
      continue;
    }
    if (isHeld && state.message === message) continue;
    container.state = { is: "waiting", reason: configErrorReason, message };
    held.push({ what: "not-configured", container: container.spec.name, message });
  }
  return held;
}

/** Whether something is held back, and will be looked for again. */
export function isHeld({ unmounted, containers, stop }: PodLife): boolean {
  if (stop !== undefined) return false;
  return (
    unmounted !== undefined ||
    containers.some(({ state }) => state.is === "waiting" && state.reason === configErrorReason)
  );
}

/** The containers that have never run and would start now: one init container, or all others once those have completed. */
function aboutToStart({ containers }: PodLife): readonly ContainerLife[] {
  const init = containers.find(
    ({ role, state }) => role === "init" && !(state.is === "terminated" && state.exitCode === 0),
  );
  const next = init === undefined ? containers.filter(({ role }) => role !== "init") : [init];
  return next.filter(({ state, last }) => state.is === "waiting" && last === undefined);
}

/** Reads each object once. */
class Lookup {
  #context: SyncContext;
  #namespace: string;
  #read = new Map<string, Promise<ConfigMap | Secret | undefined>>();

  constructor(context: SyncContext, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
  }

  get({ kind, name }: ConfigurationReference): Promise<ConfigMap | Secret | undefined> {
    const known = `${kind.kind} ${name}`;
    const read = this.#read.get(known) ?? this.#get(kind, name);
    this.#read.set(known, read);
    return read;
  }

  async #get(kind: ConfigurationReference["kind"], name: string): Promise<ConfigMap | Secret | undefined> {
    try {
      return await this.#context.client.get<ConfigMap | Secret>(
        kind,
        { namespace: this.#namespace, name },
        { signal: this.#context.signal },
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

async function firstUnmounted({ spec }: Pod, objects: Lookup): Promise<string | undefined> {
  for (const volume of spec?.volumes ?? []) {
    const lack = await firstLack(configurationOfVolume(volume), objects);
    if (lack !== undefined) return `MountVolume.SetUp failed for volume "${volume.name}" : ${lack}`;
  }
  return undefined;
}

async function firstLack(references: readonly ConfigurationReference[], objects: Lookup): Promise<string | undefined> {
  for (const needed of references.filter(isNeeded)) {
    const { kind, name, dataKey } = needed;
    const object = await objects.get(needed);
    if (object === undefined) return `${kind.kind.toLowerCase()} "${name}" not found`;
    // A Secret has no binaryData.
    const { data, binaryData } = object as ConfigMap;
    if (dataKey !== undefined && !(dataKey in { ...data, ...binaryData }))
      return `couldn't find key ${dataKey} in ${kind.kind} ${object.metadata.namespace ?? ""}/${name}`;
  }
  return undefined;
}
