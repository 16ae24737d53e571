/** The publisher of the root certificate. Source: kubernetes v1.36 pkg/controller/certificates/rootcacertpublisher/publisher.go. */
import { deepEqual } from "../../api/deep-equal.ts";
import { keyOf, objectKey, splitKey } from "../../api/key.ts";
import { ConfigMaps, Namespaces } from "../../api/kinds.ts";
import { isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { ConfigMap, Namespace } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { mend, noAuthority, publish, rules } from "./rules.ts";

const mapName = "kube-root-ca.crt";
const descriptionAnnotation = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Maintains a ConfigMap with the API server's CA in each namespace. Keys name the ConfigMaps. */
export const rootCaCertificatePublisher: ControllerDefinition = defineController<ConfigMap>({
  name: "root-ca-certificate-publisher",
  aliases: ["root-ca-cert-publisher", "root-ca-certificate-publisher-controller"],
  purpose: "publishes kube-root-ca.crt to each namespace",
  source: "pkg/controller/certificates/rootcacertpublisher/publisher.go",
  for: ConfigMaps,
  watches: [
    watch<Namespace>({
      kind: Namespaces,
      on({ type, object }, context) {
        const isActive = object.status?.phase === "Active";
        if (type === "added" || (type === "updated" && isActive))
          context.enqueue(objectKey(object.metadata.name, mapName));
      },
    }),
    watch<ConfigMap>({
      kind: ConfigMaps,
      on({ type, object }, context) {
        if (type !== "added" && object.metadata.name === mapName) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 1,
  ifRunTwice: "both would create the same ConfigMap, and, of two authorities, write over each other's",
  dryRun: { is: "left out", why: "the certificates that pods trust do not affect the result" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "", resource: "configmaps", verbs: ["create", "update"] }],
  sync: (_key, context) => syncNamespace(context),
});

/** Source: publisher.go syncNamespace. @throws the API server's refusal, except for a namespace that is gone or terminating. */
async function syncNamespace(context: SyncContext): Promise<void> {
  const { serverCa, key } = context;
  // Keys of other ConfigMaps may arrive; they are ignored.
  if (splitKey(key).name !== mapName) return;
  if (serverCa === undefined) return void context.decide(noAuthority, {});
  const map = context.cache(ConfigMaps).get(key);
  const data = { "ca.crt": serverCa };
  if (map === undefined) return create(context, data);
  const hasDescription = (map.metadata.annotations?.[descriptionAnnotation] ?? "") !== "";
  const hasData = deepEqual(map.data ?? {}, data);
  if (hasData && hasDescription) return;
  const what = [...(hasData ? [] : [wrongIn(map, serverCa)]), ...(hasDescription ? [] : ["it has no description"])];
  const because = context.decide(mend, { what });
  const annotations = { ...map.metadata.annotations, [descriptionAnnotation]: description };
  const mended = { ...map, metadata: { ...map.metadata, annotations }, data };
  await context.client.update(ConfigMaps, mended, { because, basedOn: map, signal: context.signal });
}

function wrongIn({ data = {} }: ConfigMap, ca: string): string {
  if (data["ca.crt"] === undefined) return "data has no ca.crt";
  return data["ca.crt"] === ca ? "data has more than ca.crt" : "data has another ca.crt";
}

async function create(context: SyncContext, data: Readonly<Record<string, string>>): Promise<void> {
  const { namespace } = splitKey(context.key);
  const because = context.decide(publish, { namespace });
  const metadata = { namespace, name: mapName, annotations: { [descriptionAnnotation]: description } };
  try {
    await context.client.create(ConfigMaps, { metadata, data }, { because, signal: context.signal });
  } catch (error) {
    if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}
