/** Shadow's own verdict, compared with the judge's. */
import type { AgreementEvent } from "../../../src/trace/events.ts";
import { textOf } from "./judge/verdict.ts";
import type { OwnerWrite } from "./judge/round.ts";
import type { Played } from "./played.ts";

/** Writes of the owner that shadow considers the same as ours, but the judge does not. */
export function falselySame({ rounds, scene }: Pick<Played, "rounds" | "scene">): string[] {
  const deltas = new Map(
    scene.events.flatMap((event) => (event.stage === "delta" ? [[event.seq, event] as const] : [])),
  );
  return rounds.flatMap(({ verdict, agreements }) => {
    const same = agreements
      .filter(({ is }) => is === "same")
      .map(({ verb, delta }) => ({ verb, delta: deltas.get(delta ?? 0) }));
    return verdict.differs
      .filter(({ of, write, why }) => {
        // Writes that are judged by count cannot be matched individually.
        if (of !== "owner" || !("given" in write) || why.includes(" by the owner, ")) return false;
        return same.some(({ verb, delta }) => delta !== undefined && verb === write.verb && isOf(write, delta));
      })
      .map(textOf);
  });
}

function isOf(write: OwnerWrite, delta: { readonly key: string; readonly resourceVersion: string }): boolean {
  if (delta.key !== `${write.namespace}/${write.given}`) return false;
  return write.verb === "delete" || delta.resourceVersion === write.responseObject?.metadata.resourceVersion;
}

/** Differences that are shadow's last verdict on an intention: the owner is stopped for longer than shadow waits. */
export function stillDiffering(agreements: readonly AgreementEvent[]): string[] {
  const last = new Map<unknown, AgreementEvent>();
  for (const agreement of agreements) last.set(agreement.intention ?? agreement, agreement);
  return [...last.values()]
    .filter(({ is }) => is === "differs")
    .map(({ controller, key, verb, of, target, why }) => `${controller} ${key}: ${verb} ${of.kind} ${target}: ${why}`);
}
