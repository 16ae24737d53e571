/** Where a dry-run begins: with the cluster of the context, with an empty one, and in which words that is said. */
import type { ControllerDefinition } from "../src/controller/definition.ts";
import { type DiscoveredKind } from "../src/client/discovery.ts";
import { loadKubeconfig } from "../src/client/kubeconfig.ts";
import { emptyCluster } from "../src/modes/dry-run/beginning.ts";
import type { Beginning } from "../src/modes/dry-run/dry-run.ts";
import { sandboxKinds } from "../src/modes/dry-run/kinds.ts";
import { realHost } from "../src/platform/host.ts";
import type { WishWords } from "./dry-run-wishes.ts";
import type { DryRunFlags } from "./dry-run-flags.ts";
import type { Manifest } from "./manifests.ts";
import { counted } from "./render/style.ts";
import { UserError } from "./user-error.ts";

export interface DryRunSource {
  /** `2 manifests over a snapshot of context dev (namespace shop, 214 objects, revision 48300)`. */
  readonly words: string;
  readonly beginning: Beginning;
  readonly kinds: readonly DiscoveredKind[];
  readonly namespace: string;
  /** Those of the asked ones that can run on it. */
  readonly controllers: readonly ControllerDefinition[];
  /** Whether there is something to differ from: a cluster, or a baseline. */
  readonly hasBaseline: boolean;
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly controllers: readonly ControllerDefinition[];
  readonly wishWords: WishWords;
}

/** @throws UserError, KubeconfigError: a cluster that is asked for and cannot be read is never left out in silence. */
export async function sourceFor(flags: DryRunFlags, options: SourceOptions): Promise<DryRunSource> {
  const from = flags.from ?? ((await hasContext(flags)) ? "both" : "manifests");
  const { manifests } = options.wishWords;
  if (from === "cluster" && manifests.length > 0) {
    throw new UserError("--from cluster takes no manifests", ["leave -f away, or use --from both"]);
  }
  if (from !== "manifests") throw new UserError("a cluster cannot be read yet");
  if (flags.serverValidate === true) {
    throw new UserError("--server-validate needs a cluster", [
      "leave --from manifests away, or choose a context with --context",
    ]);
  }
  return emptySource(flags, options);
}

/** A context that kubectl would use without being told: of the kubeconfig, or by flags. */
async function hasContext(flags: DryRunFlags): Promise<boolean> {
  if (flags.context !== undefined || flags.server !== undefined || flags.cluster !== undefined) return true;
  const { currentContext } = await loadKubeconfig(realHost(), flags);
  return currentContext !== "";
}

async function emptySource(flags: DryRunFlags, { controllers, wishWords }: SourceOptions): Promise<DryRunSource> {
  const namespace = flags.namespace ?? "default";
  const { manifests, baseline, deletes, scales } = wishWords;
  const made = new Set([...manifests, ...baseline].filter(isNamespace).map(({ object }) => object.metadata.name));
  const used = [...manifests, ...baseline].map(({ object }) => object.metadata.namespace ?? namespace);
  const assumed = [...new Set([...used, namespace])].filter((name) => !made.has(name) && name !== "default");
  const asked = [
    ...(manifests.length > 0 ? [counted(manifests.length, "manifest")] : []),
    ...scales.map((text) => `--scale ${text}`),
    ...deletes.map((text) => `--delete ${text}`),
  ].join(", ");
  const over = baseline.length === 0 ? "an empty cluster" : `${counted(baseline.length, "manifest")} of the baseline`;
  return {
    words: `${asked} over ${over} with 3 simulated nodes; no cluster is asked`,
    beginning: emptyCluster(assumed),
    kinds: await sandboxKinds(),
    namespace,
    controllers,
    hasBaseline: baseline.length > 0,
    notes: [],
    close: () => Promise.resolve(),
  };
}

function isNamespace({ object }: Manifest): boolean {
  return object.kind === "Namespace" && object.apiVersion === "v1";
}
