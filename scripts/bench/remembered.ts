/** What a trace remembers of a long run: writes of Events and Leases, for which no delta ever arrives. */
import { releaseMemory } from "../../src/platform/memory.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { Linker } from "../../src/trace/linker.ts";
import type { WriteEvent } from "../../src/trace/events.ts";
import { RunReport } from "../../src/views/run-report.ts";
import { SyncTrace } from "../../src/views/sync-trace.ts";

const message = "Created pod: web-7d99bdc748-x7k2p, and so on for as long as an Event is";

/** The memory after a tenth of the writes, and after all of them; in MB of the heap after garbage collection. */
export function remembered(writes: number): Readonly<Record<string, number>> {
  const bus = new TraceBus({ now: () => 0 });
  const [trace, report] = [new SyncTrace({ holdMs: 100 }), new RunReport()];
  bus.listen(new Linker(bus).listener);
  bus.listen((event) => {
    trace.accept(event);
    report.accept(event);
  });
  let early = 0;
  for (let n = 1; n <= writes; n++) {
    bus.emit(n % 10 === 0 ? renewal(n) : creation(n));
    if (n === writes / 10) early = heapMb();
  }
  const late = heapMb();
  // Keeps the listener reachable: otherwise everything might be collected before it is measured.
  bus.emit(renewal(writes + 1));
  return { writes, early, late, syncs: report.summary.syncs };
}

function heapMb(): number {
  releaseMemory();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const completedWrite = { stage: "write", fieldManager: "ours", deletes: false, status: 201, sentAt: 0, ms: 1 } as const;

function creation(n: number): WriteEvent {
  return {
    ...completedWrite,
    verb: "create",
    of: { group: "", kind: "Event" },
    key: `shop/web.${n}`,
    uid: `event-${n}`,
    before: "",
    conditional: false,
    resourceVersion: String(n),
    changes: [{ path: ".message", after: `${message} ${n}` }],
  };
}

function renewal(n: number): WriteEvent {
  return {
    ...completedWrite,
    verb: "update",
    of: { group: "coordination.k8s.io", kind: "Lease" },
    key: "kube-system/kubectl-reconcile-replicaset",
    uid: "lease",
    before: String(n - 10),
    conditional: true,
    resourceVersion: String(n),
    changes: [{ path: ".spec.renewTime", before: String(n - 10), after: String(n) }],
  };
}
