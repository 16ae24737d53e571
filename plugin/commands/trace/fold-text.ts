/** The text for syncs of a trace that are only counted. */
import type { Folded } from "../../../src/views/block-fold.ts";
import { pluralize } from "../../cli/style.ts";

/** `quiet   replicaset: 23 syncs of 23 keys wrote nothing (--all shows them)`; for a single sync, its decision. */
export function quietText({ counts, only }: Extract<Folded, { readonly is: "quiet" }>): string {
  if (only !== undefined) {
    const { sync, controller, key, decisions } = only;
    const last = decisions.at(-1);
    const why = last === undefined ? "no decision was needed" : `${last.rule}: ${last.sentence}`;
    return `quiet   sync ${sync} · ${controller} ${key} · ${why}`;
  }
  const each = counts.map(({ controller, syncs, keys }) => {
    return `${controller} ${pluralize(syncs, "sync")} of ${pluralize(keys, "key")}`;
  });
  return `quiet   ${each.join(" · ")} wrote nothing (--all shows them)`;
}

/** `        and 311 more like it, 10 a second, each requeued by the one before · deployment shop/crash, up to sync 596`. */
export function alikeText(folded: Extract<Folded, { readonly is: "alike" }>): string {
  const { controller, key, count, perSecond, requeued, last } = folded;
  const rate = perSecond >= 1 ? [`${Math.round(perSecond)} a second`] : [];
  const why = requeued ? ["each requeued by the one before"] : [];
  return `        and ${[`${count} more like it`, ...rate, ...why].join(", ")} · ${controller} ${key}, up to sync ${last.sync}`;
}
