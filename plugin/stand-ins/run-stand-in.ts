/** Runs a stand-in: its arguments are those of the program that it replaces. */
import { messageOf } from "../../src/api/error-message.ts";
import { reportError } from "../cli/report-error.ts";
import type { Io } from "../cli/io.ts";
import { UserError } from "../cli/user-error.ts";
import { runEtcd } from "./etcd.ts";
import { FlagError } from "./flags.ts";
import { runKubeApiserver } from "./kube-apiserver.ts";
import { runKubectl } from "./kubectl.ts";
import type { StandIn } from "./stand-in.ts";

/** How a stand-in is called. */
export interface StandInCall {
  readonly name: StandIn;
  readonly args: readonly string[];
  /** The file of this program, which may be on PATH under the name of the stand-in. */
  readonly program: string;
}

/** Runs it until it exits. @returns the exit code: 1 for invalid flags, as in Go programs. */
export async function runStandIn({ name, args, program }: StandInCall, io: Io): Promise<number> {
  try {
    switch (name) {
      case "kube-apiserver":
        return await runKubeApiserver(args, io);
      case "etcd":
        return await runEtcd(args, io);
      case "kubectl":
        return await runKubectl({ args, program }, io);
    }
  } catch (error) {
    if (error instanceof FlagError) io.err.line(`Error: ${name}: ${messageOf(error)}`);
    else if (error instanceof UserError)
      for (const line of [`Error: ${error.message}`, ...error.next]) io.err.line(line);
    else reportError(error, io);
    return 1;
  }
}
