/** The connection of a program that uses this package: a kubeconfig, a real clock, real chance. */
import { loadRestConfig } from "../../client/config/load-rest-config.ts";
import { connect } from "../../client/connect.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { OwnLimits } from "../../client/http/rate-limit.ts";
import type { Fenced } from "../../client/http/write-fence.ts";
import { realHost } from "../../platform/host.ts";
import { type Random, realRandom } from "../../platform/random.ts";
import { realTimeline } from "../../platform/real-timeline.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { TraceBus } from "../../trace/bus.ts";

/** Which cluster to connect to; what is unset is taken from the kubeconfig, as kubectl does. */
export interface ClusterOptions {
  /** A path; unset: `KUBECONFIG`, then `~/.kube/config`, then the ServiceAccount of the pod that the program runs in. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig; unset: its current one. */
  readonly context?: string;
  /** A user to impersonate. */
  readonly as?: string;
  /** Sends reads only: any write throws before a byte is sent. Default false. */
  readonly readOnly?: boolean;
  /** Requests per second; 0 is no limit. Default 20, as in kube-controller-manager. */
  readonly qps?: number;
  /** Requests that may exceed `qps` at once. Default 30. */
  readonly burst?: number;
}

/** A connection to a cluster, from `connectToCluster`. */
export interface Cluster {
  /** A client whose field manager is `kubectl-reconcile`. */
  readonly client: Client;
  /** Carries the stage events of everything that uses this connection. */
  readonly bus: TraceBus;
  /** The clock of this connection. */
  readonly timeline: Timeline;
  /** The source of random numbers: names, jitter. */
  readonly random: Random;
  /** The API server's URL. */
  readonly server: string;
  /** PEM of the certificate authorities that the server is trusted by; undefined for those of the system. */
  readonly serverCa?: string | undefined;
  /** The context in use; empty when the program runs in a pod. */
  readonly context: string;
  /** The context's namespace, or `default`. */
  readonly namespace: string;
  /** Returns a client with its own field manager, over the same connections. `own` gives it its own request limits, and a fence for its writes. */
  clientFor(fieldManager: string, own?: OwnLimits & Fenced): Client;
  /** Closes idle connections. Requests in flight finish. */
  close(): void;
}

/**
 * Connects to the cluster that kubectl would use. Reads the kubeconfig and its certificates; sends nothing: the first request
 * shows whether the server can be reached.
 *
 * Client certificates, tokens, exec plugins, proxies and impersonation work as in kubectl. Requests are retried after 429 and 503
 * responses, limited by `qps`, and ended after 90 s of silence.
 *
 * @throws KubeconfigError if there is no such file, context, cluster or user, or an entry cannot be used.
 * @example
 * ```ts
 * import { connectToCluster } from "kubectl-reconcile";
 *
 * const cluster = await connectToCluster();
 * const version = await cluster.client.raw("/version");
 * console.log(cluster.server, version);
 * cluster.close();
 * ```
 */
export async function connectToCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { kubeconfig, context, as, readOnly, qps, burst } = options;
  const host = realHost();
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const config = await loadRestConfig(host, {
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(as !== undefined && { as }),
  });
  const connection = connect(config, {
    host,
    timeline,
    bus,
    ...(readOnly !== undefined && { readOnly }),
    ...(qps !== undefined && { qps }),
    ...(burst !== undefined && { burst }),
  });
  return {
    client: connection.client,
    bus,
    timeline,
    random: realRandom(),
    server: connection.server,
    serverCa: connection.serverCa,
    context: connection.context,
    namespace: connection.namespace,
    clientFor: connection.clientFor,
    close: connection.close,
  };
}
