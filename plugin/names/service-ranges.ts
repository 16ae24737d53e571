/** Parses the user's ranges for Service addresses. */
import { serviceRangesOf } from "../../src/sandbox/registry/core/service/address-ranges.ts";
import { UserError } from "../cli/user-error.ts";

/** `10.96.0.0/16,fd00::/108` as a list. @throws UserError for what kube-apiserver rejects, with its message. */
export function serviceRangesIn(text: string): readonly string[] {
  try {
    return serviceRangesOf(text.split(","));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UserError(`--service-cluster-ip-range ${text}: ${cause.message}`, [
      "give one range, or one of each family: 10.96.0.0/16 or 10.96.0.0/16,fd00::/108",
    ]);
  }
}
