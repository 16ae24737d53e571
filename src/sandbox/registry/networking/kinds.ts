/** The rules of the kinds of addresses, by resource. */
import type { KindRules } from "../kind-rules.ts";
import { addressRules, serviceRangeRules } from "./addresses.ts";

export const addressKinds: Readonly<Record<string, KindRules>> = {
  "ipaddresses.networking.k8s.io": addressRules,
  "servicecidrs.networking.k8s.io": serviceRangeRules,
};
