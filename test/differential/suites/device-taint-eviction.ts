/** Pods that use tainted devices. Only scripts taint devices and allocate claims, and no kubelet terminates pods. */
import { Pods } from "../../../src/api/kinds.ts";
import { deviceTaintEviction } from "../../../src/controllers/device-taint-eviction/device-taint-eviction.ts";
import { type AnyObject, type Json, podState } from "../objects.ts";
import { randomScript } from "../scripts/device-taint-eviction/grammar.ts";
import { scripts } from "../scripts/device-taint-eviction/index.ts";
import type { Suite } from "../suite.ts";

/** A pod with its conditions, which contain the reason for its eviction. */
function compared(object: AnyObject): Json {
  const { conditions = [] } = (object["status"] ?? {}) as { readonly conditions?: readonly Json[] };
  return { ...podState(object), conditions };
}

export const deviceTaintEvictions: Suite = {
  name: "device-taint-eviction",
  oracle: "device-taint-eviction-controller",
  ours: [deviceTaintEviction],
  kinds: [{ kind: Pods, compared }],
  // A running toleration time is not visible, so a script could act before it has started. Events are written asynchronously.
  quietMs: 1000,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  width: 16,
  differences: [],
};
