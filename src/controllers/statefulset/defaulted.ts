/**
 * Whether a revision written by another version of Kubernetes still matches the template: fields that have gained a default, or are
 * serialized differently now, must not roll out all StatefulSets of a cluster when its control plane is upgraded.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go setMatchesLatestExistingRevision; differs: matches are not
 * cached.
 */
import { apiVersionOf } from "../../api/kind.ts";
import { StatefulSets } from "../../api/kinds.ts";
import type { ControllerRevision, StatefulSet } from "../../api/types.ts";
import { loadApiData } from "../../api/wire/load.ts";
import { schemaOf, type Schema } from "../../api/wire/schema.ts";
import { revisionData, revisionText, withRevision } from "../../controller/workload/controller-revision/data.ts";
import { canonicalize } from "../../sandbox/meta/canonical.ts";
import { fillDefaults } from "../../sandbox/registry/defaults.ts";
import { decodeFields } from "../../sandbox/serialization/decode.ts";

let loaded: Promise<Schema> | undefined;

/** Whether restoring the revision onto the set, with today's defaults, yields the set's own template. */
export async function isRestoredBy(set: StatefulSet, revision: ControllerRevision): Promise<boolean> {
  const schema = await (loaded ??= loadApiData().then(schemaOf));
  const struct = schema.kind(apiVersionOf(StatefulSets), StatefulSets.kind);
  if (struct === undefined) return false;
  try {
    const { value } = decodeFields({ ...withRevision(set, revision) }, struct, schema);
    fillDefaults(value, struct, schema);
    canonicalize(value, struct, schema);
    // Decoded as a StatefulSet.
    const { spec } = value as unknown as StatefulSet;
    return revisionText(revisionData(spec?.template)) === revisionText(revisionData(set.spec?.template));
  } catch {
    // An unreadable revision restores nothing: a new one is created.
    return false;
  }
}
