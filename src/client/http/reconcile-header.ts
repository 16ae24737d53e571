/** Lets requests state which sync they belong to, for a proxy that they pass; see docs/exact.md. */
import type { Transport } from "../../api/transport.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { GetEvent } from "../../trace/events.ts";
import { reconcileHeader, writeReconcile } from "../../trace/reconcile-ref.ts";

/** Adds the header `Reconcile` to the writes of syncs. It learns about syncs from the bus. */
export function withReconcileHeader(inner: Transport, bus: TraceBus): Transport {
  const running = new Map<string, GetEvent>();
  bus.listen(
    (event) => {
      if (event.stage === "get") running.set(`${event.controller} ${event.sync}`, event);
      if (event.stage === "done") running.delete(`${event.controller} ${event.sync}`);
    },
    { stages: ["get", "done"] },
  );
  return {
    send(request) {
      const { decision, headers } = request;
      const sync = decision && running.get(`${decision.controller} ${decision.sync}`);
      if (sync === undefined) return inner.send(request);
      const value = writeReconcile(refOf(sync));
      return inner.send({ ...request, headers: { ...headers, [reconcileHeader]: value } });
    },
  };
}

function refOf({ controller, key, sync, triggers }: GetEvent): Parameters<typeof writeReconcile>[0] {
  const all = [...triggers.first, ...triggers.last];
  const latest = all.findLast(({ cause }) => cause === "delta");
  const again = all.some(({ cause }) => cause === "retry") ? "retry" : "requeue";
  return {
    id: `${controller}-${sync}`,
    controller,
    object: { kind: "", key },
    ...(latest?.cause === "delta"
      ? { because: { kind: latest.kind, key: latest.key, resourceVersion: latest.resourceVersion } }
      : { again }),
  };
}
