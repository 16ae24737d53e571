/**
 * How far one step may go: the bounds of the spec, and the rate of its policies.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go convertDesiredReplicasWithRules,
 * convertDesiredReplicasWithBehaviorRate, calculateScaleUpLimitWithScalingRules, calculateScaleDownLimitWithBehaviors, storeScaleEvent.
 */
import { int32, most32, wrap32 } from "./go-integers.ts";
import type { History, ScaleEvent } from "./memory.ts";
import type { ScalingRules } from "./spec.ts";

/** The requested replicas, and the bounds of the spec. */
export interface Step {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
}

/** The replicas that are allowed, and the contents of the condition ScalingLimited. */
export interface Limited {
  readonly replicas: number;
  readonly reason: "DesiredWithinRange" | "ScaleUpLimit" | "ScaleDownLimit" | "TooManyReplicas" | "TooFewReplicas";
  readonly message: string;
}

const messages: Readonly<Record<Limited["reason"], string>> = {
  DesiredWithinRange: "the desired count is within the acceptable range",
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
};

function limited(replicas: number, reason: Limited["reason"]): Limited {
  return { replicas, reason, message: messages[reason] };
}

/** Without behavior: at most twice the replicas at a time, but always up to 4. */
export function limitPlainly({ current, desired, min, max }: Step): Limited {
  const most = int32(Math.max(2 * current, 4));
  if (desired < min) return limited(min, "TooFewReplicas");
  if (max > most) return desired > most ? limited(most, "ScaleUpLimit") : limited(desired, "DesiredWithinRange");
  return desired > max ? limited(max, "TooManyReplicas") : limited(desired, "DesiredWithinRange");
}

/** The rules of `spec.behavior`, and recent changes. */
export interface Rates {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
  readonly history: Pick<History, "ups" | "downs">;
  /** ms since 1970. */
  readonly now: number;
}

/** With behavior: as far as its policies allow within their periods. */
export function limitByRate({ current, desired, min, max }: Step, rates: Rates): Limited {
  if (desired > current) {
    const most = Math.max(current, scaleUpLimit(current, rates));
    const [allowed, reason] = max > most ? [most, "ScaleUpLimit" as const] : [max, "TooManyReplicas" as const];
    if (desired > allowed) return limited(allowed, reason);
  } else if (desired < current) {
    const least = Math.min(current, scaleDownLimit(current, rates));
    const [allowed, reason] = min < least ? [least, "ScaleDownLimit" as const] : [min, "TooFewReplicas" as const];
    if (desired < allowed) return limited(allowed, reason);
  }
  return limited(desired, "DesiredWithinRange");
}

/** The replicas at the start of a period, undoing this controller's changes since. */
function startOfPeriod(
  { current, periodSeconds }: { readonly current: number; readonly periodSeconds: number },
  { history, now }: Rates,
): number {
  const cutoff = now - periodSeconds * 1000;
  const changes = (events: readonly ScaleEvent[]): number =>
    events.reduce((sum, { change, at }) => (at > cutoff ? wrap32(sum + change) : sum), 0);
  return wrap32(current - changes(history.ups) + changes(history.downs));
}

function scaleUpLimit(current: number, rates: Rates): number {
  const { selectPolicy, policies = [] } = rates.up;
  if (selectPolicy === "Disabled") return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod({ current, periodSeconds }, rates);
    // Rounded up: otherwise a percentage of few pods would never add one.
    return type === "Pods" ? wrap32(start + value) : int32(Math.ceil(start * (1 + value / 100)));
  });
  return selectPolicy === "Min" ? Math.min(most32, ...limits) : Math.max(-(2 ** 31), ...limits);
}

function scaleDownLimit(current: number, rates: Rates): number {
  const { selectPolicy, policies = [] } = rates.down;
  if (selectPolicy === "Disabled") return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod({ current, periodSeconds }, rates);
    return type === "Pods" ? wrap32(start - value) : int32(start * (1 - value / 100));
  });
  return selectPolicy === "Min" ? Math.max(-(2 ** 31), ...limits) : Math.min(most32, ...limits);
}

/** A change of replicas that was made, and the rules behind it. */
export interface Change extends Pick<Rates, "up" | "down"> {
  readonly from: number;
  readonly to: number;
  /** The resourceVersion of the scale that was changed. */
  readonly basedOn: string;
  /** ms since 1970. */
  readonly at: number;
}

/**
 * Remembers a change for as long as the longest period of the policies that count it. Two changes of one version of the scale are one: as a
 * shadow it intends the same change in each sync until its owner makes it.
 */
export function rememberChange(history: History, { from, to, basedOn, at, up, down }: Change): void {
  const isUp = to > from;
  const events = isUp ? history.ups : history.downs;
  const longest = Math.max(0, ...((isUp ? up : down).policies ?? []).map(({ periodSeconds }) => periodSeconds));
  const cutoff = at - longest * 1000;
  const event = { change: Math.abs(to - from), basedOn, at };
  const same = basedOn === "" ? -1 : events.findIndex((each) => each.basedOn === basedOn);
  const replaced = same < 0 ? events.findLastIndex((each) => each.at < cutoff) : same;
  if (replaced < 0) events.push(event);
  else events[replaced] = event;
}
