/**
 * Which pods an autoscaler's target has, and whether another autoscaler targets them too.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go validateAndParseSelector, hpasControllingPodsUnderSelector.
 */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { matches, type Selector } from "../../api/labels.ts";
import { parseSelector, SelectorError } from "../../api/selector-parser.ts";
import type { Pod } from "../../api/types.ts";
import type { EventToRecord } from "../../controller/api/sync-context.ts";
import { type AutoscalerSync, setCondition, warn } from "./draft.ts";
import { memory } from "./memory.ts";
import { unusableSelector } from "./rules.ts";

/** The pods of a target. */
export interface TargetPods {
  readonly selector: Selector;
  /** The pods in the cache now: each metric is compared with those of the time after it was measured, as upstream. */
  readonly pods: () => readonly Pod[];
}

/** @throws Error for a target without a selector, or with pods that other autoscalers scale too; the condition ScalingActive reports it. */
export function podsOf(sync: AutoscalerSync, text: string): TargetPods {
  const { context, key, hpa } = sync;
  const unusable = (
    event: Omit<EventToRecord, "type">,
    condition: Partial<Omit<EventToRecord, "type">> = {},
  ): Error => {
    context.decide(unusableSelector, { problem: event.message });
    warn(sync, event);
    setCondition(sync, { type: "ScalingActive", status: "False", ...event, ...condition });
    return new Error(event.message);
  };
  if (text === "")
    throw unusable(
      { reason: "SelectorRequired", message: "selector is required" },
      { reason: "InvalidSelector", message: "the HPA target's scale is missing a selector" },
    );
  let selector: Selector;
  try {
    selector = parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const message = `couldn't convert selector into a corresponding internal selector object: ${error.problem}`;
    throw unusable({ reason: "InvalidSelector", message });
  }
  const { selectors } = context.state(memory);
  // An autoscaler deleted meanwhile is no longer registered.
  if (selectors.has(key)) selectors.set(key, selector);
  const { namespace = "" } = hpa.metadata;
  const pods = (): readonly Pod[] => context.cache(Pods).listSelected(namespace, selector);
  const others = selecting(selectors, { namespace, pods: pods() });
  if (others.length > 1) {
    const names = others.map((name) => `${namespace}/${name}`).join(" ");
    const message = `pods by selector ${text} are controlled by multiple HPAs: [${names}]`;
    throw unusable({ reason: "AmbiguousSelector", message });
  }
  return { selector, pods };
}

/** The names of the autoscalers in the namespace that select at least one of the pods. */
function selecting(
  selectors: ReadonlyMap<string, Selector>,
  { namespace, pods }: { readonly namespace: string; readonly pods: readonly Pod[] },
): readonly string[] {
  const names: string[] = [];
  for (const [key, selector] of selectors) {
    const { namespace: of, name } = splitKey(key);
    if (of === namespace && pods.some(({ metadata }) => matches(selector, metadata.labels))) names.push(name);
  }
  return names.sort();
}

/** Registers an autoscaler; until its first sync it selects no pod. */
export function register(selectors: Map<ObjectKey, Selector>, key: ObjectKey): void {
  if (!selectors.has(key)) selectors.set(key, "nothing");
}
