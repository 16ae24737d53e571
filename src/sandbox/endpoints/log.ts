/**
 * Container logs: here, the content of pod annotations (docs/sandbox-annotations.md). A container prints all of it at each start, and later
 * additions to the annotation when they are made.
 * Source: kubernetes v1.36 pkg/registry/core/pod/strategy.go LogLocation, pkg/kubelet/kubelet_pods.go validateContainerLogStatus.
 */
import { type ApiBody, wholeBody } from "../../api/transport.ts";
import { formatTime, readTime } from "../../api/time.ts";
import type { RequestScope } from "../context/server.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import { simulationPrefix } from "../meta/simulation.ts";
import { badRequest, notFound } from "../meta/refusal.ts";
import { type LogOptions, logOptionsOf } from "../options/log-options.ts";
import { bytesOf } from "../serialization/encoding.ts";
import type { Collection } from "../storage/collection.ts";
import type { Change } from "../storage/watch-cache.ts";
import { containerOf } from "./container.ts";

/** With `.NAME`, for only the container of that name. */
const annotation = `${simulationPrefix}logs`;

/** The requested log; undefined for a pod without a node. @throws StatusError. */
export function podLog(scope: RequestScope, actor: string): ApiBody | undefined {
  const { collection, namespace, name, server } = scope;
  const options = logOptionsOf(scope.query, name);
  const pod = collection.get(namespace, name)?.object;
  if (pod === undefined) throw notFound(scope.resource.asResource, name);
  const container = containerOf(pod, options.container);
  if (textOf(pod.spec?.["nodeName"]) === "") return undefined;
  const run = runOf(pod, { container, previous: options.previous });
  const printed = printedBy(pod, container);
  if (printed === undefined)
    throw badRequest(
      `no container runs in this sandbox: what ${container} prints is set by the pod's annotation ${annotation}`,
    );
  const since = options.sinceTime ?? sinceOf(options, server.timeline.now());
  const isSeen = run.startedAt === undefined || since === undefined || run.startedAt >= since;
  const lines = new LogLines(options, run.startedAt);
  const first = isSeen ? lines.first(printed) : "";
  if (!options.follow || options.previous || run.hasEnded) return wholeBody(bytesOf(first));
  return new FollowedLog(scope, { actor, container, run, lines, printed, first });
}

const sinceOf = ({ sinceSeconds }: LogOptions, now: number): number | undefined =>
  sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000;

/** The log text of a container from annotations; undefined if there is none. */
function printedBy({ metadata: { annotations = {} } }: ApiObject, container: string): string | undefined {
  return annotations[`${annotation}.${container}`] ?? annotations[annotation];
}

/** One run of a container. */
interface Run {
  /** In ms since 1970. */
  readonly startedAt: number | undefined;
  readonly hasEnded: boolean;
}

interface WhichRun {
  readonly container: string;
  readonly previous: boolean;
}

/** The run whose log is shown: the previous one, or the last one started. @throws StatusError 400 if there is none, as a kubelet does. */
function runOf({ metadata, status }: ApiObject, { container, previous }: WhichRun): Run {
  const named = `container ${JSON.stringify(container)} in pod ${JSON.stringify(metadata.name)}`;
  const lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
  const own = lists.flatMap((key) => fieldsIn(status?.[key])).find(({ name }) => name === container);
  if (own === undefined) throw badRequest(`${named} is not available`);
  const last = at(own, "lastState", "terminated");
  if (previous) {
    if (last !== undefined) return ended(last);
    throw badRequest(`previous terminated ${named} not found`);
  }
  const running = at(own, "state", "running");
  if (running !== undefined) return { startedAt: readTime(textOf(at(running, "startedAt"))), hasEnded: false };
  const terminated = at(own, "state", "terminated") ?? last;
  if (terminated !== undefined) return ended(terminated);
  const waiting = at(own, "state", "waiting");
  const reason = textOf(at(waiting, "reason"));
  const why = waiting === undefined ? " - no logs yet" : `: ${reasons[reason] ?? reason}`;
  throw badRequest(`${named} is waiting to start${why}`);
}

const ended = (terminated: unknown): Run => ({
  startedAt: readTime(textOf(at(terminated, "startedAt"))),
  hasEnded: true,
});

const reasons: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image",
};

/** Formats lines according to the options, up to the limit. */
class LogLines {
  readonly #options: LogOptions;
  readonly #stamp: string;
  #bytesLeft: number;

  constructor(options: LogOptions, startedAt: number | undefined) {
    this.#options = options;
    this.#stamp = options.timestamps ? `${formatTime(startedAt ?? 0).replace(/Z$/, ".000000000Z")} ` : "";
    this.#bytesLeft = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The text printed so far. */
  first(printed: string): string {
    const lines = linesOf(printed);
    const { tailLines = lines.length } = this.#options;
    return this.#limited(lines.slice(Math.max(0, lines.length - tailLines)));
  }

  /** Additional text. */
  more(printed: string): string {
    return this.#limited(linesOf(printed));
  }

  #limited(lines: readonly string[]): string {
    const bytes = bytesOf(lines.map((line) => `${this.#stamp}${line}\n`).join(""));
    const kept = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= kept.length;
    return new TextDecoder().decode(kept);
  }
}

/** A trailing line break belongs to the last line. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

interface Followed {
  readonly actor: string;
  readonly container: string;
  readonly run: Run;
  readonly lines: LogLines;
  /** The annotation text whose lines were already sent, or are to be skipped. */
  readonly printed: string;
  readonly first: string;
}

/** The log of a running container: it continues until the container terminates, the pod is deleted, or the server stops. */
class FollowedLog implements ApiBody {
  readonly collection: Collection;
  readonly #scope: RequestScope;
  readonly #followed: Followed;
  #printed: string;
  #waiting: string;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(scope: RequestScope, followed: Followed) {
    this.collection = scope.collection;
    this.#scope = scope;
    this.#followed = followed;
    this.#printed = followed.printed;
    this.#waiting = followed.first;
    scope.collection.listeners.add(this.#listener);
    scope.server.watches.add(this);
  }

  async next(): Promise<Uint8Array | undefined> {
    while (this.#waiting === "") {
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const piece = bytesOf(this.#waiting);
    this.#waiting = "";
    await this.#scope.server.timeline.hop(this.#followed.actor);
    return piece;
  }

  cancel(): void {
    this.#waiting = "";
    this.end();
  }

  /** Ends the log after pending text is sent. */
  end(): void {
    this.#isOver = true;
    this.collection.listeners.delete(this.#listener);
    this.#scope.server.watches.delete(this);
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  readonly #listener = ({ type, entry }: Change): void => {
    const { namespace, name } = this.#scope;
    if (entry.namespace !== namespace || entry.name !== name) return;
    const { container, run, lines } = this.#followed;
    const printed = printedBy(entry.object, container) ?? "";
    if (printed.startsWith(this.#printed)) this.#waiting += lines.more(printed.slice(this.#printed.length));
    this.#printed = printed;
    if (type === "DELETED" || !isStill(run, { pod: entry.object, container })) this.end();
    else if (this.#waiting !== "") this.#wakeReader();
  };
}

/** True while a run of a container continues. */
function isStill(
  { startedAt }: Run,
  { pod, container }: { readonly pod: ApiObject; readonly container: string },
): boolean {
  try {
    const now = runOf(pod, { container, previous: false });
    return !now.hasEnded && now.startedAt === startedAt;
  } catch {
    // Its status is missing, or it waits to start.
    return false;
  }
}
