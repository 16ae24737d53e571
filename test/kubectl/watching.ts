/** `kubectl get -w`, which runs until it is stopped. */
import { erased } from "./erase.ts";
import { inNamespace, kubectl, startKubectl } from "./play.ts";
import { replicaSet } from "./scripts/every-kind.ts";
import type { KubectlServer } from "./servers.ts";

const changes = ["scale rs web --replicas=3", "label rs web x=y", "delete rs web"];

/** The lines that `kubectl get rs -w` prints for a ReplicaSet that is scaled, labeled and deleted meanwhile. */
export function watched(server: KubectlServer): Promise<readonly string[]> {
  return inNamespace("watching", server, async (folder) => {
    await kubectl({ run: "create -f -", stdin: replicaSet(1) }, folder);
    const watch = startKubectl({ run: "get rs -w --output-watch-events -o wide" }, folder);
    const printed: string[] = [];
    let rest = "";
    const decoder = new TextDecoder();
    for await (const piece of watch.stdout) {
      const known = printed.length;
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      printed.push(...lines);
      // The header and the initial object: from here on it sees every change.
      if (known < 2 && printed.length >= 2) for (const run of changes) await kubectl({ run }, folder);
      if (printed.length >= 2 + changes.length) break;
    }
    watch.kill();
    await watch.exited;
    return printed.map((line) => erased(line));
  });
}
