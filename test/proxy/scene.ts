/** A sandbox behind a proxy, and the events that the proxy reports. */
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import type { ObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { openObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { Stage, StageEvent } from "../../src/trace/events.ts";
import type { Transport } from "../../src/api/transport.ts";

export interface Scene {
  readonly sandbox: Sandbox;
  readonly proxy: ObservedProxy;
  readonly token: string;
  /** Sends a request to the proxy. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  /** Events of these stages so far; first processes everything that has passed the proxy. */
  reported<S extends Stage>(...stages: readonly S[]): readonly Extract<StageEvent, { stage: S }>[];
  stop(): Promise<void>;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface SceneOptions {
  /** Wraps the transport between the proxy and the sandbox. */
  readonly wrap?: (transport: Transport) => Transport;
  readonly maxBytes?: number;
}

export async function openScene({ wrap = (transport) => transport, maxBytes }: SceneOptions = {}): Promise<Scene> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  bus.listen((event) => void events.push(event));
  const sandbox = await createSandbox({ timeline, random: seededRandom(1) });
  const transport = wrap(sandbox.transport({ actor: "proxy" }));
  const proxy = await openObservedProxy({ transport, timeline, bus, ...(maxBytes !== undefined && { maxBytes }) });
  const kubeconfig = proxy.kubeconfig("default");
  const token = /token: (\S+)/.exec(kubeconfig)?.[1] ?? "";
  const ca = atob(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? "");
  return {
    sandbox,
    proxy,
    token,
    send: (method, path, { body, headers = {}, signal } = {}) =>
      fetch(proxy.url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "user-agent": "operator/v1",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
        tls: { ca },
      }),
    reported(...stages) {
      proxy.catchUp();
      return events.filter((event) => (stages as readonly Stage[]).includes(event.stage)) as never;
    },
    async stop() {
      await proxy.close();
      sandbox.stop();
    },
  };
}
