/** Workloads that do not become available, or of which that is unknown. */
import { describe, expect, test } from "bun:test";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { type Verdicts, verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { apply, play, webReplicaSet } from "./scene.ts";

const both = [deployment, replicaset];

/** A Deployment `web` of 3 pods. */
function web({ spec = {}, pod = {} }: { readonly spec?: object; readonly pod?: object }): ToApply {
  const { spec: rest, ...set } = webReplicaSet(3) as unknown as { spec: { template: { spec: object } } };
  const template = { ...rest.template, spec: { ...rest.template.spec, ...pod } };
  return { ...set, kind: "Deployment", spec: { ...rest, ...spec, template } } as unknown as ToApply;
}

interface Judged {
  readonly run: DryRun;
  readonly available: Verdicts["available"];
}

async function judged(object: ToApply, controllers: readonly ControllerDefinition[] = both): Promise<Judged> {
  const run = await play({ requestedChanges: [apply(object)], controllers });
  return { run, available: verdictsOf({ ...run, controllers, changes: [], liveRefusals: new Map() }).available };
}

describe("a Deployment", () => {
  test("is not followed to its pods without the controller of its ReplicaSets", async () => {
    const { run, available } = await judged(web({}), [deployment]);
    expect(run.availability).toEqual([]);
    const why = "not seen: Deployment default/web (no controller here runs ReplicaSets)";
    expect(available).toMatchObject({ is: "cannot tell", because: why });
  });

  test("whose pods name another scheduler may become available", async () => {
    const { run, available } = await judged(web({ pod: { schedulerName: "custom" } }));
    expect(run.availability).toMatchObject([{ available: 0, desired: 3, isUnknown: true }]);
    expect(available).toMatchObject({
      is: "cannot tell",
      because: expect.stringContaining("no scheduler has looked at it (its scheduler is custom)") as string,
    });
  });

  test("whose pods lack something does not, whichever scheduler they name", async () => {
    const volumes = [{ name: "v", configMap: { name: "settings" } }];
    const { available } = await judged(web({ pod: { schedulerName: "custom", volumes } }));
    const why = expect.stringContaining("there is no ConfigMap default/settings") as string;
    expect(available).toMatchObject({ is: "found", findings: [{ available: 0, why }] });
  });

  test("does not become available while it is paused", async () => {
    const { available } = await judged(web({ spec: { paused: true } }));
    const why = "it is paused: nothing is rolled out until it is resumed";
    expect(available).toMatchObject({ is: "found", findings: [{ available: 0, desired: 3, why }] });
  });
});
