/**
 * What the controller remembers about each autoscaler while it runs: recommendations and scale events, with times. Lost on restart. Source:
 * kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go HorizontalController.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { Selector } from "../../api/labels.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";

/** A number of replicas that the metrics recommended. */
export interface Recommendation {
  readonly replicas: number;
  /** ms since 1970. */
  readonly at: number;
}

/** A change of the replicas that was made. */
export interface ScaleEvent {
  /** How many were added, or removed. */
  readonly change: number;
  /** The resourceVersion of the scale before the change. */
  readonly basedOn: string;
  /** ms since 1970. */
  readonly at: number;
}

/** The memory of one autoscaler. The next entry overwrites one that is too old, so that no list grows without bound. */
export interface History {
  recommendations: Recommendation[];
  ups: ScaleEvent[];
  downs: ScaleEvent[];
}

/** No recommendation, no change. */
export function noHistory(): History {
  return { recommendations: [], ups: [], downs: [] };
}

/** What is remembered about all autoscalers in a run. */
export interface Memory {
  readonly histories: Map<ObjectKey, History>;
  /** Which pods each autoscaler's target has, as of its last sync; `nothing` before. */
  readonly selectors: Map<ObjectKey, Selector>;
}

/** One for each run. */
export const memory: RunState<Memory> = runState(() => ({ histories: new Map(), selectors: new Map() }));
