import { apiVersionOf } from "../../../src/api/kind.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { DryRunPart } from "../../../src/controller/api/dry-run-part.ts";
import { builtInControllers, controllerGroups } from "../../../src/controllers/index.ts";
import { permissionsOf } from "../../../src/modes/preflight/rights.ts";
import { choice, type Command, command, text } from "../../cli/command.ts";
import { companionsOf, controllerCandidates, controllerNamed } from "../../names/controller-names.ts";
import { rbacManifest } from "./rbac.ts";
import { type Style, styleOf, wrapWords } from "../../cli/style.ts";
import { plainTable } from "../../cli/table.ts";

function watched(definition: ControllerDefinition): string {
  const named = definition.watches.map((watch) => watch.kind.kind);
  return [...named, ...(definition.dynamicWatches === undefined ? [] : [definition.dynamicWatches.description])].join(
    ", ",
  );
}

/** The same within `width` columns, if its first kind fits there: `Deployment, ReplicaSet and 3 more`. */
function watchedWithin(definition: ControllerDefinition, width: number): string {
  const all = watched(definition).split(", ");
  for (let count = all.length; count > 1; count--) {
    const more = all.length - count;
    const words = `${all.slice(0, count).join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
    if (words.length <= width) return words;
  }
  return all.length === 1 ? (all[0] ?? "") : `${all[0]} and ${all.length - 1} more`;
}

/** The definition of a controller as JSON, without its functions. */
function described(definition: ControllerDefinition): unknown {
  const { name, aliases, purpose, workers, source, rules, dryRun } = definition;
  return {
    name,
    aliases,
    group: groupOf(definition),
    purpose,
    ...(definition.for !== undefined && {
      reconciles: { apiVersion: apiVersionOf(definition.for), kind: definition.for.kind },
    }),
    watches: definition.watches.map(({ kind }) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind })),
    ...(definition.dynamicWatches !== undefined && { discovers: definition.dynamicWatches.description }),
    workers,
    permissions: permissionsOf(definition),
    ...(dryRun !== undefined && { dryRun: dryRunText(dryRun) }),
    rules: rules.map(({ id, looksAt, chooses, source }) => ({ id, looksAt, chooses, source })),
    source,
  };
}

/** What a controller does differently in a dry run. */
function dryRunText(part: DryRunPart): string {
  switch (part.is) {
    case "left out":
      return `left out: ${part.why}`;
    case "about nodes":
      return "only with --node-down or --drain";
    case "limited":
      return `limited to ${part.to}`;
    case "adapted":
      return part.why;
  }
}

/** A label with text that is wrapped beside it. */
function labelled(label: string, words: string, columns: number | undefined): readonly string[] {
  const lines = wrapWords(words.split(" "), columns === undefined ? undefined : columns - label.length);
  return lines.map((line, index) => `${index === 0 ? label : " ".repeat(label.length)}${line}`);
}

function detail(definition: ControllerDefinition, columns: number | undefined): string {
  const { name, aliases, purpose, workers, source, rules, dryRun } = definition;
  const also = aliases.length === 0 ? "" : ` (also ${aliases.join(", ")})`;
  const verbs = new Map<string, Set<string>>();
  for (const { resource, verb } of permissionsOf(definition))
    verbs.set(resource, (verbs.get(resource) ?? new Set()).add(verb));
  const ids = Math.max(...rules.map((rule) => rule.id.length));
  const room = Math.max(30, (columns ?? 100) - ids - 4);
  return [
    ...wrapWords(`${name}${also}: ${purpose}`.split(" "), columns),
    "",
    `reconciles  ${definition.for === undefined ? "objects of every kind" : `${definition.for.kind} (${apiVersionOf(definition.for)})`}`,
    ...labelled("watches     ", watched(definition), columns),
    `workers     ${workers}`,
    `needs       ${[...verbs].map(([resource, allowed]) => `${resource}: ${[...allowed].join(" ")}`).join("\n            ")}`,
    ...(dryRun === undefined ? [] : labelled("dry-run     ", dryRunText(dryRun), columns)),
    ...(source === undefined ? [] : [`upstream    ${source}`]),
    "",
    "rules",
    ...rules.flatMap(({ id, chooses }) =>
      wrapWords(chooses.split(" "), room).map((line, index) => `  ${(index === 0 ? id : "").padEnd(ids)}  ${line}`),
    ),
  ].join("\n");
}

/** On narrower terminals a name longer than this gives way to its short one: it would leave little room for any purpose. */
const narrow = { columns: 100, longestName: 25 };

/** Columns that are omitted, in this order, if the purpose would have less room than this. */
const lessNeeded: readonly { readonly name: string; readonly purposeWidth: number }[] = [
  { name: "WORKERS", purposeWidth: 52 },
  { name: "WATCHES", purposeWidth: 52 },
  { name: "SHORT", purposeWidth: 36 },
];

const groupOf = (definition: ControllerDefinition): string =>
  controllerGroups.find(({ controllers: members }) => members.includes(definition))?.name ?? "";

/** Lists controllers. On a terminal, groups are headings; without a line width, the group is a column. */
function list(wide: boolean, { columns = Infinity, colour }: Style): string {
  const isWide = wide || columns === Infinity;
  const rows = builtInControllers.map((definition): Readonly<Record<string, string>> => {
    const { name, aliases, workers, rules, source, purpose, dynamicWatches } = definition;
    // Kinds found by discovery include the named ones.
    const watches = dynamicWatches?.description ?? watchedWithin(definition, columns === Infinity ? Infinity : 40);
    // A short form to type; a longer alias is of no use.
    const short = aliases.find((alias) => alias.length < name.length) ?? "";
    const isTooLong = columns < narrow.columns && name.length > narrow.longestName && short !== "";
    const names = isTooLong ? { NAME: short, SHORT: "" } : { NAME: name, SHORT: short };
    const common = {
      ...names,
      ...(isWide && { GROUP: groupOf(definition) }),
      WATCHES: watches,
      WORKERS: String(workers),
    };
    return wide ? { ...common, RULES: String(rules.length), UPSTREAM: source ?? "" } : { ...common, PURPOSE: purpose };
  });
  let head = Object.keys(rows[0] ?? {});
  const lines = (cellWidth = Infinity): string[] => {
    const cells = rows.map((row) => head.map((name) => (row[name] ?? "").slice(0, cellWidth)));
    return plainTable(head, cells).split("\n");
  };
  if (wide) return lines().join("\n");
  for (const { name, purposeWidth } of lessNeeded) {
    if (lines(purposeWidth).some((line) => line.length > columns)) head = head.filter((other) => other !== name);
  }
  const [titles = "", ...fitting] = lines().map((line) =>
    line.length > columns ? `${line.slice(0, columns - 1)}…` : line,
  );
  if (isWide) return [titles, ...fitting].join("\n");
  const grouped = controllerGroups.flatMap(({ name, controllers: members }) => [
    "",
    colour.bold(name),
    ...fitting.splice(0, members.length),
  ]);
  return [titles, ...grouped].join("\n");
}

/** `controllers`. */
export const controllers: Command = command({
  name: "controllers",
  about: "List the controllers that can be run, or describe one",
  arguments: { name: "[name]", about: "a controller: name, short name or alias" },
  argumentCandidates: () => controllerCandidates().filter(({ value }) => value !== "all"),
  options: {
    output: choice("-o, --output <format>", "wide, json, or the Role that it needs", ["wide", "json", "rbac"]),
    namespace: text("-n, --namespace <name>", "with -o rbac: a Role for this namespace, instead of a ClusterRole"),
  },
  examples: [
    { comment: "What can be run", line: "controllers" },
    { comment: "What one controller watches, needs and decides", line: "controllers replicaset" },
    { comment: "Grant the rights that it needs", line: "controllers replicaset -o rbac | kubectl apply -f -" },
  ],
  complete({ arguments: [name], options }, io) {
    return { ...options, only: name === undefined ? undefined : controllerNamed(name, io) };
  },
  async run({ only, output, namespace }, { io }) {
    const chosen = only === undefined ? builtInControllers : [only];
    if (output === "json") {
      const facts = only === undefined ? chosen.map(described) : described(only);
      io.out.write(`${JSON.stringify(facts, null, 2)}\n`);
    } else if (output === "rbac") {
      const needing = only === undefined ? chosen : [only, ...companionsOf(only)];
      io.out.write(needing.map((definition) => rbacManifest(definition, namespace)).join("---\n"));
    } else if (only !== undefined) {
      io.out.write(`${detail(only, styleOf(io.out).columns)}\n`);
    } else {
      io.out.write(`${list(output === "wide", styleOf(io.out))}\n`);
    }
    return 0;
  },
});
