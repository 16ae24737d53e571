import { describe, expect, test } from "bun:test";
import type { PodTemplateSpec } from "../../../../src/api/types.ts";
import {
  isSameRevision,
  revisionData,
  revisionText,
  withRevision,
} from "../../../../src/controller/workload/controller-revision/data.ts";
import { revisionHash, revisionName } from "../../../../src/controller/workload/controller-revision/name.ts";

const container = {
  name: "test",
  image: "test",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
};

/** A template with the defaults that kube-apiserver adds. */
function templateOf(metadata: object, more: object = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app: "foo" }, annotations: { test: "value" }, ...metadata },
    spec: {
      containers: [{ ...container, ...more }],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
  };
}

describe("the data of a revision", () => {
  test("is a patch that replaces the template, with its keys in Go's order", () => {
    expect(revisionText(revisionData(templateOf({})))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"test":"value"},"labels":{"app":"foo"}},"spec":{"containers":[{"image":"test","imagePullPolicy":"Always","name":"test","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}',
    );
  });

  test("is escaped as in Go, and has keys in the order of their bytes", () => {
    const data = { "9": "<a> & b\u2028", "10": true, A: [1, null], a: undefined, ä: "ä", "\u{1f600}": 0, "\uff5e": 1 };
    expect(revisionText(data)).toBe(
      '{"10":true,"9":"\\u003ca\\u003e \\u0026 b\\u2028","A":[1,null],"ä":"ä","\uff5e":1,"\u{1f600}":0}',
    );
  });

  test("leaves out times that an older server wrote as null, at any depth", () => {
    const volume = { name: "v", ephemeral: { volumeClaimTemplate: { metadata: { creationTimestamp: null } } } };
    const old = { metadata: { creationTimestamp: null }, spec: { volumes: [volume], nodeName: null } };
    expect(revisionText(revisionData(old as unknown as PodTemplateSpec))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"nodeName":null,"volumes":[{"ephemeral":{"volumeClaimTemplate":{"metadata":{}}},"name":"v"}]}}}}',
    );
  });

  test("restores the whole template, and nothing else", () => {
    const set = {
      metadata: { name: "db" },
      spec: { replicas: 3, template: templateOf({ annotations: { new: "1" } }) },
    };
    const data = revisionData(templateOf({}, { command: ["sh"] }));
    expect(withRevision(set, { data })).toEqual({
      metadata: { name: "db" },
      spec: { replicas: 3, template: templateOf({}, { command: ["sh"] }) },
    });
    expect(set.spec.template).toEqual(templateOf({ annotations: { new: "1" } }));
  });

  test("does not depend on the order of keys, but on each value", () => {
    const { metadata, spec } = templateOf({});
    expect(
      isSameRevision(
        { data: revisionData({ spec, metadata } as PodTemplateSpec) },
        { data: revisionData(templateOf({})) },
      ),
    ).toBe(true);
    expect(
      isSameRevision({ data: revisionData(templateOf({}, { image: "b" })) }, { data: revisionData(templateOf({})) }),
    ).toBe(false);
  });
});

describe("the name of a revision", () => {
  // From the test data of kube-controller-manager: revisions that 1.33 and 1.34 created from these templates.
  test("has the hash that kube-controller-manager gives it", () => {
    expect(revisionHash(revisionData(templateOf({})), 0)).toBe("776999688b");
    const { spec } = templateOf({});
    const before134 = {
      spec: {
        template: {
          $patch: "replace",
          metadata: { annotations: { test: "value" }, creationTimestamp: null, labels: { app: "foo" } },
          spec,
        },
      },
    };
    expect(revisionHash(before134, 0)).toBe("c77f6d978");
  });

  test("changes after a collision", () => {
    const data = revisionData(templateOf({}));
    expect(new Set([0, 1, 2].map((count) => revisionHash(data, count))).size).toBe(3);
  });

  test("has at most 223 characters of the owner's", () => {
    expect(revisionName("db", "6d5f")).toBe("db-6d5f");
    expect(revisionName("d".repeat(250), "6d5f")).toBe(`${"d".repeat(223)}-6d5f`);
  });
});
