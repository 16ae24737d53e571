/** What changed last: a Deployment's pod template, from one ReplicaSet to the next, and its scale. */
import { Deployments } from "../api/kinds.ts";
import { fieldChanges } from "../api/field-changes.ts";
import type { StoredObject } from "../api/object.ts";
import { readTime } from "../api/time.ts";
import type { ReplicaSet } from "../api/types.ts";
import { replicaSetsOf, revisionOf } from "./deployments.ts";
import type { Item } from "./diagnosis.ts";
import { asKind } from "./kinds.ts";
import { eventTime, type Look } from "./look.ts";

/** A recent change of an object. */
export interface Change {
  /** `.spec.template.spec.containers[web].image nginx:1.27 → nginx:1.28 (revision 4)`. */
  readonly text: string;
  /** Its field manager, if managedFields have exactly one of that time. */
  readonly by?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How many changes of a pod template are shown. */
const shown = 3;

/** The latest changes of a Deployment, newest first; none for other kinds. */
export function changesOf(look: Look, item: Item): readonly Change[] {
  const deployment = asKind(item, Deployments);
  if (deployment === undefined) return [];
  const [newest, previous] = replicaSetsOf(look, deployment).objects;
  const rollout = newest === undefined || previous === undefined ? [] : templateChange(item.object, newest, previous);
  const scaled = look.events(item.object).objects.findLast(({ reason }) => reason === "ScalingReplicaSet");
  const scale = scaled === undefined ? [] : [{ text: (scaled.message ?? "").trim(), at: eventTime(scaled) }];
  return [...rollout, ...scale].sort((a, b) => b.at - a.at);
}

function templateChange(object: StoredObject, newest: ReplicaSet, previous: ReplicaSet): readonly Change[] {
  const at = readTime(newest.metadata.creationTimestamp) ?? 0;
  const changes = fieldChanges(previous.spec?.template, newest.spec?.template).filter(
    ({ path }) => !path.endsWith('["pod-template-hash"]') && !path.endsWith(".pod-template-hash"),
  );
  if (changes.length === 0) return [];
  const texts = changes
    .slice(0, shown)
    .map(({ path, before, after }) => `.spec.template${path} ${valueText(before)} → ${valueText(after)}`);
  const more = changes.length > shown ? ` and ${changes.length - shown} more` : "";
  const by = writerAt(object, at);
  return [{ text: `${texts.join(", ")}${more} (revision ${revisionOf(newest)})`, at, ...(by !== undefined && { by }) }];
}

function valueText(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A new ReplicaSet is created within moments of the write; times are whole seconds. */
const momentsMs = 3000;

function writerAt({ metadata }: StoredObject, at: number): string | undefined {
  const writers = (metadata.managedFields ?? []).flatMap(({ manager, subresource, time }) => {
    const written = readTime(time);
    const isThen = written !== undefined && written <= at + 1000 && written >= at - momentsMs;
    return manager !== undefined && subresource === undefined && isThen ? [manager] : [];
  });
  return writers.length === 1 ? writers[0] : undefined;
}
