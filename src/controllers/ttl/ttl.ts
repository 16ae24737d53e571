/** How long kubelets may keep Secrets and ConfigMaps. Source: kubernetes v1.36 pkg/controller/ttl/ttl_controller.go. */
import { keyOf, splitKey } from "../../api/key.ts";
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { ClusterSize } from "./intervals.ts";
import { annotate, asItShouldBe, rules } from "./rules.ts";

const annotation = "node.alpha.kubernetes.io/ttl";
const size = runState(() => new ClusterSize());

/** Annotates nodes with the time for which their kubelets may keep Secrets and ConfigMaps. */
export const ttl: ControllerDefinition = defineController<Node>({
  name: "ttl",
  aliases: ["node-ttl", "ttl-controller"],
  purpose: "annotates nodes with how long kubelets cache Secrets",
  source: "pkg/controller/ttl/ttl_controller.go",
  for: Nodes,
  watches: [
    watch<Node>({
      kind: Nodes,
      on({ type, object }, context) {
        if (type === "added") context.state(size).add();
        if (type === "deleted") context.state(size).remove();
        // Other nodes follow with their next heartbeat when the cluster grows or shrinks.
        else context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 5,
  ifRunTwice: "both would write the same annotation",
  isLeftUndone: ({ metadata }) => secondsOf(metadata.annotations) === undefined,
  dryRun: { is: "left out", why: "the cache time of kubelets does not affect the result" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "", resource: "nodes", verbs: ["patch"] }],
  sync: syncNode,
});

async function syncNode(key: string, context: SyncContext): Promise<void> {
  const node = context.cache(Nodes).get(key);
  if (node === undefined) return;
  const { nodes, seconds } = context.state(size);
  if (secondsOf(node.metadata.annotations) === seconds) return void context.decide(asItShouldBe, { nodes, seconds });
  const because = context.decide(annotate, { nodes, seconds });
  const body = { metadata: { annotations: { [annotation]: String(seconds) } } };
  const options = { because, basedOn: node, signal: context.signal };
  await context.client.patch(Nodes, splitKey(key), { type: "strategic", body }, options);
}

/** The value of the annotation; undefined if Go would not read it as an integer. Source: strconv.Atoi. */
function secondsOf(annotations: Readonly<Record<string, string>> | undefined): number | undefined {
  const value = annotations?.[annotation] ?? "";
  return /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
}
