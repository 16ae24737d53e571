/** A sandbox that follows a live cluster: reads show the cluster's objects, writes stay in the sandbox. */
import type { ObjectKey } from "../../api/key.ts";
import type { Transport } from "../../api/transport.ts";
import { createClient } from "../../client/api/client.ts";
import { readOnly } from "../../client/http/read-only.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { type DivergenceListener, Divergences } from "./divergences.ts";
import { type AsFound, type Following, Followers } from "./followers.ts";
import { OwnerGate, type OwnerGateOptions } from "./owner-gate.ts";
import { ForkTransport } from "./fork-transport.ts";
import { UserRights } from "./rights.ts";

/** Options of `createFork`. */
export interface ForkOptions {
  /** The transport to the cluster. Only reads and self reviews are sent to it. */
  readonly cluster: Transport;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Receives the `list` and `watch` events of the fork's own informers. */
  readonly bus: TraceBus;
  readonly listener?: DivergenceListener;
  /** Keeps the fork's client in step with a copy of it on the cluster: the copy's writes are held back, and reported if the client does not make them in time. */
  readonly inStep?: Omit<OwnerGateOptions, "timeline">;
  /** Keep each resource as it was when first requested. Default: follow the cluster. */
  readonly isSnapshot?: boolean;
  /** Transforms objects of the cluster on their way into the fork. Default: unchanged. Leases always lose their holder. */
  readonly asFound?: AsFound;
}

/** A running fork. */
export interface Fork {
  /** The API for clients of the fork: kubectl, a process, controllers. */
  readonly transport: Transport;
  readonly divergences: Divergences;
  readonly sandbox: Sandbox;
  /** The state of CustomResourceDefinitions; unless it is `followed`, custom resources can only be read. */
  readonly definitions: Following;
  /** The resourceVersion of an object in the cluster, as last read; in the fork it has another one. Undefined if it is not known to exist there. */
  liveVersion(resource: Resource, key: ObjectKey): string | undefined;
  /** Stops following the cluster, and ends all watches. */
  stop(): void;
}

const definitionKind = "CustomResourceDefinition";

/**
 * Creates a fork; resolves when CustomResourceDefinitions are loaded. Other resources are followed from the first request for them.
 * @throws TransportError, StatusError if the cluster cannot be read.
 */
export async function createFork(options: ForkOptions): Promise<Fork> {
  const { cluster, timeline, random, bus, inStep, isSnapshot = false, asFound } = options;
  const live = readOnly(cluster);
  const client = createClient({ transport: live, bus, timeline });
  const sandbox = await createSandbox({ timeline, random, defaultServiceAccounts: false, apiServerObjects: false });
  removeAll(sandbox);
  const { registry } = sandbox.server;
  const gate = inStep && new OwnerGate({ timeline, ...inStep });
  const divergences = new Divergences(
    () => timeline.now(),
    gate ? releasing(gate, options.listener) : options.listener,
  );
  const rights = new UserRights(client, () => timeline.now());
  const reading = { client, rights, timeline, random, bus };
  const followers = new Followers({
    sandbox,
    divergences,
    ...reading,
    isSnapshot,
    ...(asFound && { asFound }),
    ...(gate && { gate }),
  });
  const stop = (): void => {
    gate?.open();
    followers.stop();
    sandbox.stop();
  };
  const kind = registry.find("apiextensions.k8s.io/v1", "customresourcedefinitions");
  try {
    const definitions = kind === undefined ? "absent" : await followers.follow(kind, undefined);
    const definesKinds = (): boolean => divergences.list().some(({ of }) => of.kind === definitionKind);
    const transport = new ForkTransport({ sandbox, live, followers, rights, gate, definesKinds });
    const liveVersion: Fork["liveVersion"] = (resource, key) => followers.liveVersion(resource, key);
    return { transport, divergences, sandbox, definitions, liveVersion, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Removes the objects that a new sandbox creates: the fork has the cluster's instead. */
function removeAll({ server }: Sandbox): void {
  for (const collection of server.store.collections.values())
    for (const { object } of collection.range({}).toArray()) server.store.remove(collection, structuredClone(object));
}

/** Notifies the gate of writes in the fork, so that held changes can be compared with them. */
function releasing(gate: OwnerGate, listener: DivergenceListener | undefined): DivergenceListener {
  return {
    written(divergence) {
      listener?.written(divergence);
      gate.written(divergence);
    },
    differs: (divergence) => listener?.differs(divergence),
    agreed: (agreement) => listener?.agreed(agreement),
  };
}
