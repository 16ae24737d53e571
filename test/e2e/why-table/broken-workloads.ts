import { expect } from "bun:test";
import { eventually } from "../support/workload.ts";
import { soon } from "./hand.ts";
import {
  apps,
  backOff,
  type Broken,
  batch,
  claim,
  condition,
  controller,
  core,
  creating,
  cronJob,
  data,
  type Hand,
  job,
  type Json,
  kubeletStatus,
  lost,
  noImage,
  pod,
  podsHave,
  volume,
  workload,
} from "./row.ts";

const byHand = { phase: "by hand" } as const;
const never = { backoffLimit: 0 };

/**
 * Gives the only ReplicaSet with pods an annotation with another size, then changes the template. A controller whose cache does not show the
 * annotation yet rolls out and corrects it, so the change is made again.
 */
async function stopRollout(hand: Hand): Promise<void> {
  const annotations = { "deployment.kubernetes.io/desired-replicas": "3" };
  for (let version = 2; version < 7; version++) {
    await hand.pods("d-stuck", 2);
    const active = (await setsOfStuck(hand)).filter(({ spec }) => spec.replicas > 0);
    expect(active).toHaveLength(1);
    await hand.patch(`${apps}/replicasets/${active[0]?.metadata.name}`, { metadata: { annotations } });
    await Bun.sleep(500 * version);
    const template = { metadata: { labels: { version: String(version) } } };
    await hand.patch(`${apps}/deployments/d-stuck`, { spec: { template } });
    await Bun.sleep(1000 * version);
    const made = (await setsOfStuck(hand)).some(({ metadata }) => metadata.labels["version"] === String(version));
    if (!made) return;
    await eventually(async () => {
      expect((await setsOfStuck(hand)).filter(({ spec, status }) => spec.replicas + status.replicas > 0)).toHaveLength(
        1,
      );
    });
  }
  throw new Error("every rollout of d-stuck went through");
}

interface StuckSet {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas: number };
}

async function setsOfStuck({ cluster }: Hand): Promise<readonly StuckSet[]> {
  const { body } = await cluster.request("GET", `${apps}/replicasets?labelSelector=app%3Dd-stuck`);
  return body.items as readonly StuckSet[];
}

export const brokenPods: readonly Broken[] = [
  {
    name: "a pod that fits no node",
    target: "pod/p-lost",
    objects: [pod("p-lost", lost)],
    says: /not scheduled: 0\/\d+ nodes are available/,
  },
  {
    name: "a pod held by a scheduling gate",
    target: "pod/p-gated",
    objects: [pod("p-gated", { schedulingGates: [{ name: "example.com/hold" }] })],
    says: /scheduling gates: example\.com\/hold/,
  },
  {
    name: "a pod whose scheduler does not exist",
    target: "pod/p-nobody",
    objects: [pod("p-nobody", { schedulerName: "nobody" })],
    says: /no scheduler has looked at it \(its scheduler is nobody\)/,
  },
  {
    name: "a pod whose claim is missing",
    target: "pod/p-claim",
    objects: [pod("p-claim", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "nope" } }] })],
    says: /there is no such claim/,
  },
  {
    name: "a pod whose claim is not bound",
    target: "pod/p-unbound",
    objects: [
      claim("c-of-pod", { storageClassName: "nope" }),
      pod("p-unbound", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c-of-pod" } }] }),
    ],
    says: /there is no StorageClass nope/,
  },
  {
    ...byHand,
    name: "a pod whose image cannot be pulled",
    target: "pod/p-image",
    objects: [pod("p-image")],
    afterwards: podsHave("p-image", noImage),
    says: /ImagePullBackOff/,
  },
  {
    ...byHand,
    name: "a pod in a crash loop",
    target: "pod/p-crash",
    objects: [pod("p-crash")],
    afterwards: podsHave("p-crash", backOff),
    says: /CrashLoopBackOff, ended with exit code 3, 4 restarts/,
  },
  {
    ...byHand,
    name: "a pod that is ready between two crashes",
    target: "pod/p-between",
    objects: [pod("p-between")],
    afterwards: async (hand) => {
      const time = (ago: number): string => new Date(Date.now() - ago * 1000).toISOString().replace(/\.\d+/, "");
      const terminated = { exitCode: 1, reason: "Error", startedAt: time(400), finishedAt: time(10) };
      const container = { restartCount: 3, state: { running: { startedAt: time(1) } }, lastState: { terminated } };
      await podsHave("p-between", kubeletStatus(container, { isReady: true }))(hand);
    },
    says: /ended with exit code 1 after .* the last time/,
  },
  {
    ...byHand,
    name: "a pod whose ConfigMap is missing",
    target: "pod/p-config",
    objects: [pod("p-config", { container: { envFrom: [{ configMapRef: { name: "nope" } }] } })],
    afterwards: podsHave(
      "p-config",
      kubeletStatus(
        { state: { waiting: { reason: "CreateContainerConfigError", message: 'configmap "nope" not found' } } },
        { phase: "Pending" },
      ),
    ),
    says: /there is no such ConfigMap/,
  },
  {
    ...byHand,
    name: "a pod whose Secret is missing",
    target: "pod/p-secret",
    objects: [pod("p-secret", { volumes: [{ name: "v", secret: { secretName: "nope" } }] })],
    afterwards: podsHave("p-secret", creating),
    says: /there is no such Secret/,
  },
  {
    ...byHand,
    name: "a pod whose ServiceAccount was deleted",
    target: "pod/p-account",
    objects: [data("ServiceAccount", "leaves"), pod("p-account", { serviceAccountName: "leaves" })],
    afterwards: async (hand) => {
      await podsHave("p-account", creating)(hand);
      await hand.remove(`${core}/serviceaccounts/leaves`);
    },
    says: /there is no such ServiceAccount/,
  },
  {
    ...byHand,
    name: "a pod whose init container crashes",
    target: "pod/p-init",
    objects: [pod("p-init", { initContainers: [{ name: "load", image: "load:1" }] })],
    afterwards: async (hand) => {
      const lastState = { terminated: { exitCode: 1, reason: "Error" } };
      const status = {
        name: "load",
        ready: false,
        restartCount: 2,
        image: "",
        imageID: "",
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState,
      };
      await podsHave("p-init", { ...creating, initContainerStatuses: [status] })(hand);
    },
    says: /init container load: CrashLoopBackOff/,
  },
  {
    ...byHand,
    name: "a pod whose readiness probe fails",
    target: "pod/p-probe",
    objects: [pod("p-probe", { container: { readinessProbe: { httpGet: { port: 80 } } } })],
    afterwards: podsHave("p-probe", kubeletStatus({ started: true, state: { running: {} } })),
    says: /readiness probe of container web/,
  },
  {
    ...byHand,
    name: "a pod whose readiness gate is not True",
    target: "pod/p-gate",
    objects: [pod("p-gate", { readinessGates: [{ conditionType: "example.com/lb" }] })],
    afterwards: podsHave("p-gate", { ...kubeletStatus({ ready: true, started: true, state: { running: {} } }) }),
    says: /readiness gate example\.com\/lb/,
  },
  {
    ...byHand,
    name: "a pod that was evicted",
    target: "pod/p-evicted",
    objects: [pod("p-evicted")],
    afterwards: podsHave("p-evicted", {
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory.",
    }),
    says: /Evicted: The node was low on resource/,
  },
  {
    ...byHand,
    name: "a pod that its kubelet has not taken up",
    target: "pod/p-kubelet",
    objects: [pod("p-kubelet")],
    says: /waits for the kubelet of node/,
  },
  {
    ...byHand,
    name: "a pod that a finalizer holds",
    target: "pod/p-held",
    objects: [pod("p-held", { meta: { finalizers: ["example.com/drain"] } })],
    afterwards: (hand) => hand.remove(`${core}/pods/p-held`),
    says: /finalizer example\.com\/drain/,
  },
];

export const brokenWorkloads: readonly Broken[] = [
  {
    name: "a Deployment whose pods fit no node",
    target: "deploy/d-lost",
    objects: [workload("Deployment", "d-lost", { pods: lost })],
    says: /not scheduled: 0\/\d+/,
  },
  {
    name: "a Deployment over quota",
    target: "deploy/d-quota",
    namespace: "tight",
    objects: [workload("Deployment", "d-quota", { meta: { namespace: "tight" } })],
    says: /exceeded quota: none/,
  },
  {
    name: "a Deployment that pod security refuses",
    target: "deploy/d-psa",
    namespace: "strict",
    objects: [workload("Deployment", "d-psa", { meta: { namespace: "strict" } })],
    says: /violates PodSecurity/,
  },
  {
    name: "a Deployment whose pods a webhook to nowhere refuses",
    target: "deploy/d-hook",
    namespace: "hooked",
    objects: [workload("Deployment", "d-hook", { meta: { namespace: "hooked" } })],
    says: /failed calling webhook/,
  },
  {
    name: "a Deployment whose ServiceAccount is missing",
    target: "deploy/d-account",
    objects: [workload("Deployment", "d-account", { pods: { serviceAccountName: "nope" } })],
    says: /serviceaccount "nope" not found/i,
  },
  {
    name: "a Deployment that is paused before its first rollout",
    target: "deploy/d-paused",
    objects: [workload("Deployment", "d-paused", { spec: { paused: true } })],
    says: /it is paused/,
  },
  {
    name: "a Deployment past its deadline",
    target: "deploy/d-late",
    objects: [workload("Deployment", "d-late", { spec: { progressDeadlineSeconds: 1 }, pods: lost })],
    says: /ProgressDeadlineExceeded/,
  },
  {
    name: "a Deployment whose new pods fit no node, while the old ones serve",
    target: "deploy/d-roll",
    objects: [workload("Deployment", "d-roll")],
    afterwards: async (hand) => {
      await hand.pods("d-roll", 2);
      await hand.patch(`${apps}/deployments/d-roll`, { spec: { template: { spec: lost } } });
    },
    says: /0 of 2 pods of the new ReplicaSet \S+ are available, 2 of 2 old ones still serve/,
  },
  {
    name: "a Deployment whose rollout is stopped by an annotation with another size",
    target: "deploy/d-stuck",
    objects: [workload("Deployment", "d-stuck")],
    afterwards: stopRollout,
    says: /its annotation desired-replicas says 3, the Deployment 2: no rollout continues until they agree/,
  },
  {
    name: "a Deployment whose pods are not ready for long enough",
    target: "deploy/d-young",
    objects: [workload("Deployment", "d-young", { spec: { minReadySeconds: 500 } })],
    says: /0 of 2 pods of ReplicaSet \S+ are available/,
  },
  {
    ...byHand,
    name: "a Deployment in a crash loop",
    target: "deploy/d-crash",
    objects: [workload("Deployment", "d-crash")],
    afterwards: podsHave("d-crash", backOff, 2),
    says: /CrashLoopBackOff, ended with exit code 3/,
  },
  {
    ...byHand,
    name: "a Deployment whose image cannot be pulled",
    target: "deploy/d-image",
    objects: [workload("Deployment", "d-image")],
    afterwards: podsHave("d-image", noImage, 2),
    says: /ImagePullBackOff/,
  },
  {
    ...byHand,
    name: "a Deployment that is deleted in the foreground, held by a pod's finalizer",
    target: "deploy/d-going",
    objects: [workload("Deployment", "d-going", { pods: { meta: { finalizers: ["example.com/drain"] } } })],
    afterwards: async (hand) => {
      await hand.pods("d-going", 2);
      await hand.remove(`${apps}/deployments/d-going`, { propagationPolicy: "Foreground" });
    },
    says: /Pod d-going-\S+ finalizer example\.com\/drain/,
  },
  {
    name: "a Deployment of which a user sees nothing else",
    target: "deploy/d-lost",
    as: "bob",
    says: /0 of 2 pods are available/,
    notSeen: /replicasets\.apps \(no right to list\)|replicasets\.apps, pods/,
  },
  {
    name: "a ReplicaSet over quota",
    target: "rs/r-quota",
    namespace: "tight",
    objects: [workload("ReplicaSet", "r-quota", { meta: { namespace: "tight" } })],
    says: /exceeded quota: none/,
  },
  {
    name: "a ReplicaSet whose pods fit no node",
    target: "rs/r-lost",
    objects: [workload("ReplicaSet", "r-lost", { pods: lost })],
    says: /not scheduled/,
  },
  {
    name: "a ReplicationController whose pod fits no node",
    target: "rc/rc-lost",
    objects: [controller("rc-lost", lost)],
    says: /not scheduled/,
  },
  {
    name: "a StatefulSet whose first pod fits no node",
    target: "sts/s-lost",
    objects: [workload("StatefulSet", "s-lost", { pods: lost })],
    says: /Pod s-lost-0 not scheduled/,
  },
  {
    name: "a StatefulSet over quota",
    target: "sts/s-quota",
    namespace: "tight",
    objects: [workload("StatefulSet", "s-quota", { meta: { namespace: "tight" } })],
    says: /exceeded quota: none/,
  },
  {
    name: "a StatefulSet whose claims have no class",
    target: "sts/s-claim",
    objects: [
      workload("StatefulSet", "s-claim", {
        spec: { volumeClaimTemplates: [claim("v", { storageClassName: "nope" })] },
      }),
    ],
    says: /PersistentVolumeClaim v-s-claim-0 there is no StorageClass nope/,
  },
  {
    name: "a StatefulSet that waits for the claim of an earlier pod",
    target: "sts/s-kept",
    objects: scaledSet("s-kept"),
    afterwards: (hand) => downAndUp(hand, "s-kept"),
    says: /PersistentVolumeClaim v-s-kept-1 left over from an earlier pod/,
  },
  {
    name: "a StatefulSet that waited for such a claim, and is not woken when it is gone",
    target: "sts/s-slept",
    objects: scaledSet("s-slept"),
    async afterwards(hand) {
      await downAndUp(hand, "s-slept");
      const path = `${core}/persistentvolumeclaims/v-s-slept-1`;
      await hand.patch(path, { metadata: { finalizers: null } });
      await soon("the claim is gone", async () => (await hand.cluster.request("GET", path)).status === 404);
    },
    says: /the deletion of an earlier claim does not wake it/,
  },
  {
    name: "a DaemonSet whose pods ask for too much",
    target: "ds/ds-large",
    objects: [
      workload("DaemonSet", "ds-large", { pods: { container: { resources: { requests: { cpu: "90000" } } } } }),
    ],
    says: /not scheduled: .*Insufficient cpu/,
  },
  {
    name: "a DaemonSet that pod security refuses",
    target: "ds/ds-psa",
    namespace: "strict",
    objects: [workload("DaemonSet", "ds-psa", { meta: { namespace: "strict" } })],
    says: /violates PodSecurity/,
  },
  {
    name: "a Job whose pod fits no node",
    target: "job/j-lost",
    objects: [job("j-lost", { pods: lost })],
    says: /not scheduled/,
  },
  {
    name: "a Job that is suspended",
    target: "job/j-off",
    objects: [job("j-off", { spec: { suspend: true } })],
    says: /it is suspended/,
  },
  {
    name: "a Job past its deadline",
    target: "job/j-late",
    objects: [job("j-late", { spec: { activeDeadlineSeconds: 1 }, pods: lost })],
    says: /DeadlineExceeded/,
  },
  {
    name: "a Job over quota",
    target: "job/j-quota",
    namespace: "tight",
    objects: [job("j-quota", { meta: { namespace: "tight" } })],
    says: /exceeded quota: none/,
  },
  {
    ...byHand,
    name: "a Job whose pod failed",
    target: "job/j-failed",
    objects: [job("j-failed", { spec: never })],
    afterwards: podsHave("j-failed", {
      phase: "Failed",
      containerStatuses: [
        {
          name: "web",
          ready: false,
          restartCount: 0,
          image: "",
          imageID: "",
          state: { terminated: { exitCode: 7, reason: "Error" } },
        },
      ],
    }),
    says: /container web ended with exit code 7/,
  },
  {
    name: "a CronJob that is suspended",
    target: "cj/cj-off",
    objects: [cronJob("cj-off", { suspend: true })],
    says: /it is suspended/,
  },
  {
    name: "a CronJob whose last Job failed",
    target: "cj/cj-failed",
    objects: [cronJob("cj-failed")],
    afterwards: async (hand) => {
      const uid = await hand.uidOf(`${batch}/cronjobs/cj-failed`);
      const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "cj-failed", uid, controller: true };
      const meta = { ownerReferences: [owner] };
      await hand.create(`${batch}/jobs`, job("cj-failed-1", { meta, spec: { activeDeadlineSeconds: 1 }, pods: lost }));
    },
    says: /DeadlineExceeded/,
  },
  {
    name: "a custom resource whose controller has not seen its latest spec",
    target: "widget/w-behind",
    objects: [],
    says: /its controller has observed generation 1 of 2/,
    afterwards: async (hand) => {
      const widgets = "/apis/example.com/v1/namespaces/table/widgets";
      await hand.create(widgets, {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "w-behind" },
        spec: { a: 1 },
      });
      await hand.status(`${widgets}/w-behind`, { observedGeneration: 1, ...condition("Ready", "True") });
      await hand.patch(`${widgets}/w-behind`, { spec: { a: 2 } });
    },
  },
];

/** A StatefulSet that deletes the claims of pods that it scales down, and volumes for them. */
function scaledSet(name: string): readonly Json[] {
  const storageClassName = `only-${name}`;
  return [
    ...[0, 1].map((n) => volume(`${name}-${n}`, { storageClassName })),
    workload("StatefulSet", name, {
      spec: {
        podManagementPolicy: "Parallel",
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
        volumeClaimTemplates: [claim("v", { storageClassName })],
      },
    }),
  ];
}

/** Scales it from 2 to 1 and up again, while a finalizer keeps the claim of its second pod. */
async function downAndUp(hand: Hand, name: string): Promise<void> {
  const [set, pod] = [`${apps}/statefulsets/${name}`, `${core}/pods/${name}-1`];
  await hand.pods(name, 2);
  await hand.patch(`${core}/persistentvolumeclaims/v-${name}-1`, { metadata: { finalizers: ["example.com/hold"] } });
  await hand.patch(set, { spec: { replicas: 1 } });
  await soon("the second pod is gone", async () => (await hand.cluster.request("GET", pod)).status === 404);
  await hand.patch(set, { spec: { replicas: 2 } });
  await soon("the controller has seen the new scale", async () => {
    const { metadata, status } = (await hand.cluster.request("GET", set)).body;
    return status.observedGeneration === metadata.generation;
  });
}
