/** A controller equivalent to the Go candidate: `run ./candidate.ts --leader-elect`. It writes the value of `NAME`. */
import { type ControllerDefinition, defineController, keyOf, kinds, rule, watchPrimary } from "kubectl-reconcile";

const everyMs = 50;
const by = process.env["NAME"] ?? "";
let count = 0;

const sign = rule<{ count: number }>({
  id: "sign",
  looksAt: ["the clock"],
  chooses: "The ConfigMap work is signed over and over.",
  sentence: ({ count: number }) => `sign it, number ${number}`,
});

const candidate: ControllerDefinition = defineController({
  name: "candidate",
  purpose: "signs a ConfigMap over and over",
  for: kinds.ConfigMaps,
  watches: [watchPrimary(kinds.ConfigMaps)],
  workers: 1,
  rules: [sign],
  permissions: [{ group: "", resource: "configmaps", verbs: ["patch"] }],
  async sync(key, context) {
    const map = context.cache(kinds.ConfigMaps).get(key);
    if (map === undefined || keyOf(map) !== "default/work") return undefined;
    const because = context.decide(sign, { count });
    const patch = { type: "merge", body: { data: { by, count: String(count++) } } } as const;
    await context.client.patch(kinds.ConfigMaps, { namespace: "default", name: "work" }, patch, { because });
    return { requeueAfterMs: everyMs };
  },
});

export default candidate;
