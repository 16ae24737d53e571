/** Leader election of one run, which works only while it leads. */
import { createClient } from "../../../src/client/api/client.ts";
import { Election } from "../../../src/controller/runtime/election.ts";
import type { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import type { Session } from "../../cli/session.ts";
import type { Connected } from "../../connections/connection.ts";
import type { MetricsEndpoint } from "../../telemetry/endpoint.ts";
import type { LeaderElect } from "./leader-elect.ts";

/** Options of a `Leadership`. */
export interface LeadershipOptions {
  readonly leaderElect: LeaderElect;
  /** The default namespace and name of the Lease. */
  readonly defaults: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly connected: Connected;
  readonly session: Session;
  readonly fence: LeaseFence;
  readonly endpoint: MetricsEndpoint | undefined;
}

/** Takes part in the election, and ends the session if leadership is lost. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #election: Election;
  readonly #name: string;
  readonly #lease: string;
  #deposed: string | undefined;

  constructor(options: LeadershipOptions) {
    const { leaderElect, defaults, identity, connected, session, fence } = options;
    const { bus, unlimited: transport } = connected;
    const { timeline, random } = session.io;
    const namespace = leaderElect.namespace ?? defaults.namespace;
    this.#options = options;
    this.#name = leaderElect.name ?? defaults.name;
    this.#lease = `Lease ${namespace}/${this.#name}`;
    this.#election = new Election({
      ...leaderElect,
      client: createClient({ transport, bus, timeline, fieldManager: "kubectl-reconcile" }),
      timeline,
      random,
      namespace,
      name: this.#name,
      identity,
      onOther: (leader) => session.say(`leader  ${leader}, by ${this.#lease}; waiting`),
      onTrouble: (why) => session.warn(`warning: ${this.#lease} cannot be reached: ${why}`),
      onRenewed: () => fence.renewed(),
      onLost: (why) => this.#lost(why),
    });
  }

  /** Why this copy lost leadership; undefined if it did not. */
  get deposed(): string | undefined {
    return this.#deposed;
  }

  /** Resolves when this copy leads. @throws StatusError for a missing right; TransportError if the server cannot be reached; the signal's reason. */
  async won(): Promise<void> {
    const { connected, session, fence, endpoint, identity } = this.#options;
    // Otherwise an unreachable server would look like a long election.
    await connected.serverVersion();
    this.#shows(false);
    if (endpoint !== undefined) endpoint.missing = undefined;
    await this.#election.won(session.signal);
    fence.guard(this.#election);
    this.#shows(true);
    if (endpoint !== undefined) endpoint.missing = "its caches are not filled yet";
    session.say(`leader  this copy, ${identity}, by ${this.#lease}`);
  }

  /** Ends the candidacy or the term. Never rejects. */
  resign(): Promise<void> {
    return this.#election.resign();
  }

  #shows(isLeader: boolean): void {
    this.#options.endpoint?.metrics.leads(this.#name, isLeader);
  }

  #lost(why: string): void {
    const { fence, session } = this.#options;
    this.#shows(false);
    fence.end(why);
    this.#deposed ??= why;
    session.end();
  }
}
