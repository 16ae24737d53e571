/** Responses that do not depend on timing: a case whose responses differ is repeated. */
import type { Transport } from "../../src/api/transport.ts";
import type { Case, Result } from "./case.ts";
import { runCase, type Pauses } from "./run.ts";

/** A case, the server to run it against, and the expected results. */
export interface CaseRun {
  readonly transport: Transport;
  readonly contractCase: Case;
  readonly namespace: string;
  readonly expected: readonly Result[];
  /** One for each attempt. */
  readonly pauses: readonly Pauses[];
}

/**
 * Returns the server's responses. If they differ from the expected ones, a cache of the real server may have been outdated, or a second may
 * have ended between two requests: the case is run again, in another namespace. If they differ every time, timing is not the cause, and the
 * first responses are returned.
 */
export async function settledResults({
  transport,
  contractCase,
  namespace,
  expected,
  pauses,
}: CaseRun): Promise<Result[]> {
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
