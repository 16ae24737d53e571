/**
 * Annotations of pods that determine the behaviour of simulated containers; documented in docs/sandbox-annotations.md.
 * With a container name after a dot (`…/run-for.web`), an annotation applies to that container only.
 */
import { messageOf } from "../../api/error-message.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Container, Pod } from "../../api/types.ts";

const prefix = "sandbox.kubectl-reconcile.io/";

/** On a Node: this kubelet runs its pods. The value is `simulated`. */
export const nodeAnnotation: string = `${prefix}node`;
/** On a Node, `true`: its kubelet stops reporting. */
export const silentAnnotation: string = `${prefix}silent`;
/** kwok's annotation for its nodes, also supported. */
export const kwokAnnotation = "kwok.x-k8s.io/node";

/** How a container terminates on its own. */
export interface Ending {
  readonly afterMs: number;
  readonly exitCode: number;
}

/** One container's behaviour. Times are counted from its start, unless documented otherwise. */
export interface Behaviour {
  /** From the time at which it may start until it runs. */
  readonly startAfterMs: number;
  /** Its image can never be pulled. */
  readonly pullFails: boolean;
  /** How run n (from 0) terminates; undefined if it keeps running. */
  readonly ending: (run: number) => Ending | undefined;
  /** When its startup probe succeeds; at once without one. */
  readonly startedAfterMs: number;
  readonly readyAfterMs: number;
  /** When its readiness probe starts to fail; undefined if it stays ready. */
  readonly unreadyAfterMs: number | undefined;
  /** When the kubelet kills it for a failed startup or liveness probe. */
  readonly killed: { readonly afterMs: number; readonly probe: "Startup" | "Liveness" } | undefined;
  /** From the stop signal until it has stopped. */
  readonly stopAfterMs: number;
}

const defaults = { startAfterMs: 200, stopAfterMs: 100, runForMs: 1000, initRunForMs: 200 } as const;
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500ms`, `2s`, `1m30s`. @throws RangeError */
function readDuration(text: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) throw new RangeError("a duration such as 500ms, 2s or 1m30s");
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    ms += Number(number) * (units[unit ?? ""] ?? 0);
  }
  return ms;
}

function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError("a whole number");
  return Number(text);
}

function readFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new RangeError("true or false");
  return text === "true";
}

const readers = {
  "start-after": readDuration,
  "pull-fails": readFlag,
  "run-for": readDuration,
  "exit-code": readCount,
  crashes: readCount,
  "ready-after": readDuration,
  "readiness-fails-after": readDuration,
  "liveness-fails-after": readDuration,
  "startup-fails": readFlag,
  "stop-after": readDuration,
  // The API server uses it to serve `pods/log`.
  logs: (text: string): string => text,
} as const;

type Name = keyof typeof readers;

/** Invalid annotations of the pod, one line each. */
export function annotationProblems(pod: Pod): string[] {
  const problems: string[] = [];
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  for (const [key, text] of Object.entries(pod.metadata.annotations ?? {})) {
    if (!key.startsWith(prefix)) continue;
    const [name = "", ...rest] = key.slice(prefix.length).split(".");
    const container = rest.join(".");
    if (!Object.hasOwn(readers, name)) problems.push(`${key} is not known`);
    else if (container !== "" && !containers.includes(container)) problems.push(`${key}: no container ${container}`);
    else {
      try {
        readers[name as Name](text);
      } catch (error) {
        problems.push(`${key}: ${JSON.stringify(text)} should be ${messageOf(error)}`);
      }
    }
  }
  return problems;
}

/** The value for one container; undefined if absent or invalid. */
function valueOf<N extends Name>(pod: Pod, container: string, name: N): ReturnType<(typeof readers)[N]> | undefined {
  const { annotations } = pod.metadata;
  // The common case of a hot path: called for every container and setting in every sync.
  if (annotations === undefined) return undefined;
  const text = annotations[`${prefix}${name}.${container}`] ?? annotations[`${prefix}${name}`];
  if (text === undefined) return undefined;
  try {
    // The reader belongs to `name`.
    return readers[name](text) as ReturnType<(typeof readers)[N]>;
  } catch {
    return undefined;
  }
}

/** A container's behaviour, from its pod's annotations, its probes, and its role. */
export function behaviourOf(pod: Pod, container: Container, role: "init" | "sidecar" | "main"): Behaviour {
  const value = <N extends Name>(name: N): ReturnType<(typeof readers)[N]> | undefined =>
    valueOf(pod, container.name, name);
  const probes = probeTimes(container, {
    readinessFails: value("readiness-fails-after"),
    livenessFails: value("liveness-fails-after"),
    startupFails: value("startup-fails") ?? false,
  });
  const readyAfterMs = value("ready-after");
  return {
    ...probes,
    ...(readyAfterMs !== undefined && { readyAfterMs }),
    startAfterMs: value("start-after") ?? defaults.startAfterMs,
    pullFails: value("pull-fails") ?? false,
    stopAfterMs: value("stop-after") ?? defaults.stopAfterMs,
    ending: endingOf(role, controllerOf(pod)?.kind === "Job", {
      runForMs: value("run-for"),
      exitCode: value("exit-code"),
      crashes: value("crashes"),
    }),
  };
}

interface EndingValues {
  readonly runForMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly crashes: number | undefined;
}

/** Init containers and containers of Jobs terminate on their own; others run until they are stopped. */
function endingOf(
  role: "init" | "sidecar" | "main",
  ofJob: boolean,
  { runForMs, exitCode, crashes }: EndingValues,
): Behaviour["ending"] {
  const own = role === "init" ? { afterMs: defaults.initRunForMs, exitCode: 0 } : undefined;
  const completes = ofJob && role === "main" ? { afterMs: defaults.runForMs, exitCode: 0 } : undefined;
  return (run) => {
    if (crashes !== undefined) {
      if (run >= crashes) return own ?? completes;
      return { afterMs: runForMs ?? defaults.runForMs, exitCode: exitCode ?? 1 };
    }
    if (runForMs === undefined && exitCode === undefined) return own ?? completes;
    return { afterMs: runForMs ?? own?.afterMs ?? defaults.runForMs, exitCode: exitCode ?? 0 };
  };
}

interface ProbeValues {
  readonly readinessFails: number | undefined;
  readonly livenessFails: number | undefined;
  readonly startupFails: boolean;
}

type ProbeTimes = Pick<Behaviour, "startedAfterMs" | "readyAfterMs" | "unreadyAfterMs" | "killed">;

/** A probe runs for the first time after its initial delay; its result takes effect after `threshold` consecutive runs. */
function probeTimes(container: Container, { readinessFails, livenessFails, startupFails }: ProbeValues): ProbeTimes {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const delayMs = (probe: typeof startupProbe): number => (probe?.initialDelaySeconds ?? 0) * 1000;
  const moreTriesMs = (probe: typeof startupProbe, threshold: number | undefined): number =>
    probe === undefined ? 0 : ((threshold ?? 1) - 1) * (probe.periodSeconds ?? 10) * 1000;
  const startedAfterMs = delayMs(startupProbe);
  const readyAfterMs =
    Math.max(startedAfterMs, delayMs(readinessProbe)) + moreTriesMs(readinessProbe, readinessProbe?.successThreshold);
  const unreadyAfterMs =
    readinessFails === undefined
      ? undefined
      : readinessFails + moreTriesMs(readinessProbe, readinessProbe?.failureThreshold ?? 3);
  const times = { startedAfterMs, readyAfterMs, unreadyAfterMs };
  if (startupFails && startupProbe !== undefined) {
    const afterMs = startedAfterMs + moreTriesMs(startupProbe, startupProbe.failureThreshold ?? 3);
    // It is never started or ready.
    return {
      startedAfterMs: Infinity,
      readyAfterMs: Infinity,
      unreadyAfterMs: undefined,
      killed: { afterMs, probe: "Startup" },
    };
  }
  if (livenessFails === undefined || livenessProbe === undefined) return { ...times, killed: undefined };
  const from = Math.max(livenessFails, startedAfterMs, delayMs(livenessProbe));
  const afterMs = from + moreTriesMs(livenessProbe, livenessProbe.failureThreshold ?? 3);
  return { ...times, killed: { afterMs, probe: "Liveness" } };
}
