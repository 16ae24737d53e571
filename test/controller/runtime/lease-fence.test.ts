/** No write is sent while a Lease is invalid: neither a new one, nor one that was already waiting. */
import { expect, test } from "bun:test";
import { kindOf } from "../../../src/api/kind.ts";
import { TransportError, type Transport } from "../../../src/api/transport.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { refuseWhileClosed, withWriteFence } from "../../../src/client/http/write-fence.ts";
import { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import { virtualCluster, type VirtualCluster } from "../../support/virtual-cluster.ts";

const ConfigMaps = kindOf({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });

interface FencedClient {
  readonly cluster: VirtualCluster;
  readonly fence: LeaseFence;
  readonly lease: { isGood: boolean };
  /** Methods of the requests that reached the server: `POST`, `GET`. */
  readonly sent: string[];
  readonly write: (options?: { readonly renewsLease?: true; readonly signal?: AbortSignal }) => Promise<string>;
  readonly read: () => Promise<unknown>;
}

/** `between`: a transport between the two checks of the fence. */
async function fencedClient(between: (inner: Transport) => Transport = (inner) => inner): Promise<FencedClient> {
  const cluster = await virtualCluster();
  const { timeline, bus } = cluster;
  const fence = new LeaseFence();
  const lease = { isGood: true };
  fence.guard(lease);
  const sent: string[] = [];
  const server = cluster.sandbox.transport({ actor: "fenced" });
  const wire: Transport = {
    send(request) {
      sent.push(request.method);
      return server.send(request);
    },
  };
  const transport = withWriteFence(between(refuseWhileClosed(wire, fence)), fence);
  const client = createClient({ transport, bus, timeline });
  let count = 0;
  return {
    cluster,
    fence,
    lease,
    sent,
    write: (options = {}) =>
      client.create(ConfigMaps, { metadata: { namespace: "default", name: `map-${++count}` } }, options).then(
        () => "written",
        (error: unknown) => (error instanceof TransportError ? "not sent" : String(error)),
      ),
    read: () => client.list(ConfigMaps),
  };
}

test("a write waits until the Lease is renewed; reads and the renewal itself do not", async () => {
  const { cluster, fence, lease, sent, write, read } = await fencedClient();
  lease.isGood = false;
  const waiting = write();
  await cluster.settle(read());
  expect(await cluster.settle(write({ renewsLease: true }))).toBe("written");
  fence.renewed();
  expect(sent).toEqual(["GET", "POST"]);
  lease.isGood = true;
  fence.renewed();
  expect(await cluster.settle(waiting)).toBe("written");
});

test("a write that was queued while the Lease was valid is not sent after it has expired", async () => {
  const turn = Promise.withResolvers<void>();
  const { cluster, lease, sent, write } = await fencedClient((inner) => ({
    send: async (request) => {
      await turn.promise;
      return inner.send(request);
    },
  }));
  const waiting = write();
  lease.isGood = false;
  turn.resolve();
  expect(await cluster.settle(waiting)).toBe("not sent");
  expect(sent).toEqual([]);
});

test("one invalid Lease of several holds all writes back", async () => {
  const { cluster, fence, sent, write } = await fencedClient();
  fence.guard({ isGood: false });
  void write();
  await cluster.timeline.runUntil({ ms: 1000 });
  expect(sent).toEqual([]);
});

test("at the end of a run held writes fail, and so does a write whose sync is aborted", async () => {
  const { cluster, fence, lease, sent, write } = await fencedClient();
  lease.isGood = false;
  const abort = new AbortController();
  const aborted = write({ signal: abort.signal });
  const waiting = write();
  await cluster.timeline.runUntil({ ms: 1000 });
  abort.abort(new Error("stopped"));
  fence.end("the run has ended");
  expect(await cluster.settle(Promise.all([aborted, waiting]))).toEqual(["Error: stopped", "Error: the run has ended"]);
  expect(sent).toEqual([]);
  lease.isGood = true;
  expect(await cluster.settle(write())).toBe("written");
});
