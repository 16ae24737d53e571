/** Selects the syncs that a trace shows: by controller, object, or the object's chain. */
import { splitKey } from "../../../src/api/key.ts";
import { objectOf } from "../../../src/controller/api/definition.ts";
import { Chain, type FindObject } from "../../../src/views/chains.ts";
import type { SyncBlock } from "../../../src/views/sync-block.ts";
import { UserError } from "../../cli/user-error.ts";
import { type NamedObject, objectNamed } from "../../names/object-names.ts";
import type { TraceRequest } from "./request.ts";
import { kindsKnown } from "./subject.ts";
import type { TracePlace } from "./target.ts";

/** Whether a sync is shown. Call it when a sync starts, because it records the objects of a chain, which may be deleted at the end. */
export type Shows = (sync: Pick<SyncBlock, "controller" | "key">) => boolean;

/** @throws UserError for `--why` with an unknown type. */
export function shownSyncs(request: TraceRequest, place: TracePlace, find: FindObject): Shows {
  const definitions = new Map(request.controllers.map((definition) => [definition.name, definition]));
  const object = resolved(request.object, request, place);
  const target = resolved(request.why, request, place) ?? (request.chain ? object : undefined);
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

function resolved(word: string | undefined, request: TraceRequest, place: TracePlace): NamedObject | undefined {
  if (word === undefined) return undefined;
  const named = objectNamed(word, kindsKnown(request.controllers, place.kinds), place.namespace);
  if (named.kind === undefined && word === request.why) {
    const known = request.controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind.kind));
    throw new UserError(`--why ${word}: none of these controllers knows a type ${word.split("/")[0]}`, [
      known.length === 0 ? "`kubectl api-resources` lists the types" : `they know ${[...new Set(known)].join(", ")}`,
    ]);
  }
  return named;
}
