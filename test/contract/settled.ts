/** Answers that rest on no moment: a case whose answers differ is asked again. */
import type { Transport } from "../../src/api/transport.ts";
import type { Case, Result } from "./case.ts";
import { runCase, type Pauses } from "./run.ts";

/** A case, and what it is asked of. */
export interface Asked {
  readonly transport: Transport;
  readonly contractCase: Case;
  readonly namespace: string;
  readonly expected: readonly Result[];
  /** For each try. */
  readonly pauses: readonly Pauses[];
}

/**
 * A server's answers. Where they are not the expected ones, a cache of the real server may not have known yet what was written, or a
 * second may have ended between two requests of either: the case is run again, in namespaces of its own. What differs each time is no
 * matter of time: it is as it was at first.
 */
export async function settledAnswers({
  transport,
  contractCase,
  namespace,
  expected,
  pauses,
}: Asked): Promise<Result[]> {
  let first: Result[] | undefined;
  for (const [number, pause] of pauses.entries()) {
    const place = number === 0 ? namespace : `${namespace}-again-${number}`;
    const results = await runCase(transport, contractCase, place, pause);
    const here = JSON.parse(JSON.stringify(results).replaceAll(place, namespace)) as Result[];
    if (Bun.deepEquals(here, expected)) return here;
    first ??= here;
  }
  return first ?? [];
}
