/** Selects the syncs that a trace shows: by controller, object, or the object's chain. */
import { splitKey } from "../../../src/api/key.ts";
import { objectOf } from "../../../src/controller/api/definition.ts";
import { Chain, type FindObject } from "../../../src/views/chains.ts";
import type { SyncBlock } from "../../../src/views/sync-block.ts";
import { resolvedObject } from "./object.ts";
import type { TraceRequest } from "./request.ts";
import type { TracePlace } from "./target.ts";

/** Whether a sync is shown. Call it when a sync starts, because it records the objects of a chain, which may be deleted at the end. */
export type Shows = (sync: Pick<SyncBlock, "controller" | "key">) => boolean;

/** @throws UserError for `--why` with an unknown type. */
export function shownSyncs(request: TraceRequest, place: TracePlace, find: FindObject): Shows {
  const definitions = new Map(request.controllers.map((definition) => [definition.name, definition]));
  const lookup = { ...place, request };
  const object = resolvedObject(request.object, lookup);
  const target = resolvedObject(request.why, lookup) ?? (request.chain ? object : undefined);
  const chain = target === undefined ? undefined : new Chain({ kind: target.kind?.kind ?? "", key: target.key }, find);
  return ({ controller, key }) => {
    const definition = definitions.get(controller);
    if (definition === undefined) return false;
    const about = objectOf(definition, key);
    if (place.only && chain === undefined && object === undefined) {
      const { namespace } = splitKey(about?.key ?? key);
      if (namespace !== "" && namespace !== place.namespace) return false;
    }
    if (chain !== undefined) return about !== undefined && chain.has(about);
    if (object !== undefined && object.key !== (about?.key ?? key)) return false;
    return object?.kind === undefined || object.kind.kind === about?.kind;
  };
}
