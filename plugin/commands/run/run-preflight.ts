/** The preflight of a run and what is printed about it: the cluster, its version, other owners, missing permissions. */
import { formatDuration } from "../../../src/api/duration.ts";
import { fieldManagerOf } from "../../../src/api/own-field-manager.ts";
import type { ServerVersion } from "../../../src/api/server-version.ts";
import { createClient } from "../../../src/client/api/client.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { isDeadHere } from "../../../src/modes/run/identity.ts";
import { ownersUnnoticed } from "../../../src/modes/preflight/owner-watch.ts";
import { preflight } from "../../../src/modes/preflight/preflight.ts";
import { leaseNamespace } from "../../../src/modes/run/run-leases.ts";
import type { Session } from "../../cli/session.ts";
import type { Connected } from "../../connections/connection.ts";
import { overridden, preflightLine, refuseOrPass } from "../../render/preflight-text.ts";
import type { RunRequest } from "./request.ts";

/** What is checked, and where it is printed. */
export interface RunPreflight {
  readonly request: RunRequest;
  readonly session: Session;
  readonly connected: Connected;
  readonly controllers: readonly ControllerDefinition[];
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** The command that traces these controllers without writing. */
  readonly traceCommand: string;
  /** Called with the server's version, once the line about the cluster is printed. */
  readonly onVersion: (version: ServerVersion) => void;
}

/** @throws UserError if the run may not begin; the client's errors. */
export async function preflightOfRun(run: RunPreflight): Promise<void> {
  const { request, session, connected, controllers, namespace } = run;
  const { context, server, unlimited: transport, bus, user } = connected;
  const { force, once, flags } = request;
  const { timeline, calledAs, err } = session.io;
  const looking = preflight({
    controllers,
    transport,
    client: createClient({ transport, bus, timeline }),
    namespace,
    leaseNamespace: leaseNamespace(namespace),
    leaseNameOf: fieldManagerOf,
    isDead: isDeadHere,
    timeline,
    signal: session.signal,
    isForced: force,
    onSecondLook: (ms) =>
      session.say(
        `owner   looking again in ${formatDuration(ms)}: on a cluster this new no other owner has left a trace yet`,
      ),
    isOwnSandbox: flags.sandbox === true,
  });
  // If the server cannot be reached, the error of the version request is reported instead.
  looking.catch(() => undefined);
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const version = await connected.serverVersion();
  session.say(`context ${context} · ${server} (${version.gitVersion}) · ${where}`);
  run.onVersion(version);
  const found = await looking;
  refuseOrPass(found, {
    calledAs,
    who: user === undefined ? "" : ` as user ${user}`,
    namespace,
    columns: err.columns,
    force,
    traceCommand: run.traceCommand,
  });
  if (force) for (const line of overridden(found)) session.warn(line);
  session.say(preflightLine(found));
  const unnoticed = ownersUnnoticed(controllers);
  if (unnoticed.length > 0 && !once && flags.sandbox !== true) {
    session.say(
      `owner   not detected during the run: another ${unnoticed.join(", ").replace(/, ([^,]*)$/, " or $1")}, which leaves no trace in managedFields`,
    );
  }
}
