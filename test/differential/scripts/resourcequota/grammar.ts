/** Random scripts: quotas, and the objects that they count. */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";

/** Limits far above what a script creates: the API server must admit everything. */
const limits: Readonly<Record<string, string>> = {
  pods: "100",
  "requests.cpu": "100",
  services: "100",
  replicationcontrollers: "100",
  "count/secrets": "100",
  persistentvolumeclaims: "100",
  "requests.storage": "100Ti",
};

const counted = ["pods", "services", "replicationcontrollers", "secrets", "persistentvolumeclaims"] as const;

/** Quotas on some resources, and objects that come and go. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const steps = Array.from({ length }, (_, n) => {
    if (n === 0) return aQuota(random, n);
    const move = [aQuota, someObjects, someObjects, removal, removal, removal, otherLimits, anEnd][below(random, 8)];
    return (move ?? removal)(random, n);
  });
  return { name: `seed ${seed}`, steps };
}

function someLimits(random: Random): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(limits).filter(() => random.next() < 0.6));
}

function aQuota(random: Random, n: number): Step {
  const hard = someLimits(random);
  return {
    name: `create the quota q${n} of ${Object.keys(hard).join(", ")}`,
    act: (stage) => stage.create("resourcequotas", { metadata: { name: `q${n}` }, spec: { hard } }),
  };
}

function otherLimits(random: Random): Step {
  const hard = Object.fromEntries(
    Object.keys(limits).map((name) => [name, random.next() < 0.5 ? `${50 + below(random, 50)}` : null]),
  );
  return {
    name: `set the limits of q0 to ${JSON.stringify(hard)}`,
    act: (stage) => stage.patch("resourcequotas", "q0", { spec: { hard } }),
  };
}

/** Objects of each counted kind, with this number in their names. */
function objectsOf(n: number): Readonly<Record<(typeof counted)[number], object>> {
  const metadata = { name: `o${n}` };
  const requests = { cpu: `${100 + n}m` };
  return {
    pods: { metadata, spec: { containers: [{ name: "main", image: "main:1", resources: { requests } }] } },
    services: { metadata, spec: { ports: [{ port: 80 }] } },
    replicationcontrollers: {
      metadata,
      spec: {
        replicas: 0,
        selector: { app: `o${n}` },
        template: { metadata: { labels: { app: `o${n}` } }, spec: { containers: [{ name: "main", image: "main:1" }] } },
      },
    },
    secrets: { metadata },
    persistentvolumeclaims: {
      metadata,
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${1 + n}Gi` } } },
    },
  };
}

function someObjects(random: Random, n: number): Step {
  const kinds = counted.filter(() => random.next() < 0.7);
  return {
    name: `create ${kinds.join(", ")}`,
    async act(stage) {
      for (const kind of kinds) await stage.create(kind, objectsOf(n)[kind]);
    },
  };
}

interface Named {
  readonly metadata: { readonly name: string };
}

function removal(random: Random): Step {
  const [kind, fraction] = [counted[below(random, counted.length)] ?? "pods", random.next()] as const;
  return {
    name: `delete one of the ${kind}`,
    async act(stage) {
      const there = (await stage.list(kind)) as unknown as readonly Named[];
      const own = there.filter(({ metadata }) => /^o\d+$/.test(metadata.name));
      const one = own[Math.floor(fraction * own.length)];
      if (one !== undefined) await stage.remove(kind, one.metadata.name, atOnce);
    },
  };
}

const atOnce = { gracePeriodSeconds: 0 };

function anEnd(random: Random): Step {
  const fraction = random.next();
  return {
    name: "finish a pod",
    async act(stage) {
      const pods = await stage.pods(({ status }) => status?.phase !== "Succeeded");
      const pod = pods[Math.floor(fraction * pods.length)];
      if (pod !== undefined)
        await stage.patch("pods", `${pod.metadata.name}/status`, { status: { phase: "Succeeded" } });
    },
  };
}
