/** The IP ranges of a server's Services, new ones and those in its initial state. */
import { deepEqual } from "../../api/field-changes.ts";
import { textsIn } from "../meta/object.ts";
import { serviceRangesOf } from "../registry/core/service/address-ranges.ts";
import { type SandboxState, StateProblem } from "./document.ts";

/** The default without the flag. */
const usual = ["10.0.0.0/16"];

/** The ServiceCIDR with the ranges, which kube-apiserver creates from its flag. */
const ownName = "kubernetes";

/**
 * The ranges of the flag, or else of the state. As with kube-apiserver, the flag may add a second family to a single-stack state.
 * @throws RangeError for invalid ranges; StateProblem if the state has others.
 */
export function rangesToServe(
  given: readonly string[] | undefined,
  state: SandboxState | undefined,
): readonly string[] {
  const own = state?.items.find(({ kind, metadata }) => kind === "ServiceCIDR" && metadata.name === ownName);
  const had = textsIn(own?.spec?.["cidrs"]);
  if (given === undefined) return had.length === 0 ? usual : had;
  const requested = serviceRangesOf(given);
  if (had.length === 0 || deepEqual(requested, had) || (had.length === 1 && requested[0] === had[0])) return requested;
  throw new StateProblem(
    `has its Services in ${had.join(",")}, not in ${requested.join(",")}: omit --service-cluster-ip-range, or give it this range`,
  );
}
