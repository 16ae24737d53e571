/** The ConfigMaps and Secrets that a pod's containers and volumes refer to. */
import type { Kind } from "./kind.ts";
import { ConfigMaps, Secrets } from "./kinds.ts";
import type { ConfigMap, Container, PodSpec, Secret } from "./types.ts";

/** A reference to a ConfigMap or a Secret. */
export interface ConfigurationReference {
  /** Its path in the container or the volume: `env[0].valueFrom.configMapKeyRef`, `projected.sources[1].secret.name`. */
  readonly field: string;
  readonly kind: Kind<ConfigMap> | Kind<Secret>;
  readonly name: string;
  /** The key of its data, if the reference is to that only. */
  readonly dataKey?: string;
  /** Whether the container starts without it. */
  readonly isOptional: boolean;
}

type Volume = NonNullable<PodSpec["volumes"]>[number];
type Target = Pick<ConfigurationReference, "field" | "kind">;

interface Source {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly key?: string | undefined;
}

/** Empty without a name. */
function reference(target: Target, source: Source | undefined): readonly ConfigurationReference[] {
  const { name = "", optional = false, key } = source ?? {};
  return name === "" ? [] : [{ ...target, name, isOptional: optional, ...(key !== undefined && { dataKey: key }) }];
}

/** What the environment of a container refers to. */
export function configurationOfContainer({ env = [], envFrom = [] }: Container): readonly ConfigurationReference[] {
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }, index) => [
      ...reference({ field: `envFrom[${index}].configMapRef.name`, kind: ConfigMaps }, configMapRef),
      ...reference({ field: `envFrom[${index}].secretRef.name`, kind: Secrets }, secretRef),
    ]),
    ...env.flatMap(({ valueFrom }, index) => [
      ...reference({ field: `env[${index}].valueFrom.configMapKeyRef`, kind: ConfigMaps }, valueFrom?.configMapKeyRef),
      ...reference({ field: `env[${index}].valueFrom.secretKeyRef`, kind: Secrets }, valueFrom?.secretKeyRef),
    ]),
  ];
}

interface Files extends Source {
  readonly items?: readonly { readonly key: string }[] | undefined;
}

/** As files: the listed keys, or the object with all of them. */
function files(target: Target, source: Files | undefined): readonly ConfigurationReference[] {
  const { items = [], ...rest } = source ?? {};
  return items.length === 0 ? reference(target, rest) : items.flatMap(({ key }) => reference(target, { ...rest, key }));
}

/** What a volume refers to. */
export function configurationOfVolume({ configMap, secret, projected }: Volume): readonly ConfigurationReference[] {
  const ofSecret = secret && { name: secret.secretName, optional: secret.optional, items: secret.items };
  return [
    ...files({ field: "configMap.name", kind: ConfigMaps }, configMap),
    ...files({ field: "secret.secretName", kind: Secrets }, ofSecret),
    ...(projected?.sources ?? []).flatMap((source, index) => [
      ...files({ field: `projected.sources[${index}].configMap.name`, kind: ConfigMaps }, source.configMap),
      ...files({ field: `projected.sources[${index}].secret.name`, kind: Secrets }, source.secret),
    ]),
  ];
}

/**
 * Whether containers do not start without it. A controller publishes the CA in every namespace, though not in a sandbox without that
 * controller; a kubelet that misses it says so.
 */
export function isNeeded({ kind, name, isOptional }: ConfigurationReference): boolean {
  return !isOptional && !(kind.kind === ConfigMaps.kind && name === "kube-root-ca.crt");
}
