/** Random scripts of claims and volumes in addition to those of the differential tests: each begins with a claim that is bound. */
import { makeClaim, makeVolume } from "../../differential/scripts/persistentvolume-binder/acts.ts";
import { randomScript } from "../../differential/scripts/persistentvolume-binder/grammar.ts";
import type { Script, Step } from "../../differential/suite.ts";
import { withSecond } from "./scripted.ts";

const labels = { for: "c0" };
const policies = ["Retain", "Delete", "Recycle"] as const;

/** Each seed has another reclaim policy than the one before; in every second one the claim is there first. */
export function claimsBound(seed: number, length: number): Script {
  const policy = policies[seed % policies.length] ?? "Retain";
  const volume: Step = {
    name: `create volume first of 5Gi, static, ${policy}, for c0`,
    act: (stage) =>
      makeVolume(stage, "first", { size: "5Gi", storageClass: "static", policy, modes: ["ReadWriteOnce"], labels }),
  };
  const claim: Step = {
    name: "create claim c0 of 1Gi, static, for any",
    act: (stage) =>
      makeClaim(stage, "c0", { size: "1Gi", storageClass: "static", spec: { selector: { matchLabels: labels } } }),
  };
  return withSecond(randomScript(seed, length), seed % 2 === 0 ? [claim, volume] : [volume, claim]);
}
