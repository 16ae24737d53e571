/** Controllers compared with kube-controller-manager's over the random scripts of the differential tests, several on one cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { AuditEvent } from "../../support/audit-log.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { tries } from "../../support/long.ts";
import { describeAgreement, type Suite } from "./agreement.ts";
import type { Mutant } from "./mutants.ts";
import { mutantsOf, type Playing, playRounds, type Side } from "./played.ts";
import { type Scripted, ScriptedChanges } from "./scripted.ts";
import { shadowAgent } from "./support.ts";

/** Five in the long form; SEED=n sets one, SEED=n,m two, one after the other on one cluster. */
const seeds = process.env["SEED"]?.split(",").map(Number) ?? [20261121, 1, 2, 3, 4].slice(0, tries(1, 5));

interface Part extends Suite, Pick<Scripted, "script" | "first" | "without" | "alsoNamed"> {
  readonly controller: ControllerDefinition;
  readonly side?: Pick<Side, "namesPods" | "rollsOutAnywhere" | "looksTwice" | "recycles" | "isPeriodic">;
}

/** A controller and its random scripts. */
export function part({ controller, ...rest }: Omit<Part, "name">): Part {
  return { name: controller.name, controller, ...rest };
}

/** Controllers that are compared together, on one cluster. */
export interface Cast {
  readonly title: string;
  /** The controllers of kube-controller-manager that run; others would change the same objects. */
  readonly owners: readonly string[];
  readonly kcmFlags: readonly string[];
  readonly apiServerFlags?: readonly string[];
  readonly prepare?: (cluster: Cluster) => Promise<() => Promise<void>>;
  readonly playing: Playing;
  readonly parts: readonly Part[];
  readonly mutants: readonly Mutant[];
}

/** Flags for one request of a controller every 40 ms, so that its writes do not overtake our decisions. */
export const slowly: readonly string[] = ["--kube-api-qps=25", "--kube-api-burst=1"];

/** Defines the tests of the casts. Nothing runs the pods: scripts do what kubelets would, while the owner is suspended. */
export function describeCasts(casts: readonly Cast[]): void {
  describe.skipIf(controllersMissing !== undefined).each(casts)(
    "shadow beside kube-controller-manager: $title",
    ({ owners, kcmFlags, apiServerFlags = [], prepare, playing, parts, mutants }) => {
      let cluster: Cluster;
      let end: (() => Promise<void>) | undefined;
      beforeAll(async () => {
        cluster = await startCluster({
          controllers: owners.join(","),
          nodes: 0,
          scheduler: false,
          audit: true,
          kcmFlags,
          apiServerFlags,
        });
        end = await prepare?.(cluster);
      });
      afterAll(async () => {
        await end?.();
        await cluster?.stop();
      });

      for (const seed of seeds) {
        const isFirst = seed === seeds[0];
        const sides = (): Side[] =>
          parts.map(({ name, controller, script, first, without, alsoNamed, side }) => {
            const changes = new ScriptedChanges({
              cluster,
              prefix: `agree-${name}-${seed}-`,
              // The numbers of one seed have other scripts than those of the next.
              seed: 1000 * seed,
              script,
              changes: playing.rounds,
              ...(first !== undefined && { first }),
              ...(without !== undefined && { without }),
              ...(alsoNamed !== undefined && { alsoNamed }),
            });
            return { controller, isHere: changes.isHere, change: (number) => changes.change(number), ...side };
          });
        describeAgreement({
          seed,
          suites: parts,
          mutants: isFirst ? mutants : [],
          play() {
            const own = sides();
            return playRounds(cluster, [...own, ...(isFirst ? mutantsOf(own, mutants) : [])], playing);
          },
        });
      }

      test("only reads were sent", async () => {
        const events = await cluster.audit();
        const ours = events.filter(({ userAgent }) => userAgent?.startsWith(shadowAgent) === true);
        expect(ours.length).toBeGreaterThan(0);
        // A review checks a user's permissions, and writes nothing.
        const isRead = ({ verb, objectRef }: AuditEvent): boolean =>
          ["get", "list", "watch"].includes(verb) || objectRef?.resource === "subjectaccessreviews";
        expect(ours.filter((event) => !isRead(event))).toEqual([]);
      });
    },
  );
}
