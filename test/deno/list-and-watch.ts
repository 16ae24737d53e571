/**
 * One list and one watch on a real API server, for `deno run`: KUBECONFIG names the cluster and a client certificate. Prints `ok …`, or the
 * error and exits with 1. Ends by itself within 20 s.
 */
import process from "node:process";
import { Namespaces } from "../../src/api/kinds.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect } from "../../src/client/connect.ts";
import { realHost } from "../../src/platform/host.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { runtimeName } from "../../src/platform/runtime.ts";
import { TraceBus } from "../../src/trace/bus.ts";

const limitMs = 20_000;

async function listAndWatch(): Promise<string> {
  const host = realHost();
  const timeline = realTimeline();
  const access = await loadRestConfig(host);
  if (access.keyPair === undefined) throw new Error("the kubeconfig's user has no client certificate");
  const { client, close } = connect(access, { host, timeline, bus: new TraceBus({ now: () => timeline.now() }) });
  const stop = AbortSignal.timeout(limitMs);
  const namespaces = client.listerWatcher(Namespaces);
  const list = await namespaces.list({}, stop);
  const watch = await namespaces.watch({ resourceVersion: list.resourceVersion, timeoutSeconds: 15 }, stop);
  const name = `deno-${process.pid}`;
  const created = await client.create(Namespaces, { metadata: { name } });
  const frames = [...((await watch.next()) ?? [])];
  while (!frames.some(({ object }) => "metadata" in object && object.metadata.name === name)) {
    const more = await watch.next();
    if (more === undefined) throw new Error(`the watch has ended before ${name} came`);
    frames.push(...more);
  }
  // An aborted watch must end: on Deno it once hung.
  const pending = watch.next();
  watch.cancel();
  await pending.catch(() => undefined);
  await client.delete(Namespaces, { namespace: "", name }, { preconditions: { uid: created.metadata.uid } });
  close();
  return `${list.items.length} namespaces listed, ${name} seen by the watch at ${created.metadata.resourceVersion}`;
}

try {
  console.log(`ok ${runtimeName()}: ${await listAndWatch()}`);
  process.exit(0);
} catch (error) {
  console.log(`failed on ${runtimeName()}: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
