/** One run of `watch`, from resolving the words to the summary. */
import { objectKey } from "../../../src/api/key.ts";
import { matches, matchesEverything } from "../../../src/api/labels.ts";
import type { Selectors } from "../../../src/client/api/lister-watcher.ts";
import { isNamespaced } from "../../../src/controller/api/definition.ts";
import { type Observation, observe } from "../../../src/modes/watching/observe.ts";
import type { DeltaReportOptions } from "../../../src/views/delta-report.ts";
import type { Session } from "../../cli/session.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Reading } from "../../connections/reading-connection.ts";
import { refuseUnreadable } from "../../connections/reading-rights.ts";
import { isMissing, missingText } from "../../names/missing-object.ts";
import { cachesText } from "../../render/preflight-text.ts";
import type { WatchRequest } from "./request.ts";
import { WatchScreen } from "./screen.ts";
import { type WatchTargets, watchTargets } from "./targets.ts";
import { watchSummaryLine } from "./watch-lines.ts";

/** The parts of a `Watching`. The caller closes the connection. */
export interface WatchParts {
  readonly request: WatchRequest;
  readonly session: Session;
  readonly reading: Reading;
}

/** The targets and their namespace, which may be wider than requested because of controllers. */
interface Scoped {
  readonly targets: WatchTargets;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly note?: string;
}

/** Watches kinds, and runs controllers whose syncs do nothing to show their queues. */
export class Watching {
  readonly #request: WatchRequest;
  readonly #session: Session;
  readonly #reading: Reading;
  #observation: Observation | undefined;

  constructor({ request, session, reading }: WatchParts) {
    this.#request = request;
    this.#session = session;
    this.#reading = reading;
  }

  /** Shows deltas until the session ends. @returns the exit code. @throws UserError, StatusError, TransportError. */
  async untilEnded(): Promise<number> {
    const session = this.#session;
    const started = await session.unlessInterrupted(async () => {
      const scoped = await this.#scope();
      const screen = this.#screen(scoped);
      this.#reading.bus.listen(screen.listener);
      await this.#start(scoped, screen);
      return { screen, hasControllers: scoped.targets.controllers.length > 0 };
    });
    if (started === undefined) return 0;
    if (!this.#request.once) await session.ended;
    started.screen.close({ isInterrupted: session.signal.aborted });
    session.say(watchSummaryLine(started.screen.report.summary, session.elapsedMs, started.hasControllers));
    return 0;
  }

  /** Ends the watches; no-op before `untilEnded`. */
  async stop(): Promise<void> {
    await this.#observation?.stop();
  }

  async #scope(): Promise<Scoped> {
    const { words, selectors } = this.#request;
    const { client, context, server } = this.#reading;
    const { err } = this.#session.io;
    const version = await this.#reading.serverVersion();
    const scoped = inScope(await watchTargets(words, client, this.#session.io), words, this.#reading.namespace);
    const { targets, namespace, note } = scoped;
    if (selectors.fieldSelector !== undefined && targets.controllers.length > 0) {
      throw new UserError("--field-selector is for kinds: a controller must see all of its objects", [
        "omit it, or name the kind, as in kind/replicaset",
      ]);
    }
    const kinds = [...targets.kinds.map(({ kind }) => kind), ...watchedBy(targets)];
    await refuseUnreadable(kinds, { ...this.#reading, namespace, columns: err.columns });
    await this.#tryFields(scoped);
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    this.#session.say(`context ${context} · ${server} (${version.gitVersion}) · ${where}`);
    if (note !== undefined) this.#session.say(note);
    return scoped;
  }

  /** Checks the field selector, because a list with an unsupported one would be retried forever. @throws StatusError. */
  async #tryFields({ targets, namespace }: Scoped): Promise<void> {
    if (this.#request.selectors.fieldSelector === undefined) return;
    const { client } = this.#reading;
    const where = namespace === undefined ? {} : { namespace };
    await Promise.all(
      targets.kinds.map(({ kind, name }) => client.list(kind, { ...where, ...this.#selectors(name), limit: 1 })),
    );
  }

  #screen({ targets, namespace }: Scoped): WatchScreen {
    const { shows, types, sinceStart, count, once } = this.#request;
    const { io, startedAt } = this.#session;
    return new WatchScreen({
      out: io.out,
      timeline: io.timeline,
      shows,
      namespaces: namespace === undefined,
      prints: (event) => event.stage !== "delta" || types === undefined || types.has(event.type),
      report: {
        initial: once,
        ...this.#wanted(targets),
        controllersOf: (of) => this.#observation?.controllersWatching(of) ?? [],
        ...(types !== undefined && { types }),
      },
      live: {
        controllers: targets.controllers.map(({ name }) => name),
        informers: () => this.#observation?.states() ?? [],
      },
      onEnough: () => this.#session.end(),
      ...(sinceStart && { sinceStartAt: startedAt }),
      ...(count !== undefined && { count }),
    });
  }

  /** With a selector, shows matching objects of the named kinds and primary kinds; of other kinds, only deltas that enqueue keys. */
  #wanted({ kinds, controllers }: WatchTargets): Pick<DeltaReportOptions, "wanted"> {
    const { selector } = this.#request;
    if (selector === undefined) return {};
    const named = [...kinds.map(({ kind }) => kind), ...controllers.flatMap((each) => each.for ?? [])];
    return {
      wanted: ({ of, detail }) =>
        named.some(({ group, kind }) => group === of.group && kind === of.kind) && matches(selector, detail.labels),
    };
  }

  async #start({ targets, namespace }: Scoped, screen: WatchScreen): Promise<void> {
    const session = this.#session;
    const { timeline, random } = session.io;
    const { once, resyncMs, selector, forMs } = this.#request;
    const observation = observe({
      kinds: targets.kinds.map(({ kind, name }) => ({ kind, selectors: this.#selectors(name) })),
      controllers: targets.controllers,
      client: this.#reading.client,
      bus: this.#reading.bus,
      timeline,
      random,
      ...(namespace !== undefined && { namespace }),
      ...(selector !== undefined && !matchesEverything(selector) && { selector }),
      ...(resyncMs !== undefined && { resyncMs }),
    });
    this.#observation = observation;
    const startedAt = timeline.now();
    await observation.start(session.signal);
    const caches = observation.states();
    session.say(`caches  ${cachesText(caches)} · ${formatDuration(timeline.now() - startedAt)}`);
    if (targets.controllers.length > 0) {
      const names = targets.controllers.map(({ name }) => name).join(", ");
      session.say(`queues  of a copy of ${names} here, whose syncs do nothing; nothing is written`);
    }
    if (once) return this.#sayWhatIsMissing(targets, namespace);
    session.say(`watching ${pluralize(caches.filter(({ isServed }) => isServed).length, "kind")}, ${this.#endText()}`);
    session.say("");
    screen.start();
    await this.#reading.begin();
    await this.#sayWhatIsMissing(targets, namespace);
    session.endAfter(forMs);
  }

  /** Of an object that does not exist nothing is shown. Selectors may exclude one that does. */
  async #sayWhatIsMissing({ kinds }: WatchTargets, namespace = ""): Promise<void> {
    const { selectors, shows, once } = this.#request;
    const shown = once ? undefined : "deltas";
    if (selectors.labelSelector !== undefined || selectors.fieldSelector !== undefined || shows === "live") return;
    for (const { kind, name } of kinds) {
      if (name === undefined) continue;
      const key = objectKey(kind.namespaced ? namespace : "", name);
      const isGone = await isMissing(this.#reading.client, { kind, key });
      if (isGone) this.#session.say(missingText({ kinds: [kind.kind], key, shown }));
    }
  }

  #endText(): string {
    const { forMs, count } = this.#request;
    const ends = [
      ...(forMs === undefined ? [] : [`for ${formatDuration(forMs)}`]),
      ...(count === undefined ? [] : [`until ${pluralize(count, "delta")}`]),
    ];
    return ends.length === 0 ? "Ctrl-C stops" : ends.join(" or ");
  }

  #selectors(name: string | undefined): Selectors {
    const { labelSelector, fieldSelector } = this.#request.selectors;
    const fields = [name === undefined ? [] : `metadata.name=${name}`, fieldSelector ?? []].flat();
    return {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fields.length > 0 && { fieldSelector: fields.join(",") }),
    };
  }
}

/** Leaves out controllers that do not support a single namespace with `all`; if one was named, all namespaces are watched. */
function inScope(targets: WatchTargets, words: readonly string[], namespace: string | undefined): Scoped {
  const wide = targets.controllers.filter((each) => !isNamespaced(each));
  if (namespace === undefined || wide.length === 0) return { targets, namespace };
  const names = wide.map(({ name }) => name).join(", ");
  if (!words.includes("all")) {
    const note = `${names} works beyond namespace ${namespace}: all namespaces are watched`;
    return { targets, namespace: undefined, note };
  }
  const controllers = targets.controllers.filter(isNamespaced);
  const note = `left out, since they work beyond namespace ${namespace}: ${names}; -A watches them too`;
  return { targets: { ...targets, controllers }, namespace, note };
}

function watchedBy({ controllers }: WatchTargets): WatchTargets["kinds"][number]["kind"][] {
  return controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind));
}
