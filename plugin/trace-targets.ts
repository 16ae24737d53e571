/** What `trace` can trace: controllers that act in a sandbox, and shadows beside a cluster's own. */
import { giveUp } from "./quiet.ts";
import { createClient } from "../src/client/client.ts";
import { acting } from "../src/controllers/index.ts";
import { shadowOwners, shadowPreflight } from "../src/modes/shadow/owners.ts";
import { startShadow } from "../src/modes/shadow/shadow.ts";
import { type Connected, connectAs } from "./connection.ts";
import { refuseWithoutRights, shadowLines } from "./render/shadow-text.ts";
import { formatDuration } from "./render/style.ts";
import { refuseMissingNamespace } from "./reading-connection.ts";
import { connectToSandbox } from "./sandbox-connection.ts";
import type { Target, TraceRun } from "./trace-run.ts";

/** Every controller works in the sandbox; only the named ones are shown. */
export async function sandboxTarget(run: TraceRun): Promise<Target> {
  const { options, io, asked } = run;
  const { namespace = "default", manifests = [] } = options;
  const controllers = [...new Set([...acting, ...asked.controllers])];
  const connected = await connectToSandbox({ manifests, namespace, controllers }, io, (bus) =>
    run.listen(bus, namespace, "sandbox"),
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

async function startBeside(run: TraceRun, connected: Connected): Promise<Target> {
  const { options, io, asked, signal } = run;
  const { timeline, random } = io;
  const { bus, unlimited: transport } = connected;
  const namespace = options.allNamespaces === true ? undefined : (options.namespace ?? connected.namespace);
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  run.say(`context ${connected.context} · ${connected.server} (${await connected.serverVersion()}) · ${where}`);
  const { controllers } = asked;
  const client = createClient({ transport, bus, timeline });
  await refuseMissingNamespace(client, namespace);
  const found = await shadowPreflight({ controllers, transport, client, namespace });
  refuseWithoutRights(found, namespace, connected.user === undefined ? "" : ` as user ${connected.user}`);
  for (const line of shadowLines(found)) run.say(line);
  run.listen(bus, namespace ?? connected.namespace, "shadow");
  const startedAt = timeline.now();
  const shadow = await startShadow(
    {
      controllers,
      transport,
      bus,
      timeline,
      random,
      ownerOf: shadowOwners(found),
      onOwnerSeen: (controller, manager) =>
        run.say(`shadow: ${manager} is at work on what ${controller} owns: it is compared with from now on\n`),
      ...(namespace !== undefined && { namespace }),
    },
    signal,
  );
  const caches = shadow.informers.states().map(({ kind, objects }) => `${kind} ${objects}`);
  run.say(`caches  ${caches.join(" · ")} · ${formatDuration(timeline.now() - startedAt)}\n`);
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
