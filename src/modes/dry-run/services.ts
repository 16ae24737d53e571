/** The targets of Services and Ingresses. */

interface BackendLike {
  readonly service?: { readonly name: string; readonly port?: Backend["port"] };
}

/** The part of an Ingress that is read here. */
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

/** The part of a Service that is read here. */
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

/** A Service to which an Ingress routes requests. */
export interface Backend {
  readonly field: string;
  readonly name: string;
  readonly port: { readonly name?: string; readonly number?: number };
}

/** The backends of an Ingress, with their paths in it. */
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

/** The target ports of a Service that are given by name; numbers need not be declared by any container. */
export function namedPortsOf({ spec }: ServiceLike): readonly { readonly field: string; readonly name: string }[] {
  return (spec?.ports ?? []).flatMap(({ targetPort }, index) =>
    typeof targetPort === "string" ? [{ field: `.spec.ports[${index}].targetPort`, name: targetPort }] : [],
  );
}
