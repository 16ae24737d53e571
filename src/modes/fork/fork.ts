/** A sandbox that follows a live cluster: what is read is the cluster's, and what is written stays here. */
import type { Transport } from "../../api/transport.ts";
import { createClient } from "../../client/api/client.ts";
import { readOnly } from "../../client/http/read-only.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { type DivergenceListener, Divergences } from "./divergences.ts";
import { type AsFound, type Following, Followers } from "./followers.ts";
import { OwnerGate, type OwnerGateOptions } from "./owner-gate.ts";
import { Passage } from "./passage.ts";
import { UserRights } from "./rights.ts";

/** What a fork is made from. */
export interface ForkOptions {
  /** Of the cluster. Only reads and self reviews are sent, whatever it could do. */
  readonly cluster: Transport;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Gets `list` and `watch` events of the fork's own reading. */
  readonly bus: TraceBus;
  readonly listener?: DivergenceListener;
  /** Holds back what the clients of the fork do on the cluster as well, and hears of what they did not do here in time. */
  readonly inStep?: Omit<OwnerGateOptions, "timeline">;
  /** Stays as the cluster was when each resource was first asked for. Default: it follows. */
  readonly isSnapshot?: boolean;
  /** What an object of the cluster is in the fork. Default: the same; Leases are free in any case. */
  readonly asFound?: AsFound;
}

/** A running fork. */
export interface Fork {
  /** For the clients of the fork: kubectl, a process, controllers. */
  readonly transport: Transport;
  readonly divergences: Divergences;
  readonly sandbox: Sandbox;
  /** How the definitions of custom kinds stand; unless they are followed, custom kinds can only be read. */
  readonly definitions: Following;
  /** Ends all reading of the cluster and all watches. */
  stop(): void;
}

const definitionKind = "CustomResourceDefinition";

/**
 * Makes a fork; resolves when the definitions of custom kinds are there. Anything else comes in when it is first asked for.
 * @throws TransportError, StatusError when the cluster cannot be read.
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
    const transport = new Passage({ sandbox, live, followers, rights, gate, definesKinds });
    return { transport, divergences, sandbox, definitions, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** What the sandbox made for itself is the cluster's to have. */
function removeAll({ server }: Sandbox): void {
  for (const collection of server.store.collections.values())
    for (const { object } of collection.range({}).toArray()) server.store.remove(collection, structuredClone(object));
}

/** What is written here can be compared with what is held of it. */
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
