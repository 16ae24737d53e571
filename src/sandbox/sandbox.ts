/** The embedded API server. */
import type { Transport } from "../api/transport.ts";
import type { Random } from "../platform/random.ts";
import type { Timeline } from "../platform/timeline.ts";
import { ServiceAccountTokens, type TokenIssuer } from "./access/service-account-tokens.ts";
import type { AuditOptions } from "./audit/auditor.ts";
import type { Auditor } from "./context/audit.ts";
import { alwaysAllow } from "./access/always-allow.ts";
import { DefaultAuthorizer } from "./access/default-authorizer.ts";
import { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { keepApiServices } from "./bootstrap/api-services.ts";
import { keepFlowControl } from "./bootstrap/flow-control.ts";
import { keepBootstrapPolicy } from "./bootstrap/rbac-policy.ts";
import { pluginsWithout } from "./context/admission-plugins.ts";
import { putApiServerObjects } from "./bootstrap/api-server-objects.ts";
import { messageTypes } from "../api/wire/decode.ts";
import { loadApiData, loadFieldNumbers } from "../api/wire/load.ts";
import { startDefinitionControllers } from "./apiextensions/controllers.ts";
import { deleteEndpointsOfServices } from "./bootstrap/service-endpoints.ts";
import { keepDefaultServiceAccounts, putFirstObjects } from "./bootstrap/default-objects.ts";
import type { ApiObject } from "./meta/object.ts";
import { protobufReader } from "./serialization/protobuf-body.ts";
import { ProtobufWriter } from "./serialization/protobuf-response.ts";
import { resourceRegistryOf } from "./registry/resource.ts";
import type { User } from "./context/authorizer.ts";
import type { Server } from "./context/server.ts";
import type { WebhookClient } from "./webhook/client.ts";
import type { WatchCacheLimits } from "./storage/watch-cache.ts";
import { Store } from "./storage/store.ts";
import { noteUse } from "./bootstrap/token-uses.ts";
import type { SandboxState } from "./state/document.ts";
import { addMetricsGroups } from "./bootstrap/metrics-groups.ts";
import { loadObjects, loadState } from "./state/loading.ts";
import { saveState, type SavedState } from "./state/saving.ts";
import { rangesToServe } from "./state/service-ranges.ts";
import { transportTo, type SandboxTransportOptions } from "./transport.ts";

/** How a sandbox is set up. With the same timeline and random numbers, every run is the same. */
export interface SandboxOptions {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly history?: WatchCacheLimits;
  /** The initial state, to which the server adds the objects of its own that are missing. Default: empty. */
  readonly state?: SandboxState;
  /** Adds the ServiceAccount `default` to each namespace and keeps aggregated ClusterRoles, as kube-controller-manager does. Default true. */
  readonly defaultServiceAccounts?: boolean;
  /** False: a controller aggregates ClusterRoles after the initial ones. Default true if there are default ServiceAccounts. */
  readonly aggregatesRoles?: boolean;
  /** Adds the objects that kube-apiserver creates: the Service `kubernetes` and others. Default true. */
  readonly apiServerObjects?: boolean;
  /** Tracks `metadata.managedFields` (a fifth of the cost of a write). Default true. */
  readonly managedFields?: boolean;
  /**
   * Stores CustomResourceDefinitions without serving the kinds they define: for copies of a cluster where only the other objects matter.
   * Default false.
   */
  readonly storesDefinitions?: boolean;
  /**
   * Evaluates roles and their bindings, and adds those of every cluster. Default false: members of `system:masters` may do everything,
   * others only what every authenticated user may.
   */
  readonly rbac?: boolean;
  /**
   * Calls webhooks. Default: calls none, and does not serve other versions of a custom resource that needs a conversion webhook; a copy of
   * a cluster must not reach its webhooks.
   */
  readonly webhooks?: WebhookOptions;
  /** True: everybody may do everything, as with kube-apiserver's `--authorization-mode=AlwaysAllow`. Not with `rbac`. Default false. */
  readonly alwaysAllow?: boolean;
  /** Signs tokens of service accounts. Default: the sandbox itself, with its own keys. */
  readonly serviceAccounts?: TokenIssuer;
  /**
   * Serves metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io, from annotations (docs/sandbox-annotations.md), and lists
   * them in discovery. Default false: kube-apiserver has them only if add-ons serve them.
   */
  readonly metrics?: boolean;
  /** Keeps an audit log. Default: none. */
  readonly audit?: AuditOptions;
  /**
   * The IP ranges of Services, like kube-apiserver's `--service-cluster-ip-range`: one, or one per family.
   * Default: those of `state`, else `10.0.0.0/16`.
   */
  readonly serviceRanges?: readonly string[];
  /** Names of disabled admission plugins, as in kube-apiserver's `--disable-admission-plugins`. */
  readonly disabledAdmissionPlugins?: readonly string[];
}

/** How webhooks are called. */
export interface WebhookOptions {
  /** URLs of Services, by `NAMESPACE/NAME`: `https://127.0.0.1:9443`. No other Service is reachable. */
  readonly services?: ReadonlyMap<string, string>;
}

/** An API server in this process. */
export interface Sandbox {
  /** Connects a client. */
  transport(options: SandboxTransportOptions): Transport;
  /**
   * Adds objects of a snapshot as they are, with uid, status, resourceVersion and deletionTimestamp, and without events. The revision
   * continues at `revision`, and no watch can start before it.
   * Resolves when the custom kinds that they define are served; everything else is there at once.
   * @throws RangeError for a kind that is not served.
   */
  load(objects: readonly unknown[], options?: { readonly revision?: number }): Promise<void>;
  /** The state as it is now, for `SandboxOptions.state` of another sandbox. */
  save(): SavedState;
  /** The revision of the last write. */
  readonly revision: number;
  /** Discards events up to a revision (default: all), like compaction in etcd: older watches and continue tokens expire. */
  compact(revision?: number): void;
  /** Ends all watches and refuses connections. */
  stop(): void;
  /** True if it adds to each namespace the objects that kube-controller-manager would add. */
  readonly fillsNamespaces: boolean;
  /** Its internals, for code that serves or wraps it. */
  readonly server: Server;
}

/**
 * Creates an API server with the namespaces that every cluster has.
 * @throws RangeError for an admission plugin or IP ranges that kube-apiserver would reject; StateProblem for a state that
 * cannot be loaded.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { timeline, random, history } = options;
  const registry = resourceRegistryOf(await loadApiData());
  const store = new Store(timeline, history ?? {});
  const types = messageTypes(registry.schema, await loadFieldNumbers());
  const protobuf = new ProtobufWriter(types);
  const readProtobuf = protobufReader(types);
  const managesFields = options.managedFields !== false;
  const serviceRanges = rangesToServe(options.serviceRanges, options.state);
  const admission = pluginsWithout(options.disabledAdmissionPlugins ?? []);
  const storesDefinitions = options.storesDefinitions === true;
  const ruleResolver = options.rbac === true ? new RbacAuthorizer(store) : undefined;
  const authorizer = ruleResolver ?? (options.alwaysAllow === true ? alwaysAllow : new DefaultAuthorizer(store));
  const logins = new Map<string, User>();
  const earlierKeys = options.state?.serviceAccountKeys ?? [];
  const onSecretUsed = (secret: ApiObject): void => noteUse(server, secret);
  const issuing = { ...options.serviceAccounts, earlierKeys, store, timeline, random, logins, onSecretUsed };
  const tokens = new ServiceAccountTokens(issuing);
  const webhooks = options.webhooks === undefined ? undefined : await webhooksOf(options.webhooks, { timeline, store });
  const auditor = options.audit === undefined ? undefined : await auditorOf(options.audit, timeline);
  const access = { auditor, webhooks, tokens, logins, authorizer, ruleResolver, admission };
  const made = { timeline, random, store, registry, managesFields, serviceRanges, readProtobuf, protobuf, ...access };
  const servesMetrics = options.metrics === true;
  if (servesMetrics) addMetricsGroups({ registry });
  const server: Server = { ...made, servesMetrics, yaml: {}, watches: new Set(), requests: { count: 0 } };
  let stopped = false;
  if (options.state !== undefined) loadState(server, options.state);
  await putOwnObjects(server, options);
  const definitions = storesDefinitions ? undefined : startDefinitionControllers(server);
  if (options.state !== undefined) await definitions?.followStored();
  return {
    server,
    fillsNamespaces: options.defaultServiceAccounts !== false,
    transport: (options) => transportTo(server, () => stopped, options),
    async load(objects, options) {
      loadObjects(server, objects, options?.revision);
      await definitions?.followStored();
    },
    save: () => saveState(server),
    get revision() {
      return store.revision;
    },
    compact: (revision) => store.compact(revision ?? store.revision),
    stop() {
      stopped = true;
      webhooks?.close();
      for (const watch of server.watches) watch.end();
    },
  };
}

/** Creates the missing objects that kube-apiserver and kube-controller-manager create on their own, and maintains them. */
async function putOwnObjects(server: Server, options: SandboxOptions): Promise<void> {
  putFirstObjects(server);
  deleteEndpointsOfServices(server);
  const aggregates = options.defaultServiceAccounts !== false;
  const keepsAggregating = aggregates && options.aggregatesRoles !== false;
  if (options.rbac === true) await keepBootstrapPolicy(server, { aggregates, keepsAggregating });
  if (options.apiServerObjects !== false) {
    putApiServerObjects(server);
    keepFlowControl(server);
    keepApiServices(server);
  }
  if (options.defaultServiceAccounts !== false) keepDefaultServiceAccounts(server);
}

// Loaded on demand: few servers have these.

async function auditorOf(options: AuditOptions, timeline: Timeline): Promise<Auditor> {
  const auditor = await import("./audit/auditor.ts");
  return auditor.auditorOf(options, timeline);
}

async function webhooksOf(
  { services = new Map() }: WebhookOptions,
  { timeline, store }: { readonly timeline: Timeline; readonly store: Store },
): Promise<WebhookClient> {
  const [{ webhookClient }, { unresolvedService }] = await Promise.all([
    import("./webhook/client.ts"),
    import("./webhook/services.ts"),
  ]);
  const find = (namespace: string, name: string): ApiObject | undefined =>
    store.collection("services", true).get(namespace, name)?.object;
  return webhookClient({ timeline, services, unresolved: (service) => unresolvedService(service, find) });
}
