/**
 * The controller of kubernetes/sample-controller: each Foo gets a Deployment with the name and the replicas that its spec asks for, and
 * its status says how many of these are available. A Deployment that another object controls is left alone, and an Event says so.
 */
import { type ControllerDefinition, controllerOf, controllerReference, defineController } from "kubectl-reconcile";
import { type Deployment, type UpdateInput, keyOf, kinds, rule, watch, watchPrimary } from "kubectl-reconcile";
import { type Foo, Foos } from "./kinds.ts";

const fieldManager = "sample-controller";

const create = rule<{ deployment: string; replicas: number }>({
  id: "create-deployment",
  looksAt: ["spec.deploymentName", "spec.replicas", "Deployments of that name"],
  chooses: "A Foo whose Deployment does not exist gets it.",
  sentence: ({ deployment, replicas }) => `no Deployment ${deployment} → create it with ${replicas} replicas`,
});

const scale = rule<{ deployment: string; replicas: number; was: number }>({
  id: "scale-deployment",
  looksAt: ["spec.replicas", "spec.replicas of the Deployment"],
  chooses: "A Deployment with other replicas than its Foo asks for is made anew from the Foo.",
  sentence: ({ deployment, replicas, was }) => `${deployment} has ${was} replicas, the Foo ${replicas} → update it`,
});

const report = rule<{ available: number }>({
  id: "report-status",
  looksAt: ["status.availableReplicas of the Deployment"],
  chooses: "The status of a Foo repeats how many replicas are available.",
  sentence: ({ available }) => `${available} replicas are available → write it to the status`,
});

const refuse = rule<{ deployment: string }>({
  id: "refuse-deployment",
  looksAt: ["metadata.ownerReferences of the Deployment"],
  chooses: "A Deployment that the Foo does not control is left alone.",
  sentence: ({ deployment }) => `the Foo does not control the Deployment ${deployment} → leave it, and try again later`,
});

/** What a Foo asks for. */
function deploymentFor(foo: Foo, name: string): UpdateInput<Deployment> {
  const labels = { app: "nginx", controller: foo.metadata.name };
  const { namespace = "" } = foo.metadata;
  return {
    metadata: { namespace, name, ownerReferences: [controllerReference(Foos, foo)] },
    spec: {
      ...(foo.spec?.replicas !== undefined && { replicas: foo.spec.replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:latest" }] } },
    },
  };
}

export const foo: ControllerDefinition = defineController({
  name: "foo",
  purpose: "keeps a Deployment for each Foo",
  component: "sample-controller",
  for: Foos,
  watches: [
    watchPrimary(Foos),
    watch({
      kind: kinds.Deployments,
      owned: true,
      on(notification, context) {
        const { object } = notification;
        // A resync changes nothing.
        if (
          notification.type === "updated" &&
          notification.before.metadata.resourceVersion === object.metadata.resourceVersion
        )
          return;
        const owner = controllerOf(object);
        if (owner?.kind !== "Foo") return;
        const found = context.cache(Foos).getNamespaced(object.metadata.namespace ?? "", owner.name);
        if (found !== undefined) context.enqueue(keyOf(found));
      },
    }),
  ],
  workers: 2,
  rules: [create, scale, report, refuse],
  permissions: [
    { group: "apps", resource: "deployments", verbs: ["create", "update"] },
    { group: "samplecontroller.k8s.io", resource: "foos/status", verbs: ["update"] },
  ],
  async sync(key, context) {
    const found = context.cache(Foos).get(key);
    const name = found?.spec?.deploymentName ?? "";
    // Without a name there is nothing to do until the Foo changes.
    if (found === undefined || name === "") return;
    const { namespace = "" } = found.metadata;
    const wanted = deploymentFor(found, name);
    const replicas = found.spec?.replicas;

    let deployment = context.cache(kinds.Deployments).getNamespaced(namespace, name);
    if (deployment === undefined) {
      const because = context.decide(create, { deployment: name, replicas: replicas ?? 1 });
      deployment = await context.client.create(kinds.Deployments, wanted, { because, fieldManager });
    }
    if (controllerOf(deployment)?.uid !== found.metadata.uid) {
      const message = `Resource "${name}" already exists and is not managed by Foo`;
      context.decide(refuse, { deployment: name });
      context.event(Foos, found, { type: "Warning", reason: "ErrResourceExists", message });
      throw new Error(message);
    }
    const was = deployment.spec?.replicas ?? 1;
    if (replicas !== undefined && replicas !== was) {
      const because = context.decide(scale, { deployment: name, replicas, was });
      // As in the original, whatever was written since is replaced: an update without a resourceVersion has no precondition.
      deployment = await context.client.update(kinds.Deployments, wanted, { because, fieldManager });
    }
    const availableReplicas = deployment.status?.availableReplicas ?? 0;
    const because = context.decide(report, { available: availableReplicas });
    await context.client.updateStatus(Foos, { ...found, status: { availableReplicas } }, { because, fieldManager });
    context.event(Foos, found, { type: "Normal", reason: "Synced", message: "Foo synced successfully" });
  },
});
