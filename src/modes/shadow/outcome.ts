/** The outcome of an intention, and the stage events for both. */
import { splitKey } from "../../api/key.ts";
import type { Agreement, AgreementEvent, IntentionEvent } from "../../trace/events.ts";
import type { Act, Observed } from "./acts.ts";
import { type Intention, type KeyOf } from "./intention.ts";
import { isChange, isGenerated, type WouldBeWrite } from "./would-be-write.ts";
import type { Author } from "./owner-acts.ts";

/** How an intention compares with the owner's act. */
export interface Outcome {
  readonly is: Agreement;
  readonly why: string;
  /** The delta that shows the act; absent if none was observed. */
  readonly by?: Observed;
}

/** What was done, in a sentence such as `owner created Pod web-a`. A patch is a write like any other. */
export const pastTenseOf: Readonly<Record<WouldBeWrite["verb"], string>> = {
  create: "created",
  update: "wrote",
  patch: "wrote",
  delete: "deleted",
};

/** A sync intends a write: for the first time, or `again` while the intention stands. */
export function intentionEvent(
  { controller, key, id, write }: Intention,
  { sync, again }: Pick<IntentionEvent, "sync" | "again">,
): IntentionEvent {
  const { verb, target } = write;
  return { stage: "intention", controller, key, sync, intention: id, again, verb, ...objectOf(write), target };
}

/** An intention has its outcome, at `now` in ms since 1970. */
export function outcomeEvent(
  intention: Intention,
  { is, why, by, now }: Outcome & { readonly now: number },
): AgreementEvent {
  const { controller, key, sync, id, write, at, reported } = intention;
  const { verb, target } = write;
  return {
    stage: "agreement",
    controller,
    key,
    is,
    why,
    verb,
    ...objectOf(write),
    target,
    intention: id,
    sync,
    ...(reported !== undefined && { revises: reported }),
    ...(isGenerated(write) && { generatedName: true }),
    ...(by !== undefined && { delta: by.delta, afterMs: now - at }),
  };
}

/** What the owner did without an intention of ours. */
export interface Unintended {
  readonly act: Act;
  readonly observed: Observed;
  readonly is: Agreement;
}

/** The owner did something that no sync of ours intended. */
export function unintendedEvent(name: KeyOf, { act, observed, is }: Unintended): AgreementEvent {
  const { controller, key } = name;
  const { of, key: target, delta } = observed;
  const why = `owner ${pastTenseOf[act]} ${of.kind} ${splitKey(target).name}, which no sync here decided`;
  return { stage: "agreement", controller, key, is, why, verb: act, of, target, delta };
}

function objectOf({ group, kind, subresource }: WouldBeWrite): Pick<AgreementEvent, "of" | "subresource"> {
  return { of: { group, kind }, ...(subresource !== "" && { subresource }) };
}

/** The outcome of a write that was made, with other values at `paths`. */
export function outcomeOf(did: string, paths: readonly string[], author: Author): Outcome {
  if (author.isUser) return { is: "not comparable", why: `${did}, not the owner` };
  if (paths.length === 0) return { is: "same", why: did };
  return { is: "differs", why: `${did} with another ${paths.slice(0, 3).join(", ")}` };
}

/** Why an intention was not fulfilled. If a write was refused to the owner, our status, which assumes that it succeeded, is not comparable. */
export function whyNotDone(write: WouldBeWrite, refusal: string | undefined, anyRefused: boolean): Outcome {
  if (refusal !== undefined) return { is: "owner was refused", why: `owner tried, was refused: ${refusal}` };
  const follows = anyRefused && isChange(write) && write.subresource === "status";
  if (follows) return { is: "not comparable", why: "it follows from a write that the owner was refused" };
  return { is: "differs", why: "owner has not done it" };
}
