import { StatefulSets } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { Pod, StatefulSet } from "../../api/types.ts";
import { podFromTemplate } from "../../controller/workload/pod-control.ts";
import { claimNames, withClaims } from "./claims.ts";
import { revisionLabel, withIdentity } from "./identity.ts";

/**
 * The pod to create for an ordinal: the set's template with a name, a hostname, and volumes for its claims.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go newStatefulSetPod, initIdentity, updateStorage.
 */
export function newPod(
  set: StatefulSet,
  { ordinal, revision }: { readonly ordinal: number; readonly revision: string },
): CreateInput<Pod> {
  const pod = podFromTemplate(set.spec?.template, { kind: StatefulSets, object: set });
  const metadata = withIdentity(pod.metadata, { set, ordinal });
  const volumes = withClaims(pod.spec?.volumes, claimNames(set, ordinal));
  const subdomain = set.spec?.serviceName ?? "";
  return {
    ...pod,
    metadata: { ...metadata, labels: { ...metadata.labels, [revisionLabel]: revision } },
    ...(pod.spec !== undefined && {
      spec: {
        ...pod.spec,
        ...(volumes.length > 0 && { volumes }),
        hostname: metadata.name,
        ...(subdomain !== "" && { subdomain }),
      },
    }),
  };
}
