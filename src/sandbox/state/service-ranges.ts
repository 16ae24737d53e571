/** Where the addresses of a server's Services are from, new ones and those of a state that it begins with. */
import { deepEqual } from "../../api/field-changes.ts";
import { textsIn } from "../meta/object.ts";
import { serviceRangesOf } from "../registry/core/service/address-ranges.ts";
import { type SandboxState, StateProblem } from "./document.ts";

/** Those of a server without the flag. */
const usual = ["10.0.0.0/16"];

/** The ServiceCIDR that says them: kube-apiserver makes it of its flag. */
const ownName = "kubernetes";

/**
 * The ranges of the flag, else those of the state. As with kube-apiserver, the flag may add a second family to a state of one.
 * @throws RangeError for what are no ranges; StateProblem for a state that has others.
 */
export function rangesToServe(
  given: readonly string[] | undefined,
  state: SandboxState | undefined,
): readonly string[] {
  const own = state?.items.find(({ kind, metadata }) => kind === "ServiceCIDR" && metadata.name === ownName);
  const had = textsIn(own?.spec?.["cidrs"]);
  if (given === undefined) return had.length === 0 ? usual : had;
  const asked = serviceRangesOf(given);
  if (had.length === 0 || deepEqual(asked, had) || (had.length === 1 && asked[0] === had[0])) return asked;
  throw new StateProblem(
    `has its Services in ${had.join(",")}, not in ${asked.join(",")}: omit --service-cluster-ip-range, or give it this range`,
  );
}
