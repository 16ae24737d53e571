/** Where `run` runs: the cluster of the current context, or its own sandbox. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import type { WriteFence } from "../../src/client/http/write-fence.ts";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { type Connected, connectAs, type ConnectionOptions } from "./connection.ts";
import type { Io } from "../cli/io.ts";
import { connectToSandbox, type SandboxConnection } from "./sandbox-connection.ts";
import { refuseManifestsOnCluster } from "../cli/scope.ts";

/** The options of `run` that select it. */
export interface RunTarget extends ConfigFlags {
  readonly sandbox?: true;
  readonly manifests?: readonly string[];
  readonly load?: string;
  readonly namespace?: string;
  readonly qps?: number;
  readonly burst?: number;
}

/**
 * The cluster of the current context, or a sandbox without the controllers that are to run here.
 * @throws UserError, KubeconfigError.
 */
export function connectionFor(
  chosen: readonly ControllerDefinition[],
  options: RunTarget & Pick<ConnectionOptions, "onCompleted"> & { readonly fence: WriteFence },
  io: Io,
): Promise<Connected & Partial<Pick<SandboxConnection, "applied">>> {
  const { manifests, load, qps = 20, burst = 30 } = options;
  if (options.sandbox !== true) {
    refuseManifestsOnCluster(options, "run changes no more than its controllers do");
    const { fence, onCompleted } = options;
    return connectAs(options, io, { qps, burst, fence, ...(onCompleted !== undefined && { onCompleted }) });
  }
  const isChosen = (name: string): boolean => chosen.some((definition) => definition.name === name);
  const parts = { scheduler: !isChosen("scheduler"), kubelet: !isChosen("kubelet") };
  const { namespace } = options;
  const where = namespace === undefined ? {} : { namespace };
  return connectToSandbox({ manifests: manifests ?? [], load, ...where, ...parts }, io);
}
