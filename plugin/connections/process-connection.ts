/** What a process behind a proxy connects to: the cluster of the current context, or its own sandbox. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { controllersOfEmbedded } from "../../src/controllers/index.ts";
import type { Io } from "../cli/io.ts";
import { type Connected, connectAs } from "./connection.ts";
import { connectToSandbox } from "./sandbox-connection.ts";
import { openBus } from "./trace-bus.ts";

/** The options that select it. */
export interface ProcessTarget extends ConfigFlags {
  readonly namespace?: string;
  readonly sandbox?: true;
  readonly manifests?: readonly string[];
  readonly load?: string;
}

/** For the few requests of our own. */
const politeness = { qps: 20, burst: 30 };

/** @throws UserError, KubeconfigError. */
export async function connectionForProcess(flags: ProcessTarget, io: Io): Promise<Connected> {
  if (flags.sandbox !== true) return connectAs(flags, io, politeness);
  const { manifests = [], load, namespace } = flags;
  const where = namespace === undefined ? {} : { namespace };
  const connected = await connectToSandbox({ manifests, load, ...where, controllers: controllersOfEmbedded }, io);
  // The sandbox's own controllers do not report to the process's screen.
  return { ...connected, bus: openBus(io) };
}
