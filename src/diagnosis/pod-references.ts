/** What a pod refers to and needs to start: ConfigMaps, Secrets, claims, its ServiceAccount. */
import { type Kind } from "../api/kind.ts";
import { ServiceAccounts } from "../api/kinds.ts";
import { claimNamesOf } from "../api/pod-claims.ts";
import type { Container, Pod, PodSpec } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Finding, findingsOf, type Item } from "./diagnosis.ts";
import { ConfigMaps, PersistentVolumeClaims, Secrets } from "../api/kinds.ts";
import type { Look } from "./look.ts";

interface Reference {
  readonly kind: Kind;
  readonly name: string;
}

/**
 * Missing objects, and claims that are not bound. `creating`: the containers are about to be created, so that all
 * references count.
 */
export function missingReferences(
  look: Look,
  { object }: Item,
  creating: boolean,
): { readonly findings: readonly Finding[]; readonly unseen: readonly Unseen[] } {
  const pod: Pod = object;
  const namespace = pod.metadata.namespace ?? "";
  const findings: Finding[] = [];
  const unseen: Unseen[] = [];
  for (const name of claimNamesOf(pod)) {
    const at = { kind: PersistentVolumeClaims, namespace, name };
    const claim = look.get(PersistentVolumeClaims, namespace, name);
    if (claim.is === "missing") findings.push({ at, why: "there is no such claim" });
    else if (claim.is === "unseen") unseen.push(claim.unseen);
    else {
      const diagnosis = look.diagnose({ kind: PersistentVolumeClaims, object: claim.object });
      if (diagnosis !== undefined) findings.push(...findingsOf(diagnosis));
    }
  }
  for (const { kind, name } of creating ? namedBy(pod.spec) : []) {
    const found = look.exists(kind, namespace, name);
    if (found.is === "missing") {
      findings.push({ at: { kind, namespace, name }, why: `there is no such ${kind.kind}, but the pod refers to it` });
    }
    if (found.is === "unseen") unseen.push(found.unseen);
  }
  return { findings, unseen };
}

function namedBy(spec: PodSpec | undefined): readonly Reference[] {
  const all = [...ofVolumes(spec), ...containersOf(spec).flatMap(ofContainer)];
  if ((spec?.serviceAccountName ?? "") !== "") {
    all.push({ kind: ServiceAccounts, name: spec?.serviceAccountName ?? "" });
  }
  return [...new Map(all.map((each) => [`${each.kind.kind} ${each.name}`, each])).values()];
}

function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

interface Named {
  readonly name?: string;
  readonly secretName?: string;
  readonly optional?: boolean;
}

function reference(kind: Kind, named: Named | undefined): readonly Reference[] {
  const name = named?.name ?? named?.secretName ?? "";
  return named === undefined || named.optional === true || name === "" ? [] : [{ kind, name }];
}

function ofVolumes(spec: PodSpec | undefined): Reference[] {
  return (spec?.volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    ...reference(ConfigMaps, configMap),
    ...reference(Secrets, secret),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...reference(ConfigMaps, source.configMap),
      ...reference(Secrets, source.secret),
    ]),
  ]);
}

function ofContainer({ env = [], envFrom = [] }: Container): readonly Reference[] {
  return [
    ...env.flatMap(({ valueFrom }) => [
      ...reference(ConfigMaps, valueFrom?.configMapKeyRef),
      ...reference(Secrets, valueFrom?.secretKeyRef),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...reference(ConfigMaps, configMapRef),
      ...reference(Secrets, secretRef),
    ]),
  ];
}
