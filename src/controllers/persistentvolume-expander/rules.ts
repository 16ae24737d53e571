/** The rules of expansion, in the order in which a sync of a claim evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const looksAt = [
  "spec.resources.requests.storage and status.capacity.storage of the claim",
  "the volume of the claim, as the API server has it: its source, and the annotation volume.alpha.kubernetes.io/pre-resize-capacity",
];

interface SizeFacts extends Facts {
  readonly size: string;
}

/** Nothing needs to be expanded. */
export const largeEnough: Rule<SizeFacts> = rule<SizeFacts>({
  id: "large-enough",
  looksAt,
  chooses: "A claim that has what it requests is left alone, unless its volume says that an expansion has begun.",
  sentence: ({ size }) => `it requests ${size}, and has as much`,
  example: { size: "2Gi" },
  source: "expand_controller.go syncHandler",
});

interface MigratedFacts extends SizeFacts {
  readonly plugin: string;
  readonly driver: string;
}

/** The resizer of a CSI driver is named. */
export const nameResizer: Rule<MigratedFacts> = rule<MigratedFacts>({
  id: "name-resizer",
  looksAt: [...looksAt, "the annotation volume.kubernetes.io/storage-resizer of the claim"],
  chooses:
    "A claim of an in-tree volume that has been migrated to a CSI driver is annotated with the driver's resizer, which expands it.",
  sentence: ({ size, plugin, driver }) =>
    `it requests ${size}, more than it has, and ${plugin} is migrated to ${driver} → name its resizer, and record an Event`,
  example: { size: "2Gi", plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  source: "expand_controller.go syncHandler; resize_util.go SetClaimResizer",
});

/** Something else must expand the volume. */
export const awaitResizer: Rule<SizeFacts> = rule<SizeFacts>({
  id: "await-resizer",
  looksAt,
  chooses: "Any other volume is expanded by the resizer of its CSI driver, or by nobody: an Event says so.",
  sentence: ({ size }) =>
    `it requests ${size}, more than it has → record an Event that another controller has to expand it`,
  example: { size: "2Gi" },
  source: "expand_controller.go syncHandler",
});

/** All of them. */
export const rules: readonly Rule[] = [largeEnough, nameResizer, awaitResizer];
