/** The Events of evictions. Source: kubernetes v1.36 pkg/controller/tainteviction/taint_eviction.go emitPodDeletionEvent. */
import { splitKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** Records what is done about the pod of the sync's key. As in upstream, the Event names the pod without its uid: it may be gone. */
export function recordOf(context: SyncContext, what: string): void {
  const { namespace, name } = splitKey(context.key);
  const about: Pod = { metadata: { namespace, name, uid: "", resourceVersion: "", creationTimestamp: "" } };
  context.event(Pods, about, {
    type: "Normal",
    reason: "TaintManagerEviction",
    message: `${what} ${namespace}/${name}`,
  });
}
