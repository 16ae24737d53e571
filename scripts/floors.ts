/**
 * The floors: which folder may import which. A folder imports only from floors below its own; folders on the same floor never import each
 * other. The lint configuration, the pictures in `src/README.md` and in the large rooms' own README files, and the check of every import
 * (`scripts/house.ts`) are derived from this table.
 */
export interface Room {
  readonly floor: number;
  /** Path from the root of the work tree, without a trailing slash. */
  readonly folder: string;
  readonly owns: string;
  /** The folders it may import, if that is narrower than "every floor below". */
  readonly only?: readonly string[];
  /** The floors inside a large room, by the same rules; `<folder>/README.md` shows them. Files directly in it are its top. */
  readonly inner?: readonly Place[];
}

/** A folder inside a room. */
export interface Place {
  readonly floor: number;
  /** Its path inside the room. */
  readonly folder: string;
  readonly owns: string;
  /** Its own folders never import each other. */
  readonly apart?: true;
  readonly inner?: readonly Place[];
}

/** A folder with floors inside. */
export interface Level {
  /** Path from the root of the work tree. */
  readonly folder: string;
  readonly places: readonly Place[];
}

export const rooms: readonly Room[] = [
  {
    floor: 1,
    folder: "src/platform",
    owns: "what differs between Bun, Deno and Node, and everything nondeterministic: TLS fetch, files, terminal, signals, `Timeline`, random numbers",
  },
  {
    floor: 1,
    folder: "src/api",
    owns: "what an object is: types, `Kind`, labels, owner references, field differences, `StatusError`, the types of `Transport`; `node-fit/`: which nodes may run a pod; `wire/`: the fields of all built-in kinds and their protobuf form; no I/O",
  },
  { floor: 2, folder: "src/trace", owns: "stage events, the bus that carries them, the links between them" },
  {
    floor: 2,
    folder: "src/verdict",
    owns: "what a verdict is: it rests on evidence that was read, and on nothing else",
  },
  {
    floor: 3,
    folder: "src/client",
    owns: "kubeconfig → HTTP `Transport` → typed verbs; `ListerWatcher`; discovery",
    inner: [
      { floor: 1, folder: "config", owns: "kubeconfig files and flags: which server, which login, which proxy" },
      {
        floor: 2,
        folder: "http",
        owns: "the HTTP `Transport` and its wrappers: credentials, limits, retries, watchdog, fences",
      },
      { floor: 3, folder: "api", owns: "typed verbs, lists and watches, discovery" },
      { floor: 4, folder: "metrics", owns: "the metrics APIs: pod usage, custom and external metrics" },
    ],
  },
  { floor: 3, folder: "src/workqueue", owns: "queue → delaying queue → rate-limiting queue; rate limiters" },
  {
    floor: 3,
    folder: "src/sandbox",
    owns: "the embedded API server; its folders are layered as in k8s.io/apiserver",
    only: ["src/platform", "src/api"],
    inner: [
      {
        floor: 1,
        folder: "meta",
        owns: "objects as plain JSON, field errors, `Status` errors, equality; times, numbers and addresses as Go parses them",
      },
      {
        floor: 2,
        folder: "validation",
        owns: "validation that kinds share: names, metadata, selectors, addresses, quantities, counts",
      },
      {
        floor: 2,
        folder: "cel",
        owns: "CEL expressions as in Kubernetes, and schema rules written in CEL",
        inner: [
          { floor: 1, folder: "values", owns: "types and values; equality, order, times and numbers as in Go" },
          {
            floor: 2,
            folder: "syntax",
            owns: "parsing: tokens, grammar, macros, errors with their positions",
          },
          {
            floor: 2,
            folder: "library",
            owns: "functions: the standard library, cel-go's extensions, Kubernetes' own",
          },
          { floor: 3, folder: "checker", owns: "type checking, and the other checks before an expression runs" },
          { floor: 4, folder: "cost", owns: "the estimated cost of an expression, and the actual cost of a call" },
          { floor: 5, folder: "interpreter", owns: "checked expressions compiled to closures that count their cost" },
          { floor: 6, folder: "program", owns: "environments; compiling and evaluating expressions" },
          { floor: 7, folder: "devices", owns: "expressions that select devices" },
          { floor: 7, folder: "schema", owns: "JSON as typed values, by its schema; x-kubernetes-validations" },
          {
            floor: 8,
            folder: "admission",
            owns: "the variables and results of match conditions, policies and mutations",
          },
        ],
      },
      { floor: 2, folder: "webhook", owns: "calls to webhooks: their addresses, and failures on the way" },
      { floor: 2, folder: "storage", owns: "revisions, collections by key, the watch cache" },
      {
        floor: 3,
        folder: "registry",
        owns: "the kinds: a folder for each API group with strategies and defaults; the registry of resources",
        inner: [
          {
            floor: 1,
            folder: "strategy",
            owns: "`RESTStrategy`: what a kind provides to the generic verbs; the default strategy, the steps of validation",
          },
          { floor: 1, folder: "conversion", owns: "conversion between the versions of built-in kinds" },
          {
            floor: 3,
            folder: "core",
            owns: "the core group; pods, pod templates and volumes, which other groups embed",
          },
          {
            floor: 4,
            folder: "apiextensions",
            owns: "the API group `apiextensions`; structural schemas, and how they decode, validate and encode objects",
          },
          ...[
            "admissionregistration",
            "apiregistration",
            "apps",
            "autoscaling",
            "batch",
            "certificates",
            "coordination",
            "discovery",
            "flowcontrol",
            "networking",
            "node",
            "policy",
            "rbac",
            "resource",
            "scheduling",
            "storage",
          ].map((folder) => ({ floor: 4, folder, owns: `the API group \`${folder}\`` })),
        ],
      },
      {
        floor: 4,
        folder: "serialization",
        owns: "JSON, YAML and protobuf bodies; content negotiation; the cache of encoded objects",
      },
      { floor: 4, folder: "options", owns: "read and write options; label and field selectors" },
      {
        floor: 5,
        folder: "context",
        owns: "what is passed to every request: the server, its open watches, the parsed path",
      },
      {
        floor: 6,
        folder: "access",
        owns: "authentication and authorization: tokens, certificates, RBAC, impersonation",
      },
      { floor: 6, folder: "audit", owns: "the audit log: which requests it records, and its events" },
      { floor: 6, folder: "state", owns: "saving and loading a server's whole state as a document" },
      { floor: 6, folder: "managedfields", owns: "who owns which field" },
      { floor: 6, folder: "printers", owns: "tables, as `kubectl get` shows them" },
      { floor: 7, folder: "admission", owns: "the admission plugins" },
      {
        floor: 8,
        folder: "endpoints",
        owns: "one file per verb or subresource: create, update, patch, delete, list, watch, bind, evict, reviews",
      },
      {
        floor: 9,
        folder: "serving",
        owns: "from a request to its verb, and from the result to a response; discovery and OpenAPI documents",
      },
      {
        floor: 10,
        folder: "apiextensions",
        owns: "the controllers of CustomResourceDefinitions: names, establishing, finalizing; which custom kinds are served",
      },
      {
        floor: 10,
        folder: "bootstrap",
        owns: "the objects that a new server creates for itself",
      },
    ],
  },
  {
    floor: 3,
    folder: "src/diagnosis",
    owns: "why an object is not as it should be: one file per family of kinds, each of which requests what it needs and judges it",
    only: ["src/api", "src/trace", "src/verdict"],
  },
  {
    floor: 3,
    folder: "src/proxy",
    owns: "the proxy: an HTTPS server in front of a `Transport`, for processes of any language; it reports the traffic as stage events",
    only: ["src/platform", "src/api", "src/trace"],
    inner: [
      {
        floor: 1,
        folder: "observer",
        owns: "the traffic, decoded into stage events: requests, lists, watches, deltas, writes",
      },
    ],
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
    inner: [
      {
        floor: 1,
        folder: "api",
        owns: "the API for writing a controller: `defineController`, `rule`, `SyncContext`, expectations, watches of owned objects",
      },
      {
        floor: 2,
        folder: "runtime",
        owns: "what runs controllers: `ControllerManager`, workers, syncs, Events, leases, watches of discovered kinds",
      },
      {
        floor: 2,
        folder: "workload",
        owns: "what controllers of pods share: adoption, slow start, the order of deletions, revisions, conditions, template hashes",
      },
    ],
  },
  {
    floor: 6,
    folder: "src/controllers",
    owns: "the built-in controllers, one folder each; `index.ts` is the only catalogue",
  },
  {
    floor: 7,
    folder: "src/modes",
    owns: "ways to run controllers; preflight; the composition root",
    inner: [
      {
        floor: 1,
        folder: "preflight",
        owns: "checks before anything is written: the user's rights, and who else reconciles these objects",
      },
      { floor: 1, folder: "watching", owns: "informers without controllers" },
      { floor: 1, folder: "process", owns: "a program of any language behind a proxy" },
      { floor: 2, folder: "run", owns: "controllers that write: on a cluster or in a sandbox" },
      { floor: 3, folder: "shadow", owns: "controllers that write nothing, compared with the one that does" },
      { floor: 3, folder: "dry-run", owns: "controllers in a copy of the cluster, until nothing changes any more" },
      {
        floor: 3,
        folder: "fork",
        owns: "a sandbox that follows a cluster, and keeps all writes to itself",
      },
      {
        floor: 3,
        folder: "library",
        owns: "what other people's programs start: a connection, their controllers, a sandbox",
      },
      { floor: 4, folder: "why", owns: "reads from a cluster what a diagnosis needs" },
    ],
  },
  {
    floor: 8,
    folder: "plugin",
    owns: "the command line, which prints the results of views",
    inner: [
      {
        floor: 1,
        folder: "cli",
        owns: "what a command is, how its arguments are parsed and completed, how errors are shown, the terminal's style",
      },
      {
        floor: 2,
        folder: "names",
        owns: "what arguments name: controllers, kinds, objects, namespaces; suggestions for misspelt ones",
      },
      { floor: 2, folder: "render", owns: "text that several commands print" },
      {
        floor: 2,
        folder: "telemetry",
        owns: "Prometheus metrics (/metrics, /healthz, /readyz) and OpenTelemetry spans of a run, with their own libraries",
      },
      {
        floor: 3,
        folder: "manifests",
        owns: "-f and -k: files, folders, URLs, kustomizations; kinds that nothing serves",
      },
      {
        floor: 4,
        folder: "connections",
        owns: "the flags that choose a cluster or a sandbox, and connecting to it",
      },
      {
        floor: 5,
        folder: "stand-ins",
        owns: "what the program does when it is called kube-apiserver, etcd or kubectl: envtest's assets",
      },
      {
        floor: 5,
        folder: "process",
        owns: "`-- COMMAND`: running a program, and the screen that shows what it does",
      },
      {
        floor: 6,
        folder: "commands",
        owns: "one folder per command, with everything that only it prints",
        apart: true,
      },
    ],
  },
];

/** Every folder that has floors inside, rooms and places alike. */
export const levels: readonly Level[] = rooms.flatMap(({ folder, inner }) => levelsOf(folder, inner));

function levelsOf(folder: string, places: readonly Place[] | undefined): readonly Level[] {
  if (places === undefined) return [];
  return [{ folder, places }, ...places.flatMap((place) => levelsOf(`${folder}/${place.folder}`, place.inner))];
}

/** Whether a file in `from` may import a file in `to`. */
export function mayImport(from: Room, to: Room): boolean {
  if (from === to) return true;
  return to.floor < from.floor && (from.only === undefined || from.only.includes(to.folder));
}

/** The room that contains a path; undefined for files outside all rooms (tests, scripts). */
export function roomOf(path: string): Room | undefined {
  return rooms.find((room) => path.startsWith(`${room.folder}/`));
}

/**
 * Globals that nothing outside `src/platform` uses: time, scheduling, randomness and I/O are injected. `src/api/time.ts` is the only other
 * place that uses `Date`: it parses and prints times and never reads the current time.
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
