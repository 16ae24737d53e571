/** References of the applied objects to objects that do not exist. */
import { describe, expect, test } from "bun:test";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { type Scope, wholeCluster } from "../../../src/modes/dry-run/scope.ts";
import { apply, play } from "./scene.ts";

type Fields = Readonly<Record<string, unknown>>;

function object(apiVersion: string, kind: string, fields: Fields, name = "x"): ToApply {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, ...fields };
}

const container = { name: "c", image: "i" };

/** A Pod `x` with these fields in its spec. */
function pod(spec: Fields): ToApply {
  return object("v1", "Pod", { spec: { containers: [container], ...spec } });
}

const withEnv = (env: Fields): ToApply => pod({ containers: [{ ...container, ...env }] });
const settings = object("v1", "ConfigMap", { data: { a: "1" } }, "settings");
const web = object(
  "apps/v1",
  "Deployment",
  {
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ ...container, ports: [{ name: "http", containerPort: 80 }] }] },
      },
    },
  },
  "web",
);
const service = (fields: Fields, name = "web"): ToApply => object("v1", "Service", { spec: fields }, name);
const webService = service({ selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }] });
const ingress = (backend: Fields): ToApply =>
  object("networking.k8s.io/v1", "Ingress", { spec: { defaultBackend: { service: backend } } });
const statefulSet = object("apps/v1", "StatefulSet", {
  spec: {
    serviceName: "none",
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
  },
});

async function dryRunOf(...objects: readonly ToApply[]): Promise<DryRun> {
  const run = await play({ requestedChanges: objects.map(apply) });
  expect(run.refused.map(({ error }) => error.message)).toEqual([]);
  return run;
}

describe("a dangling reference is reported with its field:", () => {
  const rows: readonly {
    readonly name: string;
    readonly objects: readonly ToApply[];
    readonly field: string;
    readonly why: string;
  }[] = [
    {
      name: "a volume's ConfigMap",
      objects: [pod({ volumes: [{ name: "v", configMap: { name: "none" } }] })],
      field: ".spec.volumes[0].configMap.name",
      why: "there is no ConfigMap default/none",
    },
    {
      name: "a key of an existing ConfigMap",
      objects: [
        settings,
        withEnv({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "b" } } }] }),
      ],
      field: ".spec.containers[0].env[0].valueFrom.configMapKeyRef",
      why: 'ConfigMap default/settings has no key "b"',
    },
    {
      name: "a file of a projected Secret",
      objects: [pod({ volumes: [{ name: "v", projected: { sources: [{ secret: { name: "none" } }] } }] })],
      field: ".spec.volumes[0].projected.sources[0].secret.name",
      why: "there is no Secret default/none",
    },
    {
      name: "a whole Secret as environment",
      objects: [withEnv({ envFrom: [{ secretRef: { name: "none" } }] })],
      field: ".spec.containers[0].envFrom[0].secretRef.name",
      why: "there is no Secret default/none",
    },
    {
      name: "a claim",
      objects: [pod({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "none" } }] })],
      field: ".spec.volumes[0].persistentVolumeClaim.claimName",
      why: "there is no claim default/none",
    },
    {
      name: "a Secret for pulling images",
      objects: [pod({ imagePullSecrets: [{ name: "none" }] })],
      field: ".spec.imagePullSecrets[0].name",
      why: "there is no Secret default/none",
    },
    {
      name: "a Service's selector",
      objects: [web, service({ selector: { app: "wob" }, ports: [{ port: 80 }] })],
      field: ".spec.selector",
      why: "no pod has the labels app=wob",
    },
    {
      name: "a Service's named port",
      objects: [web, service({ selector: { app: "web" }, ports: [{ port: 80, targetPort: "https" }] })],
      field: ".spec.ports[0].targetPort",
      why: "no container of its pods has a port named https",
    },
    {
      name: "an Ingress's backend",
      objects: [ingress({ name: "none", port: { number: 80 } })],
      field: ".spec.defaultBackend.service.name",
      why: "there is no Service default/none",
    },
    {
      name: "the port of an Ingress's backend",
      objects: [web, webService, ingress({ name: "web", port: { number: 81 } })],
      field: ".spec.defaultBackend.service.port",
      why: "Service default/web has no port 81",
    },
    {
      name: "an autoscaler's target",
      objects: [
        object("autoscaling/v2", "HorizontalPodAutoscaler", {
          spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" }, maxReplicas: 2 },
        }),
      ],
      field: ".spec.scaleTargetRef.name",
      why: "there is no Deployment default/none",
    },
    {
      name: "a disruption budget's selector",
      objects: [
        object("policy/v1", "PodDisruptionBudget", {
          spec: { minAvailable: 1, selector: { matchLabels: { app: "none" } } },
        }),
      ],
      field: ".spec.selector",
      why: "no pod has the labels app=none",
    },
    {
      name: "a StatefulSet's Service",
      objects: [statefulSet],
      field: ".spec.serviceName",
      why: "there is no Service default/none",
    },
  ];
  for (const { name, objects, field, why } of rows) {
    test(name, async () => {
      const { references } = await dryRunOf(...objects);
      expect(references.dangling.map((each) => ({ field: each.field, why: each.why }))).toEqual([{ field, why }]);
    });
  }

  test("a ServiceAccount, though its pods are refused", async () => {
    const { references } = await play({
      requestedChanges: [
        apply({ ...web, spec: { ...(web as unknown as { spec: object }).spec, template: withAccount } } as ToApply),
      ],
    });
    expect(references.dangling.map(({ why }) => why)).toEqual(["there is no ServiceAccount default/none"]);
  });
});

const withAccount = {
  metadata: { labels: { app: "web" } },
  spec: { serviceAccountName: "none", containers: [container] },
};

describe("nothing is reported for", () => {
  const rows: readonly { readonly name: string; readonly objects: readonly ToApply[] }[] = [
    {
      name: "optional references",
      objects: [withEnv({ envFrom: [{ configMapRef: { name: "none", optional: true } }] })],
    },
    {
      name: "objects that every namespace has",
      objects: [
        pod({ serviceAccountName: "default", volumes: [{ name: "v", configMap: { name: "kube-root-ca.crt" } }] }),
      ],
    },
    {
      name: "objects later in the manifests",
      objects: [withEnv({ envFrom: [{ configMapRef: { name: "settings" } }] }), settings],
    },
    { name: "a Service of a workload without pods", objects: [web, webService] },
    { name: "a Service whose endpoints another writer provides", objects: [service({ ports: [{ port: 80 }] })] },
    { name: "a port by name", objects: [web, webService, ingress({ name: "web", port: { name: "http" } })] },
    {
      name: "the built-in priority classes",
      objects: [object("v1", "ConfigMap", {}), pod({ priorityClassName: "system-node-critical" })],
    },
  ];
  for (const { name, objects } of rows) {
    test(name, async () => {
      const { references } = await dryRunOf(...objects);
      expect(references.dangling).toEqual([]);
    });
  }
});

test("deleted objects are missing for those that refer to them, whether these are applied or not", async () => {
  const needy = withEnv({ envFrom: [{ configMapRef: { name: "settings" } }] });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
  const run = await play({
    baseline: [settings, needy].map(apply),
    requestedChanges: [{ is: "delete", kind, namespace: "default", name: "settings" }],
  });
  expect(run.references.dangling).toEqual([
    {
      of: { group: "", kind: "Pod" },
      key: "default/x",
      field: ".spec.containers[0].envFrom[0].configMapRef.name",
      why: "ConfigMap default/settings would be deleted",
    },
  ]);
});

describe("unknown references are not dangling, and are reported as unknown:", () => {
  const scopeWith = (unread: readonly (readonly [string, string])[]): Scope => ({
    ...wholeCluster,
    unread: new Map(unread),
  });

  test("a kind that cannot be read", async () => {
    const beginning = { ...emptyCluster([]), scope: scopeWith([["/Secret", "secrets cannot be read"]]) };
    const run = await play({
      initialState: beginning,
      requestedChanges: [apply(withEnv({ envFrom: [{ secretRef: { name: "login" } }] }))],
    });
    expect(run.references.dangling).toEqual([]);
    expect(run.references.unseen).toEqual([
      { what: "Secret default/login", why: "secrets cannot be read", isDecisive: true },
    ]);
    // The Secret is assumed to exist.
    expect(run.availability).toMatchObject([{ available: 1 }]);
  });

  test("classes of a cluster that was not read", async () => {
    const claim = object("v1", "PersistentVolumeClaim", {
      spec: { storageClassName: "fast", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const { references } = await dryRunOf(claim);
    expect([references.dangling, references.unseen.map(({ what, why }) => `${what}: ${why}`)]).toEqual([
      [],
      ["StorageClass fast: no cluster was consulted"],
    ]);
  });
});

describe("pods do not start without the objects that they need", () => {
  test("and are not available, with the reason", async () => {
    const { availability } = await dryRunOf(withEnv({ envFrom: [{ configMapRef: { name: "none" } }] }));
    expect(availability).toMatchObject([
      {
        available: 0,
        desired: 1,
        why: "Pod x: there is no ConfigMap default/none (.spec.containers[0].envFrom[0].configMapRef.name)",
      },
    ]);
  });

  test("and start when these are applied later", async () => {
    const { availability } = await dryRunOf(withEnv({ envFrom: [{ configMapRef: { name: "settings" } }] }), settings);
    expect(availability).toMatchObject([{ available: 1, desired: 1 }]);
  });
});

describe("a name that a custom resource has as a value", () => {
  const certificate = object(
    "cert-manager.io/v1",
    "Certificate",
    { spec: { secretName: "web-tls", dnsNames: ["web"] } },
    "web",
  );
  const serving = pod({ volumes: [{ name: "v", secret: { secretName: "web-tls" } }] });
  const why = "Certificate web names it, and the controller that may create it does not run here";

  test("is not dangling but unseen, and the pod starts", async () => {
    const { references, availability } = await dryRunOf(serving, certificate);
    expect(references.dangling).toEqual([]);
    expect(references.unseen).toEqual([{ what: "Secret default/web-tls", why, isDecisive: true }]);
    expect(availability).toMatchObject([{ available: 1, desired: 1 }]);
  });

  test("of another namespace is dangling, and so is another name", async () => {
    const elsewhere = { ...certificate, metadata: { name: "web", namespace: "other" } };
    const another = object("cert-manager.io/v1", "Certificate", { spec: { secretName: "web" } }, "web");
    for (const each of [elsewhere, another]) {
      const { references, availability } = await dryRunOf(serving, each);
      expect(references.dangling).toMatchObject([{ why: "there is no Secret default/web-tls" }]);
      expect(availability).toMatchObject([{ available: 0, desired: 1 }]);
    }
  });
});
