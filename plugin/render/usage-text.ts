/** The final report on how a process uses the API server. */
import { formatDuration } from "../../src/api/duration.ts";
import type { KindName } from "../../src/trace/names.ts";
import type { ProcessUsage, Refused } from "../../src/views/process/usage.ts";
import type { WrittenLoop } from "../../src/views/process/written-loops.ts";
import { pluralize, shorten, type Style, wrapWords } from "../cli/style.ts";
import { plainTable } from "../cli/table.ts";
import { loopText } from "./loop-text.ts";
import { agentName } from "./process-lines.ts";

/** Items shown of each long list. */
const shownEach = 5;
const shownVerbs = 12;
/** Loops shown in full; the others are only named, so that the findings fit on one screen. */
const shownLoops = 2;
/** The width of the table without its resource column, including spaces; and the minimum width of that column. */
const [otherColumns, minResourceWidth] = [50, 24];

/** `stopped after 12.4 s: 1204 requests, 41 writes` */
export function usageSummary(usage: ProcessUsage, afterMs: number): string {
  const sum = (counts: readonly { readonly count: number }[]): number =>
    counts.reduce((total, { count }) => total + count, 0);
  const [conflicts, refused, same] = [sum(usage.conflicts), sum(usage.refused), sum(usage.ineffective)];
  const parts = [
    pluralize(usage.requests, "request"),
    `${pluralize(usage.writes, "write")}${same === 0 ? "" : `, ${same} of them changed nothing`}`,
    ...(conflicts === 0 ? [] : [pluralize(conflicts, "conflict")]),
    ...(refused === 0 ? [] : [`${refused} refused: missing rights`]),
  ];
  return `stopped after ${formatDuration(afterMs)}: ${parts.join(" · ")}`;
}

/** The contents of the final report. */
export interface ProcessPage {
  readonly usage: ProcessUsage;
  readonly loops?: readonly WrittenLoop[];
  /** The current time in ms since 1970. */
  readonly now: number;
}

/** The findings, the worst first, then the requests by verb and resource. */
export function processPage({ usage, loops = [], now }: ProcessPage, style: Style): readonly string[] {
  const { colour, columns } = style;
  const findings = findingsOf(usage);
  const found = loops
    .slice(0, shownLoops)
    .flatMap(({ loop, causes }) => [...loopText(loop, style, { next: "", now, causes }), ""]);
  const more = few(loops.slice(shownLoops), ({ loop: { of, key } }) => `${of.kind} ${key}`);
  const lines = findings.flatMap(({ title, items }) => [
    colour.bold(title),
    ...items.flatMap((item) =>
      wrapWords(item.split(" "), columns === undefined ? undefined : columns - 6).map(
        (text, index) => (index === 0 ? "  " : "      ") + text,
      ),
    ),
    "",
  ]);
  if (more.length > 0) found.push(`loops of other objects too: ${more.join(", ")}`, "");
  return [...found, ...lines, ...tableOf(usage, columns)];
}

interface Findings {
  readonly title: string;
  readonly items: readonly string[];
}

function findingsOf(usage: ProcessUsage): readonly Findings[] {
  const all: readonly Findings[] = [
    {
      title: "refused: missing rights",
      items: few(usage.refused, (one) => `${one.verb} ${one.resource}${whereOf(one)}${times(one.count)}`),
    },
    {
      title: "conflicts (409)",
      items: few(usage.conflicts, ({ of, subresource, count, example, winners, fromCopy }) => {
        const all = [...winners, ...(fromCopy ? ["another copy of this program"] : [])];
        const who = all.length === 0 ? "" : `; written in between by ${all.join(", ")}`;
        return `${count} on ${kindText(of, subresource)}, such as ${example}${who}`;
      }),
    },
    {
      title: "writes that changed nothing",
      items: few(
        usage.ineffective,
        ({ of, subresource, count, outOf, example }) =>
          `${count} of ${outOf} to ${kindText(of, subresource)}, most to ${example}: compare before writing`,
      ),
    },
    {
      title: "watches that ended early, and lists that followed",
      items: few(usage.restarts, ({ of, count, relists, why }) => {
        const ended = count === 0 ? [] : [`${pluralize(count, "watch", "watches")} ended within a minute (${why})`];
        const listed = relists === 0 ? [] : [`listed again ${relists === 1 ? "once" : `${relists} times`}`];
        return `${of.kind}: ${[...ended, ...listed].join(", ")}`;
      }),
    },
    {
      title: "watches open at once",
      items: few(
        usage.manyWatches,
        ({ agent, of, most }) =>
          `${of.kind}: up to ${most.toLocaleString("en")} by ${agentName(agent)}; one for each kind, or for each namespace, is usual`,
      ),
    },
    {
      title: "reads that a watch would save",
      items: few(
        usage.polls,
        ({ verb, uri, count, everyMs, unchanged }) =>
          `${verb.toUpperCase()} ${uri}: ${pluralize(count, "time")}, every ${formatDuration(everyMs)}; ${pluralize(unchanged, "time")} nothing had changed`,
      ),
    },
    {
      title: "large lists",
      items: few(usage.largeLists, ({ resource, count, objects, fromEtcd, unpaged }) => {
        const why = [
          ...(fromEtcd ? ["read from etcd (no resourceVersion)"] : []),
          ...(unpaged ? ["in one piece (no limit)"] : []),
        ];
        return `${resource}: up to ${pluralize(objects, "object")}${times(count)}, ${why.join(", ")}`;
      }),
    },
    {
      title: "leader election",
      items: usage.elections.map(
        ({ key, reads, writes }) => `Lease ${key}: ${pluralize(reads, "read")}, ${pluralize(writes, "write")}`,
      ),
    },
    {
      title: "not read",
      items:
        usage.unreadBytes === 0
          ? []
          : [`${usage.unreadBytes} bytes passed too fast to be parsed, and are not counted here`],
    },
  ];
  return all.filter(({ items }) => items.length > 0);
}

function few<T>(all: readonly T[], text: (one: T) => string): readonly string[] {
  const left = all.length - shownEach;
  return [...all.slice(0, shownEach).map(text), ...(left > 0 ? [`and ${left} more`] : [])];
}

function times(count: number): string {
  return count === 1 ? "" : `, ${count} times`;
}

function whereOf({ namespace }: Refused): string {
  return namespace === "" ? " in all namespaces" : ` in namespace ${namespace}`;
}

function kindText(of: KindName, subresource: string | undefined): string {
  return `${of.kind}${subresource === undefined ? "" : `/${subresource}`}`;
}

function tableOf({ verbs }: ProcessUsage, columns = Infinity): readonly string[] {
  if (verbs.length === 0) return [];
  const rows = verbs
    .slice(0, shownVerbs)
    .map(({ verb, resource, requests, failed, slowestMs }) => [
      verb.toUpperCase(),
      shorten(resource, Math.max(minResourceWidth, columns - otherColumns)),
      String(requests),
      failed === 0 ? "" : String(failed),
      slowestMs === 0 ? "" : formatDuration(slowestMs),
    ]);
  const left = verbs.length - shownVerbs;
  return [
    ...plainTable(["VERB", "RESOURCE", "REQUESTS", "FAILED", "SLOWEST"], rows).split("\n"),
    ...(left > 0 ? [`and ${left} more`] : []),
  ];
}
