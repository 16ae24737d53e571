/** A cluster, which is a sandbox, and a fork of it, in virtual time. */
import type { ApiRequest, Transport } from "../../../src/api/transport.ts";
import { readAll } from "../../../src/api/transport.ts";
import { createFork, type Fork } from "../../../src/modes/fork/fork.ts";
import type { Agreement, Divergence } from "../../../src/modes/fork/divergences.ts";
import type { Missed } from "../../../src/modes/fork/owner-gate.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { User } from "../../../src/sandbox/context/authorizer.ts";
import { TraceBus } from "../../../src/trace/bus.ts";

/** A response that has been read completely. */
export interface ReadResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads only fields that it knows to exist
  readonly body: any;
}

/** Sends requests to one of the two servers. */
export type Send = (method: ApiRequest["method"], path: string, body?: object, type?: string) => Promise<ReadResponse>;

export interface Scene {
  readonly timeline: VirtualTimeline;
  readonly cluster: Sandbox;
  readonly fork: Fork;
  /** Sends requests as the cluster's admin, bypassing the fork. */
  readonly onCluster: Send;
  readonly onFork: Send;
  /** Requests from the fork to the cluster: `GET /api/v1/pods`. */
  readonly sent: readonly string[];
  readonly diverged: readonly Divergence[];
  readonly agreed: readonly Agreement[];
  readonly missed: readonly Missed[];
  /** Runs until everything is idle. */
  readonly settle: () => Promise<void>;
}

const merge = "application/merge-patch+json";
const never = new AbortController().signal;

/** Runs virtual time until a promise settles. */
export async function during<T>(timeline: VirtualTimeline, promise: Promise<T>): Promise<T> {
  const progress = { settled: false };
  const end = (): void => void (progress.settled = true);
  promise.then(end, end);
  for (let turns = 0; !progress.settled && turns < 100_000; turns++) await timeline.runUntil({ steps: 1 });
  if (!progress.settled) throw new Error("it does not end");
  return promise;
}

function senderTo(timeline: VirtualTimeline, transport: Transport): Send {
  const encode = (body: object): Uint8Array => new TextEncoder().encode(JSON.stringify(body));
  return (method, path, body, type) => {
    const [plain = "", query = ""] = path.split("?");
    const contentType = type ?? (method === "PATCH" ? merge : "application/json");
    const sendAndRead = async (): Promise<ReadResponse> => {
      const response = await transport.send({
        method,
        path: plain,
        query: [...new URLSearchParams(query)],
        headers: { accept: "application/json", "content-type": contentType, "user-agent": "manager/1" },
        ...(body !== undefined && { body: encode(body) }),
        signal: never,
      });
      const text = new TextDecoder().decode(await readAll(response.body));
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
    };
    return during(timeline, sendAndRead());
  };
}

export interface SceneOptions {
  /** The fork's user on the cluster; by default its admin. */
  readonly user?: User;
  /** Holds back the changes that clients of the fork also make on the cluster. */
  readonly inStep?: boolean;
  readonly isSnapshot?: boolean;
}

export async function forkScene({ user, inStep, isSnapshot = false }: SceneOptions = {}): Promise<Scene> {
  const timeline = virtualTimeline(Date.parse("2026-01-01T00:00:00Z"), seededRandom(1));
  const make = (seed: number): Promise<Sandbox> =>
    createSandbox({ timeline, random: seededRandom(seed), ...(user !== undefined && { rbac: true }) });
  const cluster = await during(timeline, make(2));
  const onCluster = senderTo(timeline, cluster.transport({ actor: "admin" }));
  const sent: string[] = [];
  const inner = cluster.transport({ actor: "fork's reading", ...(user !== undefined && { user }) });
  const recorded: Transport = {
    send(request) {
      sent.push(`${request.method} ${request.path}`);
      return inner.send(request);
    },
  };
  const [diverged, agreed, missed]: [Divergence[], Agreement[], Missed[]] = [[], [], []];
  const fork = await during(
    timeline,
    createFork({
      cluster: recorded,
      timeline,
      random: seededRandom(3),
      bus: new TraceBus({ now: () => timeline.now() }),
      listener: {
        written: (divergence) => void diverged.push(divergence),
        differs: (divergence) => void diverged.push(divergence),
        agreed: (agreement) => void agreed.push(agreement),
      },
      isSnapshot,
      ...(inStep === true && { inStep: { onMissed: (one: Missed) => void missed.push(one) } }),
    }),
  );
  const settle = async (): Promise<void> => void (await timeline.runUntil({ ms: 2000 }));
  const onFork = senderTo(timeline, fork.transport);
  return { timeline, cluster, fork, onCluster, onFork, sent, diverged, agreed, missed, settle };
}
