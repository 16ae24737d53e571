/** What extends or guards the API server: CRDs, webhooks, certificate requests. */
import type { CertificateSigningRequest, CustomResourceDefinition, WebhookConfiguration } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { readConditions } from "./conditions.ts";
import { type Examined, type Finding, findingsOf, type Item, kubectl, refOf } from "./diagnosis.ts";
import { Services } from "../api/kinds.ts";
import type { Look } from "./look.ts";
import { pluralize } from "../api/pluralize.ts";

/** Whether the API server serves the kind. */
export function examineDefinition(look: Look, item: Item<CustomResourceDefinition>): Examined {
  const { spec, status } = item.object;
  const { findings } = readConditions(item, status?.conditions ?? []);
  const unseen: Unseen[] = [];
  const service = spec?.conversion?.webhook?.clientConfig?.service;
  const conversion =
    service === undefined ? [] : serviceFindings(look, item, { service, of: "its conversion webhook" }, unseen);
  const isEstablished =
    status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") === true;
  return {
    says: isEstablished ? `${spec?.names.plural ?? ""} are served` : `${spec?.names.plural ?? ""} are not served`,
    reached: isEstablished && findings.length === 0,
    findings: [...findings, ...conversion],
    seen: ["its status"],
    unseen,
  };
}

/** Whether the Services of all webhooks have endpoints. */
export function examineWebhooks(look: Look, item: Item<WebhookConfiguration>): Examined {
  const { webhooks = [] } = item.object;
  const unseen: Unseen[] = [];
  const outside: string[] = [];
  const findings = webhooks.flatMap(({ name, clientConfig, failurePolicy = "Fail" }) => {
    const { service, url } = clientConfig;
    if (service === undefined) {
      outside.push(`${name} (${url ?? ""})`);
      return [];
    }
    const effect = failurePolicy === "Fail" ? "every matching request is refused" : "it is ignored";
    return serviceFindings(look, item, { service, of: `webhook ${name}`, effect }, unseen);
  });
  if (outside.length > 0)
    unseen.push({ what: `webhook ${outside.join(", ")}`, why: "it is outside the cluster", isDecisive: true });
  return {
    says:
      findings.length > 0
        ? "not all of its webhooks can be called"
        : `${pluralize(webhooks.length, "webhook")} with a Service that has endpoints`,
    reached: findings.length > 0 ? false : unseen.some(({ isDecisive }) => isDecisive) ? undefined : true,
    findings,
    seen: ["the Services of its webhooks"],
    unseen,
  };
}

interface Called {
  readonly service: { readonly namespace: string; readonly name: string; readonly port?: number };
  readonly of: string;
  readonly effect?: string;
}

/** Where webhooks are called unless they name another port. */
const httpsPort = 443;

function serviceFindings(
  look: Look,
  item: Item,
  { service, of, effect }: Called,
  unseen: Unseen[],
): readonly Finding[] {
  const { namespace, name, port = httpsPort } = service;
  const found = look.get(Services, namespace, name);
  const then = effect === undefined ? "" : `: ${effect}`;
  const at = { kind: Services, namespace, name };
  if (found.is === "unseen") {
    unseen.push(found.unseen);
    return [];
  }
  if (found.is === "missing") {
    const why = `there is no such Service in namespace ${namespace}, but ${of} calls it${then}`;
    return [{ at, why, advice: [kubectl(`get services -n ${namespace}`)] }];
  }
  const { ports = [], type } = found.object.spec ?? {};
  if (type !== "ExternalName" && !ports.some((each) => each.port === port)) {
    return [{ at, why: `it has no port ${port}, but ${of} calls it there${then}` }];
  }
  const diagnosis = look.diagnose({ kind: Services, object: found.object });
  if (diagnosis?.is === "cannot tell") {
    unseen.push({ what: `Service ${namespace}/${name}`, why: diagnosis.says, isDecisive: true });
  }
  const below = diagnosis === undefined ? [] : findingsOf(diagnosis);
  if (below.length === 0) return [];
  return [...below, { at: refOf(item), why: `${of} cannot be called${then}` }];
}

/** Whether the request is approved, and the certificate issued. */
export function examineSigningRequest(_look: Look, item: Item<CertificateSigningRequest>): Examined {
  const { spec, status } = item.object;
  const at = refOf(item);
  const conditions = status?.conditions ?? [];
  const bad = conditions.find(({ type, status: is }) => (type === "Denied" || type === "Failed") && is === "True");
  const whole = { seen: ["its status"], unseen: [] };
  if (bad !== undefined) {
    const why = `condition ${bad.type} is True (${bad.reason ?? ""}): ${bad.message ?? ""}`;
    return { ...whole, says: bad.type.toLowerCase(), reached: false, findings: [{ at, why }], isFailed: true };
  }
  const isApproved = conditions.some(({ type, status: is }) => type === "Approved" && is === "True");
  if (!isApproved) {
    const advice = [kubectl(`certificate approve ${item.object.metadata.name}`)];
    return {
      ...whole,
      says: "it is not approved",
      reached: false,
      findings: [{ at, why: "it has been neither approved nor denied", advice }],
    };
  }
  const isIssued = (status?.certificate ?? "") !== "";
  const why = `signer ${spec.signerName} has to issue the certificate`;
  return {
    ...whole,
    says: isIssued ? "approved and issued" : "approved, not issued",
    reached: isIssued,
    findings: isIssued ? [] : [{ at, why }],
  };
}
