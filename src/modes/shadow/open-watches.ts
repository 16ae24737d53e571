/** Since when the watches of each controller have been open: while one is not, the owner's writes cannot be observed. */
import type { KindName } from "../../trace/names.ts";
import type { WatchEvent } from "../../trace/events.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";

/** The state of all watches, from their events. */
export class OpenWatches {
  readonly #kindsOf: ReadonlyMap<string, readonly string[]>;
  /** By kind: when its watch was opened last, in ms since 1970; undefined while it is closed. */
  readonly #openSince = new Map<string, number | undefined>();

  constructor(controllers: readonly Pick<ControllerDefinition, "name" | "for" | "watches">[]) {
    this.#kindsOf = new Map(
      controllers.map(({ name, for: primary, watches }) => {
        const kinds = [...(primary === undefined ? [] : [primary]), ...watches.map(({ kind }) => kind)];
        return [name, [...new Set(kinds.map(nameOf))]];
      }),
    );
  }

  /** Called when a watch was opened or has ended, at `at` in ms since 1970. */
  accept({ of, state }: WatchEvent, at: number): void {
    this.#openSince.set(nameOf(of), state === "opened" ? at : undefined);
  }

  /**
   * When the last of the controller's watches was opened, in ms since 1970; undefined while one that was open is closed. A kind that was
   * never watched, because the server does not serve it, counts as open from 0 on.
   */
  openSince(controller: string): number | undefined {
    let latest = 0;
    for (const kind of this.#kindsOf.get(controller) ?? []) {
      if (!this.#openSince.has(kind)) continue;
      const since = this.#openSince.get(kind);
      if (since === undefined) return undefined;
      latest = Math.max(latest, since);
    }
    return latest;
  }
}

function nameOf({ group, kind }: KindName): string {
  return `${kind}.${group}`;
}
