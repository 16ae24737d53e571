/**
 * Random scenarios for dry-run with Services and their endpoints, quotas, and claims, seeded like those of dry-run-scenarios.ts.
 */
import { below, type Random } from "../../src/platform/random.ts";
import { type Json, type Part, pick, type Scenario, scenarioOf } from "./dry-run-scenarios.ts";

/** A Deployment, some with a port that has a name. Its pods request processor time, for quotas. */
function deployment(random: Random, name: string): Part {
  const resources = { requests: { cpu: "100m" } };
  const ports = [{ name: "web", containerPort: 8080 + below(random, 2) }];
  const ephemeral = below(random, 4) === 0 ? ephemeralVolume : {};
  const draw = (): Json => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: below(random, 5),
      // None: the clock of a dry run goes past it, and quotas hold up pods forever.
      progressDeadlineSeconds: 2_147_483_647,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, tier: pick(random, ["a", "b"]) } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image: `nginx:1.${below(random, 3)}`, ports, resources }],
          ...ephemeral,
        },
      },
    },
  });
  return { target: `deployment/${name}`, object: draw(), changed: draw, scales: true, ends: true };
}

/** Nothing provisions its claims: the pods stay Pending. */
const ephemeralVolume: Json = {
  volumes: [
    {
      name: "scratch",
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      },
    },
  ],
};

function service(random: Random, name: string, app: string): Part {
  const fixed = pick(random, [{}, {}, { clusterIP: "None" }]);
  const draw = (): Json => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels: { drawn: `${below(random, 3)}` } },
    spec: {
      ...fixed,
      selector: pick(random, [{ app }, { app }, { tier: "a" }, { app: "nobody" }]),
      ports: [
        { name: "web", port: 80, targetPort: pick(random, [8080, "web", "unknown"]) },
        ...(below(random, 2) === 0 ? [{ name: "more", port: 81, targetPort: 9090 }] : []),
      ],
      publishNotReadyAddresses: below(random, 3) === 0,
    },
  });
  return { target: `service/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

/** A Service without a selector, and Endpoints written by hand, which are mirrored. */
function mirrored(random: Random, name: string): readonly Part[] {
  const of: Json = { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }] } };
  const draw = (): Json => ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name },
    subsets: [
      {
        addresses: Array.from({ length: 1 + below(random, 3) }, (_, n) => ({ ip: `10.9.0.${n + 1}` })),
        ports: [{ port: 80 }],
      },
    ],
  });
  return [
    { target: `service/${name}`, object: of, scales: false, ends: true },
    // Deleted with the Service.
    { target: `endpoints/${name}`, object: draw(), changed: draw, scales: false, ends: false },
  ];
}

/** Some are lower than what the Deployments need. */
function quota(random: Random, name: string): Part {
  const draw = (): Json => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name },
    spec: {
      hard: pick(random, [
        { pods: `${2 + below(random, 8)}` },
        { "requests.cpu": `${2 + below(random, 8)}00m` },
        { services: "50", configmaps: "50" },
        { "count/deployments.apps": "20", persistentvolumeclaims: "20" },
      ]),
    },
  });
  return { target: `resourcequota/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

function claim(random: Random, name: string): Part {
  const object: Json = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${1 + below(random, 4)}Gi` } } },
  };
  return { target: `persistentvolumeclaim/${name}`, object, scales: false, ends: true };
}

function drawn(random: Random, name: string): readonly Part[] {
  switch (below(random, 6)) {
    case 0:
      return mirrored(random, name);
    case 1:
      return [quota(random, name), deployment(random, `${name}-app`)];
    case 2:
      return [claim(random, name), deployment(random, `${name}-app`)];
    default:
      return [deployment(random, name), service(random, `${name}-svc`, name)];
  }
}

/** One or two groups of objects, the actions on them, and possibly another group that is applied later. */
export function serviceScenario(seed: number): Scenario {
  return scenarioOf(seed, drawn);
}
