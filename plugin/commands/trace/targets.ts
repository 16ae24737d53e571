/** What `trace` can trace: controllers that act in a sandbox, and shadows beside a cluster's own. */
import { giveUp } from "../../cli/quiet.ts";
import type { Kind } from "../../../src/api/kind.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover, isNameOf } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { sandboxKinds } from "../../../src/modes/dry-run/kinds.ts";
import { shadowOwners, shadowPreflight } from "../../../src/modes/shadow/owners.ts";
import { startShadow } from "../../../src/modes/shadow/shadow.ts";
import { type Connected, connectAs } from "../../connections/connection.ts";
import { namespaceExists } from "../../names/missing-namespace.ts";
import { cachesText } from "../../render/preflight-text.ts";
import { refuseWithoutRights, shadowLines } from "./shadow-text.ts";
import { formatDuration } from "../../cli/style.ts";
import { connectToSandbox } from "../../connections/sandbox-connection.ts";
import { kindsKnown, scopeOf } from "./asked.ts";
import type { Target, TraceRun } from "./trace-run.ts";

/** Every controller works in the sandbox; only the named ones are shown. */
export async function sandboxTarget(run: TraceRun): Promise<Target> {
  const { options, io, asked } = run;
  const { namespace = "default", manifests = [] } = options;
  const controllers = [...new Set([...controllersEnabledByDefault, ...asked.controllers])];
  const kinds = worksOnAll(run) ? await sandboxKinds() : [];
  const connected = await connectToSandbox({ manifests, namespace, controllers }, io, (bus) =>
    run.listen(bus, { namespace, mode: "sandbox", kinds }),
  );
  const { manager } = connected.cluster;
  return {
    manager,
    isIdle: () => manager.isIdle(giveUp),
    stop: async () => await connected.close(),
  };
}

/** Shadows of the named controllers, over a connection that only reads. */
export async function shadowTarget(run: TraceRun): Promise<Target> {
  const { options, io } = run;
  const connected = await connectAs(options, io, { qps: 0, burst: 0, readOnly: true });
  try {
    return await startBeside(run, connected);
  } catch (error) {
    await connected.close();
    throw connected.explain(error);
  }
}

/** The garbage collector works on every kind that there is. */
function worksOnAll({ asked }: TraceRun): boolean {
  return asked.controllers.some(({ dynamicWatches }) => dynamicWatches !== undefined);
}

/** A type that no controller names is looked for among those of the server, where one works on all of them. */
async function kindsBeyond(run: TraceRun, client: Client): Promise<readonly Kind[]> {
  const { asked, options } = run;
  if (!worksOnAll(run)) return [];
  const [type = ""] = (options.why ?? asked.object ?? "").split("/");
  if (type === "" || kindsKnown(asked.controllers, []).some((kind) => isNameOf(kind, type))) return [];
  return (await discover(client)).kinds;
}

async function startBeside(run: TraceRun, connected: Connected): Promise<Target> {
  const { options, io, signal } = run;
  const { timeline, random } = io;
  const { bus, unlimited: transport } = connected;
  const asked = options.allNamespaces === true ? undefined : (options.namespace ?? connected.namespace);
  const { controllers, namespace, notes } = scopeOf(run.asked, { namespace: asked, why: options.why });
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  run.say(`context ${connected.context} · ${connected.server} (${await connected.serverVersion()}) · ${where}`);
  for (const note of notes) run.say(note);
  const client = createClient({ transport, bus, timeline });
  if (asked !== undefined) await namespaceExists(client, asked);
  const found = await shadowPreflight({ controllers, transport, client, namespace });
  refuseWithoutRights(found, namespace, connected.user === undefined ? "" : ` as user ${connected.user}`);
  for (const line of shadowLines(found)) run.say(line);
  run.listen(bus, {
    namespace: options.namespace ?? connected.namespace,
    only: options.allNamespaces !== true,
    mode: "shadow",
    kinds: await kindsBeyond(run, client),
  });
  const startedAt = timeline.now();
  const shadow = await startShadow(
    {
      controllers,
      transport,
      bus,
      timeline,
      random,
      ownerOf: shadowOwners(found),
      onOwnerSeen: (controller, manager) => {
        run.say(`shadow: ${manager} is at work on what ${controller} owns: it is compared with from now on`);
        run.say("");
      },
      ...(namespace !== undefined && { namespace }),
    },
    signal,
  );
  run.say(`caches  ${cachesText(shadow.informers.states())} · ${formatDuration(timeline.now() - startedAt)}`);
  run.say("");
  shadow.startWorkers();
  const { manager } = shadow;
  return {
    manager,
    isIdle: () => shadow.isIdle() && manager.isIdle(giveUp),
    async stop() {
      await shadow.stop();
      await connected.close();
    },
  };
}
