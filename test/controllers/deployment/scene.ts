/** An embedded cluster with the Deployment and ReplicaSet controllers, and a Deployment `web`. */
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { Deployment, Pod, ReplicaSet } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import type { EmbeddedOptions } from "../../../src/modes/run/embedded.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";

export interface DeploymentParts {
  readonly replicas?: number;
  readonly strategy?: object;
  readonly image?: string;
  readonly spec?: object;
  readonly template?: { readonly metadata?: object; readonly spec?: object };
  readonly metadata?: object;
}

export interface RolloutScene extends EmbeddedScene {
  create(parts?: DeploymentParts): Promise<Deployment>;
  /** Sends a merge patch of the Deployment. */
  patch(body: object): Promise<unknown>;
  setImage(image: string, annotations?: object): Promise<unknown>;
  web(): Promise<Deployment>;
  /** Sorted by revision, oldest first. */
  replicaSets(): Promise<readonly ReplicaSet[]>;
  /** Entries such as `image × size`, oldest revision first. */
  sizes(): Promise<string[]>;
  pods(): Promise<readonly Pod[]>;
  /** Lets this virtual time pass, even if nothing happens. */
  pass(ms: number): Promise<void>;
  /** Sentences of the Deployment controller's decisions since the last call. */
  sentences(): string[];
}

const at = { namespace: "default", name: "web" };

export function deploymentNamed(name: string, parts: DeploymentParts = {}): Deployment {
  const { replicas = 3, strategy, image = "web:1", spec, template, metadata } = parts;
  return {
    metadata: { namespace: "default", name, ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      ...(strategy !== undefined && { strategy }),
      template: {
        metadata: { labels: { app: name }, ...template?.metadata },
        spec: { containers: [{ name: "web", image }], ...template?.spec },
      },
      ...spec,
    },
    // The form in which it is sent: the server adds the remaining fields.
  } as unknown as Deployment;
}

export async function rolloutScene(seed = 1, wrap?: EmbeddedOptions["wrap"]): Promise<RolloutScene> {
  const controllers = [deployment, replicaset];
  const scene = await embeddedScene({ controllers, seed, ...(wrap !== undefined && { wrap }) });
  let read = 0;
  const patch = (body: object): Promise<unknown> =>
    scene.during(scene.you.patch(Deployments, at, { type: "merge", body }));
  const list = async (): Promise<readonly ReplicaSet[]> => {
    const revision = ({ metadata }: ReplicaSet): number =>
      Number(metadata.annotations?.["deployment.kubernetes.io/revision"]);
    return [...(await scene.list(ReplicaSets))].sort((a, b) => revision(a) - revision(b));
  };
  return {
    ...scene,
    create: (parts) => scene.during(scene.you.create(Deployments, deploymentNamed("web", parts))),
    patch,
    setImage: (image, annotations) =>
      patch({
        ...(annotations !== undefined && { metadata: { annotations } }),
        spec: { template: { spec: { containers: [{ name: "web", image }] } } },
      }),
    web: () => scene.during(scene.you.get(Deployments, at)),
    replicaSets: list,
    sizes: async () =>
      (await list()).map(({ spec }) => `${spec?.template?.spec?.containers[0]?.image} × ${spec?.replicas}`),
    pods: () => scene.list(Pods),
    async pass(ms) {
      scene.timeline.after(ms, "test", () => undefined);
      await scene.run(ms);
    },
    sentences() {
      const decisions = scene.events
        .slice(read)
        .flatMap((event) => (event.stage === "decision" && event.controller === "deployment" ? [event.sentence] : []));
      read = scene.events.length;
      return decisions;
    },
  };
}
