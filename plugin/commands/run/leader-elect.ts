/** `run --leader-elect`: one of several copies works, the others wait. */
import { formatDuration } from "../../../src/api/duration.ts";
import { defaultTiming, type ElectionTiming, jitter } from "../../../src/controller/runtime/election.ts";
import { duration, flag, type OptionsFor, text } from "../../cli/command.ts";
import { UserError } from "../../cli/user-error.ts";

/** The options, with kube-controller-manager's names. Durations in ms. */
export interface LeaderElectFlags {
  readonly leaderElect?: true;
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  readonly leaderElectResourceName?: string;
  readonly leaderElectResourceNamespace?: string;
}

/** The options of `run` for leader election. */
export const leaderElectOptions: OptionsFor<LeaderElectFlags> = {
  leaderElect: flag("--leader-elect", "wait until no other copy leads, by a Lease, as in client-go's leader election"),
  leaderElectLeaseDuration: duration(
    "--leader-elect-lease-duration <duration>",
    "another copy takes over after this long without a renewal",
    { default: formatDuration(defaultTiming.leaseDurationMs) },
  ),
  leaderElectRenewDeadline: duration(
    "--leader-elect-renew-deadline <duration>",
    "the leader stops after this long without a renewal",
    { default: formatDuration(defaultTiming.renewDeadlineMs) },
  ),
  leaderElectRetryPeriod: duration("--leader-elect-retry-period <duration>", "between two tries to renew or to lead", {
    default: formatDuration(defaultTiming.retryPeriodMs),
  }),
  leaderElectResourceName: text("--leader-elect-resource-name <name>", "the Lease", {
    default: "kubectl-reconcile-leader-CONTROLLERS",
  }),
  leaderElectResourceNamespace: text("--leader-elect-resource-namespace <name>", "where the Lease is", {
    default: "-n; kube-system with -A",
  }),
};

/** The configuration of leader election. */
export interface LeaderElect extends ElectionTiming {
  /** The name of the Lease; undefined for the default. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

/** The configuration; undefined without leader election. @throws UserError for inconsistent durations, and for options without `--leader-elect`. */
export function leaderElectOf(flags: LeaderElectFlags): LeaderElect | undefined {
  const { leaderElect, ...rest } = flags;
  if (leaderElect !== true) {
    const given = Object.entries(leaderElectOptions).find(([name]) => name in rest);
    if (given === undefined) return undefined;
    throw new UserError(`${/--[\w-]+/.exec(given[1].flags)?.[0]} has no effect without --leader-elect`, ["add it"]);
  }
  const {
    leaderElectLeaseDuration: leaseDurationMs = defaultTiming.leaseDurationMs,
    leaderElectRenewDeadline: renewDeadlineMs = defaultTiming.renewDeadlineMs,
    leaderElectRetryPeriod: retryPeriodMs = defaultTiming.retryPeriodMs,
  } = rest;
  if (leaseDurationMs < 1000 || leaseDurationMs % 1000 !== 0)
    throw new UserError(
      `--leader-elect-lease-duration ${formatDuration(leaseDurationMs)} is not a whole number of seconds`,
      ["a Lease counts seconds"],
    );
  if (leaseDurationMs <= renewDeadlineMs)
    throw new UserError("--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline", [
      `they are ${formatDuration(leaseDurationMs)} and ${formatDuration(renewDeadlineMs)}: two could lead at once`,
    ]);
  if (retryPeriodMs <= 0 || renewDeadlineMs <= jitter * retryPeriodMs)
    throw new UserError("--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period", [
      `they are ${formatDuration(renewDeadlineMs)} and ${formatDuration(retryPeriodMs)}: a leader would have one try`,
    ]);
  const { leaderElectResourceName: name, leaderElectResourceNamespace: namespace } = rest;
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs, name, namespace };
}
