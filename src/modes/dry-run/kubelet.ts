/** The kubelet of a dry-run: it runs what is new, ends what is deleted, and leaves the pods of the snapshot as they are. */
import { Pods } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { kubelet } from "../../controllers/kubelet/kubelet.ts";
import { syncPod } from "../../controllers/kubelet/sync.ts";

export interface UntouchedPods {
  /** Pods that go on as they are until somebody deletes them, by uid. */
  readonly settledPods: ReadonlySet<string>;
  /** Pods that nothing is known of but the room they take: not even their end is judged. By uid. */
  readonly loadPods: ReadonlySet<string>;
}

export interface KubeletOptions extends UntouchedPods {
  /** What keeps the pod's containers from starting, as `there is no ConfigMap shop/settings`; undefined where nothing does. */
  readonly lacks: (pod: Pod & StoredObject) => string | undefined;
}

/** What a pod lacks may be applied right behind it: so long it is looked for again. */
const patienceMs = 60_000;
const lookAgainAfterMs = 1000;

/**
 * How pods that run already go on is not known: one that crashes is taken to crash on, one that runs to run on. So they are not
 * touched until somebody deletes them. It is brief about new pods and those that go. A pod whose ConfigMap, Secret or claim is not
 * there does not start.
 */
export function dryRunKubelet({ settledPods, loadPods, lacks }: KubeletOptions): ControllerDefinition {
  return {
    ...kubelet,
    async sync(key, context) {
      const pod = context.cache(Pods).get(key);
      const { uid = "", deletionTimestamp } = pod?.metadata ?? {};
      if (loadPods.has(uid) || (settledPods.has(uid) && deletionTimestamp === undefined)) return undefined;
      if (pod !== undefined && deletionTimestamp === undefined && lacks(pod) !== undefined) {
        const age = context.now() - parseTime(pod.metadata.creationTimestamp);
        return age < patienceMs ? { requeueAfterMs: lookAgainAfterMs } : undefined;
      }
      return syncPod(context, { brief: true });
    },
  };
}
