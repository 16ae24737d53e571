/** What completion offers from the kubeconfig and from the cluster. Nothing is offered that takes long or fails. */
import { Namespaces } from "../src/api/kind.ts";
import { loadKubeconfig } from "../src/client/kubeconfig.ts";
import { realHost } from "../src/platform/host.ts";
import type { Candidate } from "./command.ts";
import { connectAs } from "./connection.ts";
import type { Io } from "./io.ts";

const patienceMs = 1500;

async function named(of: "contexts" | "clusters" | "users"): Promise<readonly Candidate[]> {
  const kubeconfig = await loadKubeconfig(realHost());
  return [...kubeconfig[of].keys()].sort().map((value) => ({ value, about: "" }));
}

export const contextCandidates = (): Promise<readonly Candidate[]> => named("contexts");
export const clusterCandidates = (): Promise<readonly Candidate[]> => named("clusters");
export const userCandidates = (): Promise<readonly Candidate[]> => named("users");

/** The namespaces of the current context's cluster. */
export async function namespaceCandidates(io: Io): Promise<readonly Candidate[]> {
  const connected = await connectAs({ requestTimeout: patienceMs }, io, { qps: 0, burst: 1 });
  try {
    const page = await connected.clientFor("kubectl-reconcile").list(Namespaces, { limit: 500 });
    return page.items.map(({ metadata }) => ({ value: metadata.name, about: "" }));
  } finally {
    await connected.close();
  }
}
