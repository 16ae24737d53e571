/**
 * Reporting in a node's status what is attached. Source: kubernetes v1.36
 * pkg/controller/volume/attachdetach/statusupdater/node_status_updater.go.
 */
import { Nodes } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Node } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { report } from "./rules.ts";
import { type ReportedVolume, world } from "./world.ts";

/** Writes `status.volumesAttached` of the synced node, if it may differ. @throws the API server's refusal: the next sync writes it. */
export async function writeReport(context: SyncContext, decided?: Decision): Promise<void> {
  const known = context.state(world);
  const name = context.key;
  const volumes = known.takeReport(name);
  const node = context.cache(Nodes).get(name);
  // When a node of this name is added, its status is due.
  if (volumes === undefined || node === undefined) return;
  if (isReported(node, volumes) && known.isLastWritten(name, volumes)) return;
  const because = decided ?? context.decide(report, { volumes: volumes.map((each) => each.name) });
  // An empty list is omitted from the status.
  const body = { status: { volumesAttached: volumes.length === 0 ? null : volumes } };
  const options = { because, basedOn: node, subresource: "status", signal: context.signal };
  try {
    await context.client.patch(Nodes, { namespace: "", name }, { type: "strategic", body }, options);
    known.noteWritten(name, volumes);
  } catch (error) {
    if (isNotFound(error)) return;
    known.setReportDue(name);
    throw error;
  }
}

function isReported({ status }: Node, volumes: readonly ReportedVolume[]): boolean {
  const reported = status?.volumesAttached ?? [];
  return (
    reported.length === volumes.length &&
    volumes.every(({ name, devicePath }) =>
      reported.some((each) => each.name === name && each.devicePath === devicePath),
    )
  );
}
