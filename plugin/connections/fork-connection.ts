/** A fork of the current context's cluster, for `-- COMMAND` if nothing may be written to the cluster. */
import { createFork, type Fork, type ForkOptions } from "../../src/modes/fork/fork.ts";
import { Coverage } from "../../src/views/coverage.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { Io } from "../cli/io.ts";
import { connectAs, type Connected, type ConnectionFlags } from "./connection.ts";

/** A connection whose writes stay in the fork. */
export interface ForkConnection extends Connected {
  readonly fork: Fork;
  /** Which kinds of the cluster the fork has been following. */
  readonly coverage: Coverage;
}

/** A kind is listed when it is first requested, in the worst case each namespace separately. */
const politeness = { qps: 50, burst: 100, readOnly: true };

/** Which cluster, as whom, and who listens to the fork. */
export interface ForkConnectionOptions extends Pick<ForkOptions, "listener" | "inStep"> {
  readonly flags: ConnectionFlags;
  readonly io: Io;
}

/** @throws UserError, KubeconfigError. */
export async function connectToFork({ flags, io, ...listeners }: ForkConnectionOptions): Promise<ForkConnection> {
  const { timeline, random } = io;
  const connected = await connectAs(flags, io, politeness);
  // The proxy reports the process's traffic: the fork's own reads do not belong there.
  const bus = new TraceBus({ now: () => timeline.now() });
  const warned = new Set<string>();
  const coverage = new Coverage();
  bus.listen((event) => {
    coverage.accept(event);
    if (event.stage !== "list" || event.error === undefined || warned.has(event.of.kind)) return;
    warned.add(event.of.kind);
    io.err.line(`warning: cannot follow ${event.of.kind} on the cluster: ${event.error}; trying again`);
  });
  try {
    const fork = await createFork({ cluster: connected.unlimited, timeline, random, bus, ...listeners });
    return {
      ...connected,
      fork,
      coverage,
      passThrough: () => fork.transport,
      async close() {
        fork.stop();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw connected.translateError(error);
  }
}
