/** ResourceQuotas, and what they count. */
import { ResourceQuotas } from "../../../src/api/kinds.ts";
import { resourcequota } from "../../../src/controllers/resourcequota/resourcequota.ts";
import { randomScript } from "../scripts/resourcequota/grammar.ts";
import { scripts } from "../scripts/resourcequota/index.ts";
import type { Suite } from "../suite.ts";

export const resourceQuotas: Suite = {
  name: "resourcequota",
  oracle: "resourcequota-controller",
  ours: [resourcequota],
  kinds: [{ kind: ResourceQuotas }],
  scripts,
  random: randomScript,
  seeds: { short: 4, long: 100 },
  differences: [],
};
