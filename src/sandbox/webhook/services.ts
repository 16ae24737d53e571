/** Services that cannot be reached. Source: apiserver v0.36 pkg/util/proxy/proxy.go ResolveCluster. */
import { fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import type { ServiceReference } from "./client-config.ts";

/** Finds a Service. */
export type FindService = (namespace: string, name: string) => ApiObject | undefined;

/** Why a webhook at a Service cannot be called: the real server's error, if it could not reach it either. */
export function unresolvedService({ namespace, name, port }: ServiceReference, find: FindService): string {
  const service = find(namespace, name);
  if (service === undefined) return `service "${name}" not found`;
  const { spec = {} } = service;
  const type = textOf(spec["type"]);
  if (type === "ExternalName") return `dial tcp: lookup ${textOf(spec["externalName"])}: no such host`;
  const address = textOf(spec["clusterIP"]);
  if (address === "None") return 'cannot route to service with ClusterIP "None"';
  if (!fieldsIn(spec["ports"]).some((each) => each["port"] === port))
    return `no service port ${port} found for service "${name}"`;
  const hint = `nothing routes to Services in this sandbox; start it with --webhook ${namespace}/${name}=URL`;
  return `dial tcp ${address}:${port}: connect: no route to host (${hint})`;
}
