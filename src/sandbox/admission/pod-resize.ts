/**
 * Resizing a scheduled pod: the node must support it and have enough resources.
 * Source: kubernetes v1.36 plugin/pkg/admission/{podresize,nodedeclaredfeatures}; component-helpers v0.36 nodedeclaredfeatures.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../api/quantity.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import { podAmounts } from "../registry/core/pod/resources/pod-amounts.ts";
import type { UpdateAttributes } from "../context/attributes.ts";

/** @throws StatusError 403 */
export function admitPodResize({ scope, object: pod, old }: UpdateAttributes): void {
  const name = textOf(pod.spec?.["nodeName"]);
  if (name === "" || pod.metadata.generation === old.metadata.generation) return;
  const refused = (why: string, reason?: string): Error =>
    forbidden(scope.resource.asResource, scope.name, why, reason === undefined ? undefined : [{ reason }]);
  const node = scope.server.store.collection("nodes", false).get("", name)?.object;
  const plugins = scope.server.admission;
  const features = plugins.has("NodeDeclaredFeatureValidator") ? neededFeatures(pod, old) : [];
  if (features.length > 0) {
    if (node === undefined) throw refused(`node "${name}" not found`);
    const declared = node.status?.["declaredFeatures"];
    const missing = features.filter((feature) => !(Array.isArray(declared) && declared.includes(feature)));
    if (missing.length > 0)
      throw refused(`pod update requires features ${missing.join(", ")} which are not available on node "${name}"`);
  }
  if (scope.subresource !== "resize" || !plugins.has("PodResizeValidator")) return;
  if (node === undefined) throw refused(`node "${name}" not found`);
  const system = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
  if (system !== "linux") {
    throw refused(`pod resize is only supported on linux nodes, node "${name}" is "${system}"`, "UnsupportedPlatform");
  }
  const short = shortages(pod, node);
  if (short.length > 0)
    throw refused(`node didn't have enough allocatable resources: ${short.join("; ")}`, "NodeCapacity");
}

/** The features that a node must declare for this update. */
function neededFeatures({ spec = {} }: ApiObject, { spec: before = {} }: ApiObject): string[] {
  const needed: string[] = [];
  const inits = fieldsIn(spec["initContainers"]);
  const changed = fieldsIn(before["initContainers"]).some(
    (container, index) =>
      container["restartPolicy"] !== "Always" && !deepEqual(container["resources"], inits[index]?.["resources"]),
  );
  if (!deepEqual(spec["resources"], before["resources"])) needed.push("InPlacePodLevelResourcesVerticalScaling");
  if (changed) needed.push("InPlacePodVerticalScalingInitContainers");
  return needed;
}

const none: Quantity = { nano: 0n, format: "decimal" };
const millis = ({ nano }: Quantity): bigint => (nano + 999_999n) / 1_000_000n;
const wholes = ({ nano }: Quantity): bigint => (nano + 999_999_999n) / 1_000_000_000n;

function shortages({ spec = {} }: ApiObject, node: ApiObject): string[] {
  const requests = podAmounts(spec, "requests");
  return (
    [
      ["cpu", millis],
      ["memory", wholes],
    ] as const
  ).flatMap(([name, shown]) => {
    const requested = requests.get(name) ?? none;
    const there = parseQuantity(textOf(at(node.status, "allocatable", name))) ?? none;
    if (compareQuantities(requested, there) <= 0) return [];
    return [`${name}, requested: ${shown(requested)}, allocatable: ${shown(there)}`];
  });
}
