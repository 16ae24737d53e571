/** Runs a dry run and prints its report. */
import { withRefusals } from "../../../src/modes/dry-run/availability.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { realHost } from "../../../src/platform/host.ts";
import { type Validation, validateOnServer } from "../../../src/modes/dry-run/server-validate.ts";
import { dryRun } from "../../../src/modes/dry-run/dry-run.ts";
import type { LiveRefusals } from "../../../src/modes/dry-run/live-refusals.ts";
import type { PlayOptions } from "../../../src/modes/dry-run/play.ts";
import type { Reconcilers } from "../../../src/modes/dry-run/reconciled-kinds.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import type { Io } from "../../cli/io.ts";
import type { Session } from "../../cli/session.ts";
import { accessWords } from "../../cli/advice.ts";
import { pluralize, wrapHanging } from "../../cli/style.ts";
import { readKustomization, readManifests } from "../../manifests/manifests.ts";
import type { DryRunFlags, DryRunRequest } from "./flags.ts";
import { rehearse } from "./program.ts";
import { programSource } from "./program-source.ts";
import { printReport } from "./report/print.ts";
import type { DryRunReport } from "./report/report.ts";
import { exitCodeOf } from "./report/verdict.ts";
import { harmless } from "./report/workflow-commands.ts";
import {
  type ChangeFlags,
  refuseGeneratedNames,
  refuseRejectedChanges,
  requestedChanges,
} from "./requested-changes.ts";
import { type DryRunSource, sourceFor, type SourceOptions } from "./source.ts";

/** Runs it and prints the report. @returns the exit code. @throws UserError, KubeconfigError. */
export async function runDryRun(request: DryRunRequest, session: Session): Promise<number> {
  const { flags, controllers, named, failOn, output } = request;
  const { io } = session;
  const notes: string[] = [];
  const changeFlags = await readChangeFlags(flags, io, (note) => notes.push(note));
  refuseGeneratedNames(changeFlags);
  const began = await begin({ request, session, options: { controllers, named, changeFlags } });
  const { source } = began;
  try {
    const line = `source  ${source.words}`;
    for (const text of wrapHanging(output === "github" ? harmless(line) : line, io.err.columns)) io.err.line(text);
    const { changes, baseline, notes: changeNotes } = requestedChanges(changeFlags, source);
    const shown = {
      managedFields: flags.showManagedFields === true,
      ids: flags.showIds === true,
      times: flags.showTimes === true,
    };
    const asItIs = flags.from === "cluster" && request.program === undefined && changes.length + baseline.length === 0;
    if (asItIs) notes.push("nothing is applied: any changes are drift, which the cluster would make by itself");
    const played = await began.play({ baseline, requestedChanges: changes, asItIs, shown, fold: flags.fold !== false });
    refuseRejectedChanges(played.run.refused, changeFlags);
    const validations = await played.validate();
    const availability = withRefusals(played.run.availability, played.run.state, validations);
    const run = { ...played.run, availability };
    const verdicts = verdictsOf({ ...played, ...run, changes: run.groups.flatMap((group) => group.changes) });
    const never = flags.exitCode === "never";
    const exitCode = exitCodeOf(run, verdicts, { failOn, never, hasBaseline: source.hasBaseline });
    const report: DryRunReport = {
      source: source.words,
      run,
      clock: request.program === undefined ? "simulated" : "real",
      notes: [...notes, ...source.notes, ...changeNotes, ...crowdedNotes(run, source)],
      validations,
      manifests: changeFlags.manifests,
      shown,
      steps: flags.steps === true,
      showGenerated: flags.showGenerated === true,
      verdicts,
      failOn,
      exitCode,
      access: accessWords(flags),
    };
    await printReport(report, output, io);
    return exitCode;
  } finally {
    await source.close();
  }
}

/** The result of the run, with the reconcilers that took part. */
interface PlayedDryRun extends Reconcilers {
  readonly run: DryRun;
  readonly liveRefusals: LiveRefusals;
  /** Validates on the server with `--server-validate`; otherwise returns nothing. */
  validate(): Promise<readonly Validation[]>;
}

/** The start state of a dry run, and how to continue from it. */
interface StartedDryRun {
  readonly source: Omit<DryRunSource, "beginning">;
  play(playOptions: Omit<PlayOptions, "scope" | "controllers">): Promise<PlayedDryRun>;
}

interface Beginning {
  readonly request: DryRunRequest;
  readonly session: Session;
  readonly options: SourceOptions;
}

async function begin({ request: { flags, program }, session, options }: Beginning): Promise<StartedDryRun> {
  if (program !== undefined) {
    const source = await programSource({ flags, io: session.io, ...options });
    return {
      source,
      play: async (playOptions) => ({
        ...(await rehearse({ program, source, flags, session }, playOptions)),
        liveRefusals: new Map(),
        validate: () => Promise.resolve([]),
      }),
    };
  }
  const source = await sourceFor(flags, options, session.io);
  const { beginning, controllers } = source;
  return {
    source,
    async play(playOptions) {
      const run = await dryRun({
        ...playOptions,
        initialState: beginning,
        controllers,
        seed: flags.seed ?? 1,
        ...(flags.horizon !== undefined && { horizonMs: flags.horizon }),
        keepWrites: flags.serverValidate === true,
      });
      return { run, controllers, liveRefusals: beginning.liveRefusals, validate: () => validationsOf(run, source) };
    },
  };
}

async function readChangeFlags(flags: DryRunFlags, io: Io, onNote: (text: string) => void): Promise<ChangeFlags> {
  const { manifests = [], kustomize = [], baseline = [], delete: deletes = [], scale: scales = [] } = flags;
  const { nodeDown: nodesDown = [], drain: drains = [] } = flags;
  const reading = { io, recursive: flags.recursive === true, onNote, mayBeEmpty: flags.prune === true };
  const read = [];
  if (manifests.length > 0) read.push(...(await readManifests(manifests, reading)));
  for (const folder of kustomize) read.push(...(await readKustomization(folder, realHost())));
  return {
    manifests: read,
    baseline: baseline.length === 0 ? [] : await readManifests(baseline, { ...reading, option: "--baseline" }),
    deletes,
    scales,
    nodesDown,
    drains,
    prune: flags.prune === true,
  };
}

/** Notes about default nodes that are too small, which is not a problem of the manifests. */
function crowdedNotes(
  { availability }: DryRun,
  { assumedNodes }: Pick<DryRunSource, "assumedNodes">,
): readonly string[] {
  const isCrowded = availability.some(({ why = "" }) => /Too many pods|Insufficient /.test(why));
  if (assumedNodes === undefined || !isCrowded) return [];
  const nodes = pluralize(assumedNodes, "node");
  return [
    `the empty cluster has ${nodes} of 8 CPUs, 16 GiB and room for 110 pods each: --nodes gives it another number`,
  ];
}

/** The server's validations with `--server-validate`; otherwise none. */
function validationsOf(run: DryRun, { transport, beginning }: DryRunSource): Promise<readonly Validation[]> {
  if (transport === undefined || run.writes.length === 0) return Promise.resolve([]);
  const objects = [...beginning.objects, ...beginning.customResources.objects];
  const there = new Set(objects.map(({ metadata }) => metadata.uid));
  return validateOnServer(transport, run.writes, (uid) => there.has(uid));
}
