/**
 * The embedded cluster: an API server in this process, with nodes, a scheduler, a kubelet and any controllers.
 * `--sandbox`, `kubectl reconcile sandbox`, the demo and tests on virtual time use it.
 */
import type { Transport } from "../../api/transport.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { createClient } from "../../client/api/client.ts";
import type { Client } from "../../client/api/verbs.ts";
import { withKeys } from "../../controller/runtime/with-keys.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { ClusterKeys } from "../../controller/api/cluster-keys.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { clusterroleAggregation } from "../../controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { kubelet, nodeHeartbeat } from "../../controllers/kubelet/kubelet.ts";
import { simulatedNode } from "../../controllers/kubelet/node.ts";
import { persistentVolumeBinder } from "../../controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { standardClass } from "../../controllers/provisioner/default-class.ts";
import { provisioner } from "../../controllers/provisioner/provisioner.ts";
import { defineScheduler, scheduler } from "../../controllers/scheduler/scheduler.ts";
import { serviceaccount } from "../../controllers/serviceaccount/serviceaccount.ts";
import { CustomResourceDefinitions, Nodes, StorageClasses } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { CustomResourceDefinition } from "../../api/types.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import type { Authority } from "../../platform/certificate-authority.ts";
import { sandboxAuthority } from "../../platform/certificate.ts";
import type { Random } from "../../platform/random.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { AuditOptions } from "../../sandbox/audit/auditor.ts";
import { createSandbox, type Sandbox, type WebhookOptions } from "../../sandbox/sandbox.ts";
import type { SandboxState } from "../../sandbox/state/document.ts";
import { TraceBus } from "../../trace/bus.ts";
import { fieldManagerOf } from "../../api/own-field-manager.ts";

/** What the cluster consists of. */
export interface EmbeddedOptions {
  /** Real or virtual. */
  readonly timeline: Timeline;
  readonly random: Random;
  /** Receives the events of every controller, including scheduler and kubelet. Default: a bus without listeners. */
  readonly bus?: TraceBus;
  /** Run in addition to scheduler and kubelet. Duplicates run once. */
  readonly controllers?: readonly ControllerDefinition[];
  /** Starts from this state. Default: a new cluster. */
  readonly state?: SandboxState;
  /** Number of simulated nodes, from `node-1`; those in `state` are kept. Default 3; with a state, only its own. */
  readonly nodes?: number;
  /** Created before any cache is filled; their kinds are served when the controllers start. */
  readonly definitions?: readonly CreateInput<CustomResourceDefinition>[];
  /** Default true. */
  readonly scheduler?: boolean;
  /** Default true; without it, nothing runs on the nodes. */
  readonly kubelet?: boolean;
  /** Serves the metrics APIs, from annotations. Default: if the kubelet runs. */
  readonly metrics?: boolean;
  /** Disabled admission plugins, by name. */
  readonly disabledAdmissionPlugins?: readonly string[];
  /** Keeps an audit log. Default: none. */
  readonly audit?: AuditOptions;
  /** Evaluates RBAC, with the roles that every cluster has. Default: only the admin has rights, to do anything. */
  readonly rbac?: boolean;
  /** The ranges of Service addresses. Default: those of `state`, else `10.0.0.0/16`. */
  readonly serviceRanges?: readonly string[] | undefined;
  /** PEM of the CA of its serving certificate, for controllers that distribute it. */
  readonly serverCa?: string;
  /** Signs the certificates that clients and kubelets request. Default: a CA created for this cluster. */
  readonly authority?: Authority;
  /** Calls webhooks. Default: none is called. */
  readonly webhooks?: WebhookOptions;
  /** Freezes cached objects, so that a controller which changes one fails at once. */
  readonly freeze?: boolean;
  /** Wraps the transport of each client: for faults, delays, records. */
  readonly wrap?: (transport: Transport, actor: string) => Transport;
  readonly onEventLost?: (why: string) => void;
}

/** A running embedded cluster. */
export interface Embedded {
  readonly sandbox: Sandbox;
  readonly manager: ControllerManager;
  /** For controllers that need them. */
  readonly keys: ClusterKeys;
  /** A client with this field manager, which also names its hops on the timeline. */
  clientFor(name: string): Client;
  /** Resolves when running syncs have finished and no client is connected. */
  stop(): Promise<void>;
}

const readyPollMs = 2;

/**
 * Resolves when the controllers are running and, with a kubelet, the nodes are ready. A virtual timeline must be run
 * meanwhile.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { timeline, random, state } = options;
  const { nodes = state === undefined ? 3 : 0 } = options;
  const bus = options.bus ?? new TraceBus({ now: () => timeline.now() });
  const { disabledAdmissionPlugins = [], rbac = false, webhooks, serviceRanges } = options;
  const sandbox = await createSandbox({
    timeline,
    random,
    disabledAdmissionPlugins,
    rbac,
    // Only one of the two does it.
    aggregatesRoles: !controllersOf(options).includes(clusterroleAggregation),
    metrics: options.metrics ?? options.kubelet !== false,
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    ...(webhooks === undefined ? {} : { webhooks }),
    ...(serviceRanges === undefined ? {} : { serviceRanges }),
    ...(state === undefined ? {} : { state }),
  });
  const transportFor = (actor: string): Transport => {
    const transport = sandbox.transport({ actor });
    return options.wrap?.(transport, actor) ?? transport;
  };
  const clientFor = (fieldManager: string): Client =>
    createClient({ transport: transportFor(fieldManager), bus, timeline, fieldManager });
  const keys = keysOf(sandbox, options);
  const manager = new ControllerManager({
    controllers: withKeys(controllersOf(options), keys),
    informers: new SharedInformerFactory({
      client: clientFor("informers"),
      timeline,
      random,
      bus,
      ...(options.freeze !== undefined && { freeze: options.freeze }),
    }),
    clientOf: (definition) => clientFor(fieldManagerOf(definition)),
    bus,
    timeline,
    random,
    serverCa: options.serverCa,
    ...(options.onEventLost !== undefined && { onEventLost: options.onEventLost }),
  });
  const stop = async (): Promise<void> => {
    await manager.stop();
    sandbox.stop();
  };
  try {
    const client = clientFor("kubectl-reconcile-embedded");
    const made = await makeNodes(client, nodes);
    await makeDefinitions(client, options);
    if (state === undefined && bindsVolumes(options)) await client.create(StorageClasses, standardClass);
    await manager.fillCaches();
    manager.startWorkers();
    if (options.kubelet !== false) await nodesReady(client, timeline, made);
  } catch (error) {
    await stop();
    throw error;
  }
  return { sandbox, manager, keys, clientFor, stop };
}

/** The CA is created on first use. */
function keysOf({ server }: Sandbox, { timeline, authority, serverCa: rootCa }: EmbeddedOptions): ClusterKeys {
  let made = authority;
  return {
    get authority() {
      made ??= sandboxAuthority(timeline.now());
      return made;
    },
    signToken: (claims) => server.tokens.signForSecret(claims),
    rootCa,
  };
}

/** Whether claims are bound, so that pods wait for them and their volumes must be created. */
function bindsVolumes({ controllers = [], kubelet: runsNodes }: EmbeddedOptions): boolean {
  return runsNodes !== false && controllers.includes(persistentVolumeBinder);
}

const schedulerWithoutVolumes = defineScheduler({ bindsVolumes: false });

/** Each name runs once: a given controller replaces the cluster's own of the same name. */
function controllersOf(options: EmbeddedOptions): readonly ControllerDefinition[] {
  const withVolumes = bindsVolumes(options);
  const own = [
    serviceaccount,
    ...(options.scheduler === false ? [] : [withVolumes ? scheduler : schedulerWithoutVolumes]),
    ...(options.kubelet === false ? [] : [kubelet, nodeHeartbeat]),
    ...(withVolumes ? [provisioner] : []),
  ];
  const all = [...own, ...(options.controllers ?? [])];
  return [...new Map(all.map((definition) => [definition.name, definition])).values()];
}

/** Creates the first `count` nodes unless they exist, and returns the names of the created ones. */
async function makeNodes(client: Client, count: number): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  for (let n = 0; n < count; n++) {
    const node = simulatedNode(n);
    try {
      made.add((await client.create(Nodes, node)).metadata.name);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  return made;
}

const mostLooks = 100;

/** @throws StatusError for a refused definition, and Error for one whose names are taken: its kind is never served. */
async function makeDefinitions(
  client: Client,
  { timeline, definitions = [] }: Pick<EmbeddedOptions, "timeline" | "definitions">,
): Promise<void> {
  for (const definition of definitions) {
    const { name } = (await client.create(CustomResourceDefinitions, definition)).metadata;
    for (let look = 1; !(await isEstablished(client, name)); look++) {
      if (look === mostLooks) throw new Error(`Cannot serve ${name}: it is not established; its names may be taken`);
      await sleep(timeline, readyPollMs, "embedded cluster waits for its definitions");
    }
  }
}

async function isEstablished(client: Client, name: string): Promise<boolean> {
  const { status } = await client.get(CustomResourceDefinitions, { namespace: "", name });
  return status?.conditions?.some((each) => each.type === "Established" && each.status === "True") === true;
}

async function nodesReady(client: Client, timeline: Timeline, names: ReadonlySet<string>): Promise<void> {
  for (;;) {
    const { items } = await client.list(Nodes);
    const ready = items.filter((node) => {
      if (!names.has(node.metadata.name)) return false;
      return isNodeReady(node) && !(node.spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/not-ready");
    });
    if (ready.length >= names.size) return;
    await sleep(timeline, readyPollMs, "embedded cluster waits for its nodes");
  }
}
