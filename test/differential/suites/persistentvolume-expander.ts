/** Claims that request more than they have. Only scripts resize anything. */
import { PersistentVolumeClaims, PersistentVolumes } from "../../../src/api/kinds.ts";
import { persistentVolumeExpander } from "../../../src/controllers/persistentvolume-expander/persistentvolume-expander.ts";
import { randomScript } from "../scripts/persistentvolume-expander/grammar.ts";
import { scripts } from "../scripts/persistentvolume-expander/index.ts";
import type { Suite } from "../suite.ts";

export const expansion: Suite = {
  name: "persistentvolume-expander",
  oracle: "persistentvolume-expander-controller",
  ours: [persistentVolumeExpander],
  // Scripts bind claims, or leave them unbound.
  runsWithout: ["persistentvolume-binder"],
  kinds: [{ kind: PersistentVolumeClaims }, { kind: PersistentVolumes }],
  quietMs: 800,
  scripts,
  random: randomScript,
  randomSteps: 12,
  seeds: { short: 5, long: 100 },
  width: 16,
  differences: [],
};
