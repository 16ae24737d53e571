/** The kubelet of a dry run: it runs new pods, terminates deleted ones, and leaves the pods of the snapshot alone. */
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { kubelet } from "../../controllers/kubelet/kubelet.ts";
import { syncPod } from "../../controllers/kubelet/sync.ts";
import { lookAgain, type Waiting } from "./waiting.ts";

/** Pods that the kubelet does not simulate, by uid. */
export interface UntouchedPods {
  /** Pods that keep their state until they are deleted. */
  readonly settledPods: ReadonlySet<string>;
  /** Pods known only by the capacity they use; they are left alone even when deleted. */
  readonly loadPods: ReadonlySet<string>;
}

/** Which pods the kubelet leaves alone, and what keeps others from starting. */
export interface KubeletOptions extends UntouchedPods, Waiting {
  /**
   * What keeps the pod's containers from starting, such as `there is no ConfigMap shop/settings`; undefined if nothing
   * does.
   */
  readonly lacks: (pod: Pod & StoredObject) => string | undefined | Promise<string | undefined>;
  /** Whether nothing on the node changes any more. Default: true for no node. */
  readonly isSilent?: (node: string) => boolean;
}

/**
 * How existing pods would behave is unknown: a crash-looping pod is assumed to keep crash-looping, a running one to
 * keep running. So they are not touched until they are deleted. Momentary states of new and deleted pods are skipped. A
 * pod whose ConfigMap, Secret or claim does not exist does not start.
 */
export function dryRunKubelet({ settledPods, loadPods, lacks, isSilent, clock }: KubeletOptions): ControllerDefinition {
  return {
    ...kubelet,
    async sync(key, context) {
      const pod = context.cache(Pods).get(key);
      const { uid = "", deletionTimestamp } = pod?.metadata ?? {};
      if (isSilent?.(pod?.spec?.nodeName ?? "") === true) return undefined;
      if (loadPods.has(uid) || (settledPods.has(uid) && deletionTimestamp === undefined)) return undefined;
      if (pod !== undefined && deletionTimestamp === undefined && (await lacks(pod)) !== undefined) {
        lookAgain(context, { pod, clock });
        return undefined;
      }
      return syncPod(context, { brief: true });
    },
  };
}
