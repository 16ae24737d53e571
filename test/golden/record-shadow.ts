/**
 * Records the input for the golden outputs of shadow's blocks: `bun test/golden/record-shadow.ts && npm run format`. Names and times come
 * from the server, so each recording differs.
 */
import { deployment } from "../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import type { AgreementEvent, StageEvent } from "../../src/trace/events.ts";
import type { BlockWrite, SyncBlock } from "../../src/views/sync-block.ts";
import { SyncTrace } from "../../src/views/sync-trace.ts";
import { shadowBeside } from "../modes/shadow/support.ts";
import { imageOf, record, type User } from "./recording.ts";

/** The contents of a screen, in order: blocks, and differences that were reported after their blocks. */
type Shown =
  { readonly is: "block"; readonly block: SyncBlock } | { readonly is: "difference"; readonly event: AgreementEvent };

await record("shadow-blocks.json", shadowBlocks);

async function shadowBlocks(user: User): Promise<readonly Shown[]> {
  const { cluster, namespace } = user;
  const scene = await shadowBeside(cluster, [deployment, replicaset], { namespace });
  const steps = [
    () => Bun.sleep(500),
    () => user.create("replicasets", "web", 3),
    () => user.patch("replicasets", "web", { replicas: 5 }),
    async () => user.send("DELETE", `pods/${(await user.pods("web"))[0]}`),
    () => user.patch("replicasets", "web", { replicas: 2 }),
    () => user.create("deployments", "site", 3),
    () => user.patch("deployments", "site", imageOf("web:2")),
  ];
  for (const step of steps) {
    await step();
    await scene.quiet(2500);
  }
  // An owner that does nothing at first, and then acts.
  await cluster.stopProcess("kube-controller-manager");
  await user.patch("replicasets", "web", { replicas: 4 });
  await Bun.sleep(7000);
  cluster.continueProcess("kube-controller-manager");
  await Bun.sleep(500);
  await scene.quiet(2500);
  await scene.stop();
  return onceEach(shownOf(scene.events));
}

function shownOf(events: readonly StageEvent[]): readonly Shown[] {
  const trace = new SyncTrace({ holdMs: 400 });
  const blocks = (some: readonly SyncBlock[]): readonly Shown[] => some.map((block) => ({ is: "block", block }));
  const shown = events.flatMap((event): readonly Shown[] => [
    ...blocks(trace.release(event.at)),
    ...blocks(trace.accept(event)),
    ...(event.stage === "agreement" && event.is === "differs" ? [{ is: "difference", event } as const] : []),
  ]);
  return [...shown, ...blocks(trace.release(Infinity))];
}

/** The first block of each kind, that is, with the same rules and the same outcomes of their writes. */
function onceEach(shown: readonly Shown[]): readonly Shown[] {
  const seen = new Set<string>();
  return shown.filter((each) => {
    if (each.is === "difference") return true;
    const { controller, decisions, done } = each.block;
    const rules = decisions.map(({ rule, writes }) => [rule, ...new Set(writes.map(kindOfWrite))]);
    const kind = JSON.stringify([controller, rules, done.outcome.is]);
    return !seen.has(kind) && seen.add(kind).size > 0;
  });
}

function kindOfWrite({ verb, of, agreement, standsSince }: BlockWrite): string {
  const why = agreement?.why.replace(/\S*\d\S*/g, "…");
  return `${verb} ${of.kind} ${agreement?.is} ${why} ${standsSince === undefined}`;
}
