/** The kubelet of a dry-run: it runs what is new, ends what is deleted, and leaves the pods of the snapshot as they are. */
import { Pods } from "../../api/kind.ts";
import type { ControllerDefinition } from "../../controller/definition.ts";
import { kubelet } from "../../controllers/kubelet/kubelet.ts";
import { syncPod } from "../../controllers/kubelet/sync.ts";

/**
 * How pods that run already go on is not known: one that crashes is taken to crash on, one that runs to run on. So they are not
 * touched until somebody deletes them. It is brief about new pods and those that go.
 */
export function dryRunKubelet(settledPods: ReadonlySet<string>): ControllerDefinition {
  return {
    ...kubelet,
    async sync(key, context) {
      const pod = context.cache(Pods).get(key);
      const isSettled = pod !== undefined && settledPods.has(pod.metadata.uid);
      if (isSettled && pod.metadata.deletionTimestamp === undefined) return;
      await syncPod(context, { brief: true });
    },
  };
}
