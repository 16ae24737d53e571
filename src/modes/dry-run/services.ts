/** What Services and Ingresses send requests to. */

interface BackendLike {
  readonly service?: { readonly name: string; readonly port?: Backend["port"] };
}

export interface IngressLike {
  readonly spec?: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: BackendLike;
    readonly tls?: readonly { readonly secretName?: string }[];
    readonly rules?: readonly {
      readonly http?: { readonly paths?: readonly { readonly backend?: BackendLike }[] };
    }[];
  };
}

export interface ServiceLike {
  readonly spec?: {
    readonly type?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly targetPort?: number | string;
    }[];
  };
}

/** A Service that an Ingress sends requests to. */
export interface Backend {
  readonly field: string;
  readonly name: string;
  readonly port: { readonly name?: string; readonly number?: number };
}

export function backendsOf({ spec }: IngressLike): readonly Backend[] {
  const all = [
    { field: ".spec.defaultBackend", backend: spec?.defaultBackend },
    ...(spec?.rules ?? []).flatMap(({ http }, rule) =>
      (http?.paths ?? []).map(({ backend }, path) => ({
        field: `.spec.rules[${rule}].http.paths[${path}].backend`,
        backend,
      })),
    ),
  ];
  return all.flatMap(({ field, backend }) => {
    const to = backend?.service;
    return to === undefined ? [] : [{ field: `${field}.service`, name: to.name, port: to.port ?? {} }];
  });
}

/** The named ports that a Service sends to; those given by number need not be declared by any container. */
export function namedPortsOf({ spec }: ServiceLike): readonly { readonly field: string; readonly name: string }[] {
  return (spec?.ports ?? []).flatMap(({ targetPort }, index) =>
    typeof targetPort === "string" ? [{ field: `.spec.ports[${index}].targetPort`, name: targetPort }] : [],
  );
}
