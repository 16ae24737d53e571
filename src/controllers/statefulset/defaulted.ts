/**
 * Whether a revision that was written by another version of Kubernetes has the template all the same: fields that got a default since,
 * or that are written otherwise now, must not roll out all StatefulSets of a cluster when its control plane is updated.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go setMatchesLatestExistingRevision; differs: what was
 * found equal is not remembered.
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

/** Whether the set, with what the revision kept of it and today's defaults, has the template that it has. */
export async function isRestoredBy(set: StatefulSet, revision: ControllerRevision): Promise<boolean> {
  const schema = await (loaded ??= loadApiData().then(schemaOf));
  const struct = schema.kind(apiVersionOf(StatefulSets), StatefulSets.kind);
  if (struct === undefined) return false;
  try {
    const { value } = decodeFields({ ...withRevision(set, revision) }, struct, schema);
    fillDefaults(value, struct, schema);
    canonicalize(value, struct, schema);
    // Decoded by the type of a StatefulSet.
    const { spec } = value as unknown as StatefulSet;
    return revisionText(revisionData(spec?.template)) === revisionText(revisionData(set.spec?.template));
  } catch {
    // What cannot be read restores nothing: it gets a new revision.
    return false;
  }
}
