/** Finds out whether anything that was put into a sandbox concerns the controllers that run there. */
import { Namespaces, Nodes, Pods } from "../../../src/api/kinds.ts";
import { groupOf, type Kind } from "../../../src/api/kind.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import type { Manifest } from "../../manifests/manifests.ts";

/** The number of objects that are named. */
const namedAtMost = 3;
/** The scheduler, the kubelets and the API server of a sandbox act on these. */
const handledBySandbox: readonly Kind[] = [Namespaces, Nodes, Pods];

/** What was applied, and what runs. */
export interface SandboxWork {
  readonly applied: readonly Manifest[];
  readonly controllers: readonly ControllerDefinition[];
  /** Of objects that name none. */
  readonly namespace: string;
}

/**
 * `no controller that runs here acts on Deployment default/web: add deployment`, if none of the objects is of a kind that the controllers
 * watch; otherwise undefined.
 */
export function unhandledText({ applied, controllers, namespace }: SandboxWork): string | undefined {
  // In any version.
  const isOf = (kind: Kind, { object }: Manifest): boolean =>
    kind.kind === object.kind && kind.group === groupOf(object.apiVersion);
  const isWatched = (manifest: Manifest): boolean =>
    controllers.some(
      ({ watches, dynamicWatches }) => dynamicWatches !== undefined || watches.some(({ kind }) => isOf(kind, manifest)),
    );
  if (applied.some(isWatched)) return undefined;
  const left = applied.flatMap((manifest) => {
    const missing = controllersEnabledByDefault.filter(({ for: kind }) => kind !== undefined && isOf(kind, manifest));
    const [kind] = missing.flatMap((each) => each.for ?? []);
    if (kind === undefined || handledBySandbox.includes(kind)) return [];
    const { metadata } = manifest.object;
    const where = kind.namespaced ? `${metadata.namespace ?? namespace}/` : "";
    return [{ object: `${kind.kind} ${where}${metadata.name}`, missing: missing.map(({ name }) => name) }];
  });
  if (left.length === 0) return undefined;
  const more = left.length - namedAtMost;
  const objects = [...left.slice(0, namedAtMost).map(({ object }) => object), ...(more > 0 ? [`${more} more`] : [])];
  const names = new Set(left.flatMap(({ missing }) => missing));
  return `no controller that runs here acts on ${objects.join(", ")}: add ${[...names].join(" ")}`;
}
