/** From what a user types to the ranges that addresses of Services are from. */
import { serviceRangesOf } from "../../src/sandbox/registry/core/service/address-ranges.ts";
import { UserError } from "../cli/user-error.ts";

/** `10.96.0.0/16,fd00::/108` as a list. @throws UserError for what kube-apiserver refuses, in its words. */
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
