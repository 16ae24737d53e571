/** `--reload`: when a file is saved, its new controllers replace the previous ones, on the same caches and queues. */
import { resourceOf } from "../../../src/api/kind.ts";
import { keyOf } from "../../../src/api/key.ts";
import { messageOf } from "../../../src/api/error-message.ts";
import type { ControllerDefinition, Watch } from "../../../src/controller/api/definition.ts";
import type { RunningController } from "../../../src/controller/runtime/running-controller.ts";
import { writtenAt } from "../../../src/platform/files.ts";
import { loadAgain, modulesOf } from "../../cli/controller-files.ts";
import type { ControllerFiles } from "../../cli/io.ts";
import type { Session } from "../../cli/session.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";

/** The interval at which files are checked. */
const everyMs = 300;

/** A file, and the modification times of it and of each imported module before they were loaded; undefined for a missing one. */
interface Watched {
  readonly word: string;
  modules: ReadonlyMap<string, number | undefined>;
}

/** The controllers of files. Each keeps its identity while its implementation is replaced. */
export class Reload {
  /** The newest definition, by name of the controller. */
  readonly #newest = new Map<string, ControllerDefinition>();
  readonly #files: Watched[] = [];
  readonly #session: Session;
  #running: readonly RunningController[] = [];

  /** @param files the controller files of the command line. */
  constructor(files: ControllerFiles, session: Session) {
    this.#session = session;
    for (const [word, definitions] of files) {
      this.#files.push({ word, modules: new Map() });
      for (const definition of definitions) this.#newest.set(definition.name, definition);
    }
  }

  /** Returns a definition that delegates to the newest version of a file's controller. Other controllers are returned unchanged. */
  standingFor(definition: ControllerDefinition): ControllerDefinition {
    const { name, watches } = definition;
    if (this.#newest.get(name) !== definition) return definition;
    const newest = (): ControllerDefinition => this.#newest.get(name) ?? definition;
    return {
      ...definition,
      sync: (key, context) => newest().sync(key, context),
      watches: watches.map((watch, index) => ({
        ...watch,
        on: (notification, context) => (newest().watches[index] ?? watch).on(notification, context),
      })),
    };
  }

  /** Watches the files until the session ends. */
  async start(running: readonly RunningController[]): Promise<void> {
    this.#running = running;
    for (const file of this.#files) file.modules = await timesOf(modulesOf(file.word));
    this.#lookLater();
  }

  #lookLater(): void {
    const { timeline } = this.#session.io;
    timeline.after(everyMs, "reload", () => void this.#look(), { background: true });
  }

  async #look(): Promise<void> {
    for (const file of this.#files) {
      const now = await timesOf([...file.modules.keys()]);
      const isAsLoaded = [...now].every(([path, time]) => file.modules.get(path) === time);
      if (isAsLoaded || this.#session.isOver) continue;
      await this.#reload(file, now);
    }
    if (!this.#session.isOver) this.#lookLater();
  }

  /** Reloads a file. @param before the modification times at the last load; a file saved during this reload differs at the next check. */
  async #reload(file: Watched, before: Watched["modules"]): Promise<void> {
    const { word } = file;
    // A failed load may not have reached all imports of the file.
    let kept = [...before.keys()];
    try {
      const definitions = await loadAgain(word, kept);
      kept = [];
      const refused = definitions.map((each) => this.#whyNot(each)).find((why) => why !== undefined);
      if (refused !== undefined) {
        this.#session.warn(`${word} is not reloaded: ${refused}; start again to take it up`);
        return;
      }
      for (const definition of definitions) this.#newest.set(definition.name, definition);
      const synced = this.#syncAll(word, new Set(definitions.map(({ name }) => name)));
      this.#session.say(`reloaded ${word}: ${pluralize(synced, "object")} to sync`);
    } catch (error) {
      const more = error instanceof UserError ? error.next : [];
      this.#session.warn(`${[messageOf(error), ...more].join(", ")}; the previous version keeps running`);
    } finally {
      const times = await timesOf([...kept, ...modulesOf(word)]);
      file.modules = new Map([...times].map(([path, time]) => [path, before.has(path) ? before.get(path) : time]));
    }
  }

  /** Why a new version cannot replace the running one; undefined if it can. */
  #whyNot(next: ControllerDefinition): string | undefined {
    const last = this.#newest.get(next.name);
    if (last === undefined) return `${next.name} is a new controller`;
    if (shapeOf(next) !== shapeOf(last)) return `${next.name} watches other kinds`;
    return JSON.stringify(next.permissions) === JSON.stringify(last.permissions)
      ? undefined
      : `${next.name} needs other rights`;
  }

  #syncAll(word: string, names: ReadonlySet<string>): number {
    let synced = 0;
    for (const running of this.#running) {
      const { name, for: kind } = running.definition;
      if (kind === undefined || !names.has(name)) continue;
      for (const object of running.cache(kind).list()) {
        running.enqueue(keyOf(object), { cause: "other", why: `reloaded ${word}` });
        synced++;
      }
    }
    return synced;
  }
}

/** The parts of a definition that are set up at the start: its kinds and caches. */
function shapeOf({ for: kind, watches }: ControllerDefinition): string {
  const shape = (watch: Watch): unknown => [resourceOf(watch.kind), Object.keys(watch.indexes ?? {})];
  return JSON.stringify([kind === undefined ? "" : resourceOf(kind), watches.map(shape)]);
}

async function timesOf(paths: readonly string[]): Promise<Watched["modules"]> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await writtenAt(path)] as const)));
}
