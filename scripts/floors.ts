/**
 * The floors of the house: which folder may import which. A folder imports only from floors below its own; folders of one
 * floor never import each other. The lint rules (`scripts/lint.ts`) and the picture in `src/README.md` both come from here.
 */
export interface Room {
  readonly floor: number;
  /** Path from the top of the work tree, without a trailing slash. */
  readonly folder: string;
  readonly owns: string;
  /** The folders it may import, where that is narrower than "every floor below". */
  readonly only?: readonly string[];
}

export const rooms: readonly Room[] = [
  {
    floor: 1,
    folder: "src/platform",
    owns: "what differs between Bun, Deno and Node, and all that is not deterministic: TLS fetch, files, terminal, signals, `Timeline`, random numbers",
  },
  {
    floor: 1,
    folder: "src/api",
    owns: "what an object is: types, `Kind`, labels, owner references, field differences, `StatusError`, the types of `Transport`; `wire/`: the fields of all built-in kinds and their protobuf form; no I/O",
  },
  { floor: 2, folder: "src/trace", owns: "stage events, the bus that carries them, the links between them" },
  { floor: 2, folder: "src/verdict", owns: "what a verdict is: made from what was looked at, and from nothing else" },
  { floor: 3, folder: "src/client", owns: "kubeconfig → HTTP `Transport` → typed verbs; `ListerWatcher`; discovery" },
  { floor: 3, folder: "src/workqueue", owns: "queue → delaying queue → rate-limiting queue; rate limiters" },
  {
    floor: 3,
    folder: "src/sandbox",
    owns: "the embedded API server: store, registry, watch, in-process `Transport`",
    only: ["src/platform", "src/api"],
  },
  {
    floor: 3,
    folder: "src/diagnosis",
    owns: "why an object is not as it should be: a file a family of kinds, each of which asks for what it needs and judges it",
    only: ["src/api", "src/trace", "src/verdict"],
  },
  { floor: 3, folder: "src/views", owns: "pure folds over stage events: what a screen shows, as data" },
  {
    floor: 4,
    folder: "src/cache",
    owns: "`Reflector` → delta queue → `Indexer` → `SharedInformer` → `ProcessorListener`; `Lister`; `SharedInformerFactory`",
  },
  {
    floor: 5,
    folder: "src/controller",
    owns: "the public API for controllers: `defineController`, `rule`, worker loop, `SyncContext`, expectations, `ControllerManager`",
  },
  {
    floor: 6,
    folder: "src/controllers",
    owns: "the built-in controllers, one folder each; `index.ts` is the only catalogue",
  },
  { floor: 7, folder: "src/modes", owns: "ways to run controllers; preflight; the composition root" },
  { floor: 8, folder: "plugin", owns: "the command line: it prints what views say" },
];

/** Whether a file in `from` may import a file in `to`. */
export function mayImport(from: Room, to: Room): boolean {
  if (from === to) return true;
  return to.floor < from.floor && (from.only === undefined || from.only.includes(to.folder));
}

/** The room a path lies in; undefined for files outside the house (tests, scripts). */
export function roomOf(path: string): Room | undefined {
  return rooms.find((room) => path.startsWith(`${room.folder}/`));
}

/**
 * Globals that nothing outside `src/platform` touches: time, turns, chance and I/O are handed in.
 * `src/api/time.ts` is the one other place that reads `Date`: it parses and prints times and never asks for the present one.
 */
export const forbiddenGlobals: readonly string[] = [
  "Date",
  "performance",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "queueMicrotask",
  "crypto",
  "fetch",
  "process",
  "Bun",
  "Deno",
  "console",
];
