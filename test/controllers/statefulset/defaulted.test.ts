import { describe, expect, test } from "bun:test";
import type { ControllerRevision, StatefulSet } from "../../../src/api/types.ts";
import { revisionData } from "../../../src/controller/workload/controller-revision/data.ts";
import { isRestoredBy } from "../../../src/controllers/statefulset/defaulted.ts";
import { statefulSetOf } from "../../support/workloads.ts";
import { revisionFor } from "./objects.ts";

type Template = Record<string, unknown>;

/** The template with the defaults of kube-apiserver 1.36. */
const template: Template = {
  metadata: { labels: { app: "db" } },
  spec: {
    containers: [
      {
        name: "db",
        image: "db:1",
        resources: { requests: { memory: "1Gi" } },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
};
const set: StatefulSet = statefulSetOf({ spec: { template } });

function revisionOf(changed: Template): ControllerRevision {
  const data = { spec: { template: { ...changed, $patch: "replace" } } };
  // Undefined fields are removed, as in data from a server.
  return { ...revisionFor(set), data: JSON.parse(JSON.stringify(data)) as unknown };
}

const withSpec = (changed: object): Template => ({
  ...template,
  spec: { ...(template["spec"] as object), ...changed },
});

describe("a revision has the same template", () => {
  const same: readonly { readonly name: string; readonly template: Template }[] = [
    { name: "in its current form", template },
    {
      name: "with null for an unset time",
      template: { ...template, metadata: { labels: { app: "db" }, creationTimestamp: null } },
    },
    {
      name: "without fields that have a default",
      template: withSpec({ dnsPolicy: undefined, schedulerName: undefined, securityContext: undefined }),
    },
    {
      name: "without defaults of a container, and with another unit",
      template: withSpec({
        containers: [{ name: "db", image: "db:1", resources: { requests: { memory: "1024Mi" } } }],
      }),
    },
    { name: "with a field that is no longer known", template: withSpec({ forgotten: true }) },
  ];
  for (const { name, template: written } of same) {
    test(name, async () => expect(await isRestoredBy(set, revisionOf(written))).toBe(true));
  }
});

describe("a revision has another template", () => {
  const others: readonly { readonly name: string; readonly template: Template }[] = [
    { name: "with another image", template: withSpec({ containers: [{ name: "db", image: "db:2" }] }) },
    { name: "with a value that is not the default", template: withSpec({ dnsPolicy: "Default" }) },
    { name: "with a value of the wrong type", template: withSpec({ containers: "none" }) },
  ];
  for (const { name, template: written } of others) {
    test(name, async () => expect(await isRestoredBy(set, revisionOf(written))).toBe(false));
  }

  test("if its data is not a patch", async () => {
    expect(await isRestoredBy(set, { ...revisionFor(set), data: "x" })).toBe(false);
  });
});

test("reading a revision does not change the set", async () => {
  const before = JSON.stringify(set);
  await isRestoredBy(set, revisionOf(withSpec({ dnsPolicy: undefined })));
  expect(JSON.stringify(set)).toBe(before);
  expect(revisionData(set.spec?.template)).toMatchObject({ spec: { template: { $patch: "replace" } } });
});
