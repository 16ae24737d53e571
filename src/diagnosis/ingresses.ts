/** Whether an Ingress routes anywhere: its class, its backends, its certificates, its address. */
import type { Ingress, Service } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Examined, type Finding, findingsOf, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { IngressClasses, Secrets, Services } from "../api/kinds.ts";
import type { Look } from "./look.ts";
import { pluralize } from "../api/pluralize.ts";

/** By its class, backends, certificates and address. */
export function examineIngress(look: Look, item: Item<Ingress>): Examined {
  const { spec, metadata } = item.object;
  const { namespace = "" } = metadata;
  const unseen: Unseen[] = [];
  const isAddressed = hasAddress(item.object);
  const findings: Finding[] = [...classFindings(look, item, unseen)];
  const backends = backendsOf(item.object).filter(({ name }) => !isAction(item.object, name));
  unseen.push(...otherBackends(item.object));
  for (const backend of backends) findings.push(...backendFindings(look, item, backend, unseen));
  for (const { secretName } of spec?.tls ?? []) {
    if (secretName === undefined || secretName === "") continue;
    const at = { kind: Secrets, namespace, name: secretName };
    const found = look.exists(Secrets, namespace, secretName);
    if (found.is === "missing") findings.push({ at, why: "there is no such Secret, but TLS refers to it" });
    if (found.is === "unseen") unseen.push({ ...found.unseen, isDecisive: false });
  }
  if (!isAddressed)
    findings.push({ at: refOf(item), why: "it has no address: no ingress controller has handled it yet" });
  const names = [...new Set(backends.map(({ name }) => name))];
  return {
    says:
      findings.length > 0
        ? `${pluralize(names.length, "backend")}, ${isAddressed ? "" : "no address, "}${pluralize(findings.length, "problem")}`
        : `it has an address, and ${names.length === 1 ? "its backend has" : "its backends have"} endpoints`,
    reached: findings.length === 0,
    findings,
    seen: ["its status", ...names.map((name) => `Service ${name}`)],
    unseen,
  };
}

/** Whether a backend is an action of the AWS load balancer controller, which an annotation describes. */
function isAction({ metadata: { annotations } }: Ingress, name: string): boolean {
  return annotations?.[`alb.ingress.kubernetes.io/actions.${name}`] !== undefined;
}

/** Backends that are not Services: what they are depends on the ingress controller. */
function otherBackends(ingress: Ingress): readonly Unseen[] {
  const resources = allBackends(ingress).flatMap((backend) => backend?.resource ?? []);
  return resources.map(({ kind, name }) => ({
    what: `backend ${kind} ${name}`,
    why: "only its ingress controller knows what it is",
    isDecisive: true,
  }));
}

function allBackends({ spec }: Ingress): readonly (IngressBackend | undefined)[] {
  const ofRules = (spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend));
  return [spec?.defaultBackend, ...ofRules];
}

type IngressBackend = NonNullable<NonNullable<Ingress["spec"]>["defaultBackend"]>;

interface Backend {
  readonly name: string;
  readonly port: { readonly name?: string; readonly number?: number } | undefined;
}

function backendsOf(ingress: Ingress): readonly Backend[] {
  const named = allBackends(ingress).flatMap((backend) =>
    backend?.service === undefined ? [] : [{ name: backend.service.name, port: backend.service.port }],
  );
  return [
    ...new Map(
      named.map((each) => [`${each.name} ${each.port?.name ?? ""} ${each.port?.number ?? ""}`, each]),
    ).values(),
  ];
}

function hasAddress({ status }: Ingress): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}

function classFindings(look: Look, item: Item<Ingress>, unseen: Unseen[]): readonly Finding[] {
  const { spec, metadata } = item.object;
  const name = spec?.ingressClassName;
  const advice = [kubectl("get ingressclasses")];
  if (name !== undefined) {
    const found = look.get(IngressClasses, "", name);
    if (found.is === "unseen") unseen.push({ ...found.unseen, isDecisive: false });
    if (found.is !== "missing") return [];
    return [
      {
        at: { kind: IngressClasses, namespace: "", name },
        why: "there is no such class, but the Ingress refers to it",
        advice,
      },
    ];
  }
  // Some controllers handle an Ingress without a class, such as GKE's: then it has an address.
  if (metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined || hasAddress(item.object)) return [];
  const classes = look.list(IngressClasses, "");
  unseen.push(...classes.unseen.map((each) => ({ ...each, isDecisive: false })));
  const isDefault = classes.objects.some(
    ({ metadata: { annotations } }) => annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true",
  );
  if (isDefault || classes.unseen.length > 0) return [];
  return [{ at: refOf(item), why: "it names no class, and no IngressClass is the default", advice }];
}

function backendFindings(look: Look, item: Item, { name, port }: Backend, unseen: Unseen[]): readonly Finding[] {
  const { namespace = "" } = item.object.metadata;
  const at = { kind: Services, namespace, name };
  const found = look.get(Services, namespace, name);
  if (found.is === "unseen") {
    unseen.push(found.unseen);
    return [];
  }
  if (found.is === "missing") {
    const advice = [kubectl(`get services${inNamespace(namespace)}`)];
    return [{ at, why: "there is no such Service, but the Ingress routes to it", advice }];
  }
  if (port !== undefined && !hasPort(found.object, port)) {
    return [{ at, why: `it has no port ${port.name ?? port.number}, but the Ingress routes to it` }];
  }
  const diagnosis = look.diagnose({ kind: Services, object: found.object });
  if (diagnosis?.is === "cannot tell") unseen.push({ what: `Service ${name}`, why: diagnosis.says, isDecisive: true });
  return diagnosis === undefined ? [] : findingsOf(diagnosis);
}

function hasPort({ spec }: Service, port: { readonly name?: string; readonly number?: number }): boolean {
  return (spec?.ports ?? []).some((each) =>
    port.name === undefined ? each.port === port.number : each.name === port.name,
  );
}
