/** A program behind a proxy: started with a kubeconfig of its own, and ended with nothing left behind. */
import type { Transport } from "../../api/transport.ts";
import { removeFile, removeFileNow, temporaryPath, writePrivateFile } from "../../platform/files.ts";
import { randomSuffix, type Random } from "../../platform/random.ts";
import { startCompanion, type Companion } from "../../platform/subprocess.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { openObservedProxy, type ObservedProxy } from "../../proxy/observed-proxy.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** What to start, and what it is to reach. */
export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Of this process; the program gets it with a `KUBECONFIG` of its own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Behind the proxy. */
  readonly transport: Transport;
  /** Of the kubeconfig's context. */
  readonly namespace: string;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Called with each line that the program writes. */
  readonly onLine: (line: string) => void;
}

/** The variables by which a program in a pod finds its API server: with them it would go past the proxy. */
const inCluster: ReadonlySet<string> = new Set(["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]);

interface Prepared {
  readonly proxy: ObservedProxy;
  /** The file. */
  readonly kubeconfig: string;
}

/** A program behind a proxy. It may be started again; the proxy stays. */
export class ProcessBehindProxy {
  readonly #options: ProcessOptions;
  readonly #proxy: ObservedProxy;
  readonly #kubeconfig: string;
  #running: Companion | undefined;

  private constructor({ proxy, kubeconfig, ...options }: ProcessOptions & Prepared) {
    this.#options = options;
    this.#proxy = proxy;
    this.#kubeconfig = kubeconfig;
  }

  /** Opens the proxy and writes the kubeconfig. @throws Error with the system's `code` where that cannot be written. */
  static async prepare(options: ProcessOptions): Promise<ProcessBehindProxy> {
    const { transport, timeline, bus, random, namespace } = options;
    const proxy = await openObservedProxy({ transport, timeline, bus });
    const kubeconfig = temporaryPath(`kubectl-reconcile-${randomSuffix(random, 8)}.kubeconfig`);
    try {
      await writePrivateFile(kubeconfig, proxy.kubeconfig(namespace));
    } catch (error) {
      await proxy.close();
      throw error;
    }
    return new ProcessBehindProxy({ ...options, proxy, kubeconfig });
  }

  /**
   * Starts the program. @returns its exit code, once it has ended.
   * @throws Error with the system's `code` if it cannot be started.
   */
  async start(): Promise<{ readonly pid: number; readonly exited: Promise<number> }> {
    const { command, args, environment, onLine } = this.#options;
    const outside = Object.entries(environment).filter(([name]) => !inCluster.has(name));
    const env = { ...Object.fromEntries(outside), KUBECONFIG: this.#kubeconfig, KUBECTL_RECONCILE_EXACT: "1" };
    const running = await startCompanion({ command, args, env, onLine });
    this.#running = running;
    return { pid: running.pid, exited: running.exited };
  }

  /** Resolves when the program has sent its first request. */
  get connected(): Promise<void> {
    return this.#proxy.connected;
  }

  /** Hands a signal on; without a running program nothing happens. */
  signal(name: string): void {
    this.#running?.signal(name);
  }

  /** Closes the proxy, reports what has passed it, and removes the kubeconfig. The program has ended. */
  async close(): Promise<void> {
    await this.#proxy.close();
    this.#proxy.catchUp();
    await removeFile(this.#kubeconfig);
  }

  /** Ends the program and removes the kubeconfig, at once. */
  abandon(): void {
    this.#running?.signal("SIGKILL");
    removeFileNow(this.#kubeconfig);
  }
}
