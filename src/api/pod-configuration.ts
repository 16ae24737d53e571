/** The ConfigMaps and Secrets that a pod's containers need before they start: those that it refers to and that are not optional. */
import type { Kind } from "./kind.ts";
import { ConfigMaps, Secrets } from "./kinds.ts";
import type { ConfigMap, Container, PodSpec, Secret } from "./types.ts";

/** An object that must be there. */
export interface Needed {
  readonly kind: Kind<ConfigMap> | Kind<Secret>;
  readonly name: string;
  /** The key of its data, if only that is needed. */
  readonly dataKey?: string | undefined;
}

type Volume = NonNullable<PodSpec["volumes"]>[number];

interface Source {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly key?: string | undefined;
}

function need(kind: Needed["kind"], source: Source | undefined): readonly Needed[] {
  const { name = "", optional, key } = source ?? {};
  // A controller publishes it in every namespace, though not in a sandbox without that controller; a kubelet that misses it says so.
  const isPublished = kind.kind === ConfigMaps.kind && name === "kube-root-ca.crt";
  return optional === true || name === "" || isPublished ? [] : [{ kind, name, dataKey: key }];
}

/** What the environment of a container needs. */
export function neededByContainer({ env = [], envFrom = [] }: Container): readonly Needed[] {
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...need(ConfigMaps, configMapRef),
      ...need(Secrets, secretRef),
    ]),
    ...env.flatMap(({ valueFrom }) => [
      ...need(ConfigMaps, valueFrom?.configMapKeyRef),
      ...need(Secrets, valueFrom?.secretKeyRef),
    ]),
  ];
}

interface Items extends Source {
  readonly items?: readonly { readonly key: string }[] | undefined;
}

/** With `items`, each of those keys; otherwise the object. */
function needItems(kind: Needed["kind"], source: Items | undefined): readonly Needed[] {
  const { items = [], ...rest } = source ?? {};
  return [...need(kind, rest), ...items.flatMap(({ key }) => need(kind, { ...rest, key }))];
}

/** What a volume needs. */
export function neededByVolume({ configMap, secret, projected }: Volume): readonly Needed[] {
  const ofSecret = secret && { name: secret.secretName, optional: secret.optional, items: secret.items };
  return [
    ...needItems(ConfigMaps, configMap),
    ...needItems(Secrets, ofSecret),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...needItems(ConfigMaps, source.configMap),
      ...needItems(Secrets, source.secret),
    ]),
  ];
}
