import { giveUp, untilQuiet } from "../quiet.ts";
import { isForbidden, isNotFound } from "../../src/api/status-error.ts";
import { createClient } from "../../src/client/client.ts";
import { discover } from "../../src/client/discovery.ts";
import { readOnly } from "../../src/client/read-only.ts";
import type { ControllerManager } from "../../src/controller/controller-manager.ts";
import { acting } from "../../src/controllers/index.ts";
import { readSnapshot } from "../../src/modes/why.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { answerFor } from "../../src/views/waiting.ts";
import { namespaceCandidates } from "../cluster-candidates.ts";
import { choice, type Command, command, duration, flag, type Given, text, texts } from "../command.ts";
import { type Connected, connectAs } from "../connection.ts";
import type { Globals } from "../globals.ts";
import type { Io } from "../io.ts";
import { kindNamed, typesAndNames } from "../object-names.ts";
import { answerLines } from "../render/answer-text.ts";
import { styleOf } from "../render/style.ts";
import { connectToSandbox } from "../sandbox-connection.ts";
import { refuseManifestsOnCluster } from "../scope.ts";
import { UserError } from "../user-error.ts";

const options = {
  namespace: text("-n, --namespace <name>", "the namespace of the object", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  sandbox: flag("--sandbox", "ask in an embedded cluster of its own, in which all controllers are at work"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders or - (standard input) into it",
    {},
  ),
  for: duration("--for <duration>", "with --sandbox: ask after this time", {
    default: "when nothing is left to do, at most 10s",
  }),
  output: choice("-o, --output <format>", "text, or json: the answer as one line", ["text", "json"], {
    default: "text",
  }),
} as const;

type WhyOptions = Given<typeof options> & Globals;

/** So long is waited at most for a sandbox to come to rest. */
const longestSettlingMs = 10_000;

export const why: Command = command({
  name: "why",
  about: "Say what an object waits for, what comes next, and who wrote it last",
  description:
    "Reads the object, what owns it and what it owns, syncs its controllers once in shadow, and answers: what it waits for, what " +
    "comes next and when, and who wrote it last. It writes nothing, and ends.\n\n" +
    "Any kind can be asked about; of pods and what makes them it knows the most.\n\n" +
    "Exit codes: 0 the object is as it should be; 1 it is not; 2 wrong arguments, no such object, or no connection; 130 interrupted.",
  arguments: { name: "<object...>", about: "which object: TYPE/NAME, as in deploy/web" },
  options,
  examples: [
    { says: "Why a Deployment does not become ready", line: "why deploy/web -n shop" },
    { says: "Why a namespace does not go away", line: "why ns/shop" },
    { says: "What would become of a manifest, without a cluster", line: "why deploy/web --sandbox -f web.yaml" },
  ],
  async run({ arguments: words, options: given }, io) {
    const options = given as WhyOptions;
    const object = oneObject(words);
    refuseManifestsOnCluster(options, "why writes nothing");
    if (options.for !== undefined && options.sandbox !== true) {
      throw new UserError("--for is for --sandbox: a cluster is asked at once", ["leave it away"]);
    }
    const offSignals = io.onStopSignal(() => io.exit(130));
    const connected = await connectionFor(options, io);
    try {
      return await answer(object, options, io, connected);
    } catch (error) {
      throw connected.explain(error);
    } finally {
      offSignals();
      await connected.close();
    }
  },
});

function oneObject(words: readonly string[]): { readonly type: string; readonly name: string } {
  const [named, ...others] = typesAndNames(words);
  if (named?.name === undefined || others.length > 0) {
    throw new UserError(`${JSON.stringify(words.join(" "))} does not name one object`, [
      "write TYPE/NAME, as in deploy/web",
    ]);
  }
  return { type: named.type, name: named.name };
}

function connectionFor(options: WhyOptions, io: Io): Promise<Connected> {
  return options.sandbox === true
    ? settledSandbox(options, io)
    : connectAs(options, io, { qps: 0, burst: 0, readOnly: true });
}

/** An embedded cluster with the manifests in it, when nothing is left to do there. What is asked of it then writes nothing. */
async function settledSandbox({ manifests = [], namespace, for: forMs }: WhyOptions, io: Io): Promise<Connected> {
  const where = namespace === undefined ? {} : { namespace };
  const connected = await connectToSandbox({ manifests, ...where, controllers: acting }, io);
  const { manager } = connected.cluster;
  if (forMs === undefined) await settled(manager, io);
  else await sleep(io.timeline, forMs, "why --for");
  // The controllers there go on: what they tell must not be taken for what ours would do.
  const bus = new TraceBus({ now: () => io.timeline.now() });
  return { ...connected, bus, unlimited: readOnly(connected.unlimited) };
}

async function settled(manager: ControllerManager, { timeline }: Io): Promise<void> {
  const until = timeline.now() + longestSettlingMs;
  await untilQuiet(
    timeline,
    "why --sandbox",
    () => manager.isIdle(giveUp),
    () => timeline.now() >= until,
  );
}

async function answer(
  { type, name }: { readonly type: string; readonly name: string },
  options: WhyOptions,
  io: Io,
  connected: Connected,
): Promise<number> {
  const { timeline, random } = io;
  const { bus, unlimited: transport } = connected;
  const client = createClient({ transport, bus, timeline });
  const { kinds } = await discover(client);
  const kind = kindNamed(type, kinds, io.calledAs);
  const namespace = kind.namespaced ? (options.namespace ?? connected.namespace) : "";
  try {
    const parts = { transport, client, bus, timeline, random, kind, kinds, controllers: acting };
    const snapshot = await readSnapshot({ ...parts, namespace, name });
    const answered = answerFor(snapshot);
    if (options.output === "json") io.out.write(`${JSON.stringify({ v: 1, ...answered })}\n`);
    else {
      const follow = followCommand(io.calledAs, `${type}/${name}`, kind.kind, { ...options, namespace });
      for (const line of answerLines(answered, { style: styleOf(io.out), now: snapshot.now, follow })) {
        io.out.write(`${line}\n`);
      }
    }
    return answered.is === "as desired" ? 0 : 1;
  } catch (error) {
    const where = namespace === "" ? "" : ` in namespace ${namespace}`;
    if (isNotFound(error)) {
      const listed = `kubectl get ${kind.plural}${namespace === "" ? "" : ` -n ${namespace}`}`;
      const next =
        options.sandbox === true ? "-f puts manifests into the sandbox" : `\`${listed}\` lists those there are`;
      throw new UserError(`there is no ${kind.kind} ${name}${where} (context ${connected.context})`, [next]);
    }
    if (isForbidden(error)) throw new UserError(`not allowed to read this: ${(error as Error).message}`);
    throw error;
  }
}

/** The trace of the object, where a controller of ours is for its kind. */
function followCommand(
  calledAs: string,
  object: string,
  kind: string,
  { namespace, sandbox, manifests = [] }: Pick<WhyOptions, "namespace" | "sandbox" | "manifests">,
): string | undefined {
  const controller = acting.find(({ for: of }) => of?.kind === kind);
  if (controller === undefined) return undefined;
  const files = manifests.map((file) => ` -f ${file}`).join("");
  const where =
    sandbox === true ? ` --sandbox${files}` : namespace === undefined || namespace === "" ? "" : ` -n ${namespace}`;
  return `${calledAs} trace ${controller.name}${where} --why ${object}`;
}
