/** Events as traces of the controllers that recorded them. */
import { Events } from "../../../api/kinds.ts";
import type { Event } from "../../../api/types.ts";
import type { ListOptions, ListPage } from "../../../client/api/lister-watcher.ts";
import type { Client } from "../../../client/api/verbs.ts";
import { isOurs, type Look, nothingSeen, pageSize, readable, type Sign, writtenAt } from "./sign.ts";

/** Whose Events are examined. */
export interface EventSignsOptions {
  readonly client: Client;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** The components of all controllers of the search. */
  readonly components: ReadonlySet<string>;
}

/** For so few components the API server selects: for more, one list of all Events takes both sides less. */
const fewComponents = 3;
const largePage = 5000;
/** Beyond so many pages nothing is read. */
const mostPages = 20;

/** Reads Events. The API server goes through all of them to select those of one component. */
export class EventSigns {
  readonly #options: EventSignsOptions;
  #all: Promise<ReadonlyMap<string, Look>> | undefined;

  constructor(options: EventSignsOptions) {
    this.#options = options;
  }

  /** What the Events of a component show. @throws StatusError, TransportError. */
  async of(component: string): Promise<Look> {
    const { components } = this.#options;
    if (components.size <= fewComponents) return await this.#selected(component);
    const all = await (this.#all ??= this.#readAll());
    return all.get(component) ?? nothingSeen;
  }

  async #selected(component: string): Promise<Look> {
    const page = await this.#page({ limit: pageSize, fieldSelector: `source=${component}` });
    if (page === "absent") return nothingSeen;
    return page === "forbidden" ? forbidden : lookOf(component, page.items.flatMap(signsOf));
  }

  async #readAll(): Promise<ReadonlyMap<string, Look>> {
    const { components } = this.#options;
    const signs = new Map<string, Sign[]>([...components].map((component) => [component, []]));
    let continueToken = "";
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await this.#page({ limit: largePage, ...(continueToken !== "" && { continueToken }) });
      if (page === "absent") return new Map();
      if (page === "forbidden") return new Map([...components].map((component) => [component, forbidden]));
      for (const event of page.items) signs.get(componentOf(event))?.push(...signsOf(event));
      ({ continueToken } = page);
      if (continueToken === "") break;
    }
    const rest = { what: `events beyond the first ${mostPages * largePage}`, why: "not looked at", isDecisive: false };
    const unseen = continueToken === "" ? [] : [rest];
    return new Map([...signs].map(([component, of]) => [component, { ...lookOf(component, of), unseen }]));
  }

  #page(options: ListOptions): Promise<ListPage<Event> | "forbidden" | "absent"> {
    const { client, namespace } = this.#options;
    return readable(client.list(Events, { ...options, ...(namespace !== undefined && { namespace }) }));
  }
}

const forbidden: Look = {
  ...nothingSeen,
  unseen: [{ what: "events", why: "no right to list", isDecisive: false }],
};

function lookOf(component: string, signs: readonly Sign[]): Look {
  return { ...nothingSeen, signs, seen: signs.length === 0 ? [] : [`${signs.length} Events of ${component}`] };
}

/** As the field selector `source`. Source: kubernetes v1.36 pkg/registry/core/event/strategy.go ToSelectableFields. */
function componentOf({ source, reportingComponent = "" }: Event): string {
  const from = source?.component ?? "";
  return from === "" ? reportingComponent : from;
}

/** Who recorded it, unless it was one of ours. */
function signsOf({ metadata, reason = "", involvedObject }: Event): readonly Sign[] {
  const entry = (metadata.managedFields ?? []).find(({ manager = "" }) => manager !== "" && !isOurs(manager));
  const at = entry === undefined ? undefined : writtenAt(entry);
  if (entry === undefined || at === undefined) return [];
  const { manager: by = "" } = entry;
  const about = `${involvedObject.kind ?? ""} ${involvedObject.namespace ?? ""}/${involvedObject.name ?? ""}`;
  return [{ clause: `Event ${reason} of ${about} was written by ${by}`, at, isOwn: true, by }];
}
