/** Since when the watches of a controller have been open: while one is not, the owner's writes cannot be observed. */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { Coverage } from "../../views/coverage.ts";

/**
 * When the last of the controller's watches was opened, in ms since 1970; undefined while one that was open is closed. A kind that was
 * never watched, because the server does not serve it, counts as open from 0 on.
 */
export function watchesOpenSince(
  { for: primary, watches }: Pick<ControllerDefinition, "for" | "watches">,
  coverage: Coverage,
): number | undefined {
  let latest = 0;
  for (const kind of [...(primary === undefined ? [] : [primary]), ...watches.map((watch) => watch.kind)]) {
    const watched = coverage.watchOf(kind);
    if (watched === undefined) continue;
    if (watched.openSince === undefined) return undefined;
    latest = Math.max(latest, watched.openSince);
  }
  return latest;
}
