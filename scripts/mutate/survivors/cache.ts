import type { KnownSurvivor } from "./known-survivor.ts";

const guard = "equivalent: the bus itself does nothing while nobody listens; asking it first saves making the event";

export const cacheSurvivors: readonly KnownSurvivor[] = [
  {
    file: "src/cache/real-fifo.ts",
    line: 'case "SyncAll":',
    replacement: 'case "SyncAll":',
    why: "equivalent: the last case of a switch, and it does nothing; it is written out for the check that all are there",
  },
  {
    file: "src/cache/delta-processor.ts",
    line: 'case "Bookmark":',
    replacement: 'case "Bookmark":',
    why: "equivalent: the last case of a switch, and it does nothing; it is written out for the check that all are there",
  },
  {
    file: "src/cache/indexer.ts",
    line: "if (bucket?.size === 0) buckets.delete(value);",
    replacement: "false",
    why: "memory only: a value without objects reads the same whether its empty bucket is kept or not",
  },
  {
    file: "src/cache/delta-processor.ts",
    line: "{ before: object, initial: false, listeners, fieldManager: undefined },",
    replacement: "true",
    why: "equivalent: only an object that was not known before is initial, and a resync reports known ones",
  },
  ...[
    "if (this.#options.bus.on) this.#options.bus.emit(this.#event(objects));",
    "if (bus.on) bus.emit({ ...this.#event(objects), error, ...(!isServed && { notServed: true }) });",
    'if (bus.on) bus.emit({ stage: "watch", of, state: "opened", resourceVersion, why });',
    'if (bus.on) bus.emit({ stage: "watch", of, state, resourceVersion, why });',
  ].map((line) => ({ file: "src/cache/reflector-reports.ts", line, replacement: "true", why: guard })),
  ...[
    'if (this.#options.bus.hears("notify")) this.#report(notification);',
    'if (bus.hears("notify")) this.#report(notification, messageOf(error));',
  ].map((line) => ({
    file: "src/cache/processor-listener.ts",
    line,
    replacement: "true",
    why: guard,
  })),
  {
    file: "src/cache/processor-listener.ts",
    line: 'return notification.type === "added" && notification.initial;',
    replacement: "true",
    why: "equivalent: no other notification has `initial`; only the type says so",
  },
  {
    file: "src/cache/reflector-state.ts",
    line: 'const error = event.is === "broke" ? event.error : undefined;',
    replacement: "true",
    why: "equivalent: a watch that ended has no error; only the type says so",
  },
  {
    file: "src/cache/shared-informer.ts",
    line: "...(onHandlerError !== undefined && { onHandlerError }),",
    replacement: "true",
    why: "equivalent: a listener takes an undefined onHandlerError for none; the type of its options does not",
  },
  {
    file: "src/cache/shared-informer-factory.ts",
    line: "const scope = kind.namespaced && namespace !== undefined ? { namespace } : {};",
    replacement: "true",
    why: "equivalent: a client takes an undefined namespace for all; the type of its scope does not",
  },
  {
    file: "src/cache/shared-informer-factory.ts",
    line: "const selected = selectors === undefined ? {} : { selectors };",
    replacement: "false",
    why: "equivalent: an informer takes undefined selectors for none; the type of its options does not",
  },
];
