/** The Lease for leader election of kube-controller-manager or kube-scheduler. */
import { formatAge } from "../../../api/duration.ts";
import { pathOf } from "../../../api/kind.ts";
import { Leases } from "../../../api/kinds.ts";
import { StatusError, type Status } from "../../../api/status-error.ts";
import { parseTime } from "../../../api/time.ts";
import { type ApiResponse, readAll, type Transport } from "../../../api/transport.ts";
import type { Lease } from "../../../api/types.ts";
import { sandboxServer } from "../../../sandbox/https.ts";

/**
 * `renewed`: held by a leader. `stale`: left by the last leader. `absent`: not held, as also without leader election. `forbidden`: it
 * cannot be read.
 */
export interface ComponentLease {
  readonly is: "renewed" | "stale" | "absent" | "forbidden";
  /** `Lease kube-system/kube-controller-manager, renewed 3 s ago`. */
  readonly clause: string;
  /** When it was last renewed; 0 if it is absent or cannot be read. */
  readonly renewedAt: number;
  /** The server's clock, in ms since 1970: the reference for all ages. */
  readonly now: number;
  /** If the server is one of our sandboxes: the controllers that run in it. */
  readonly sandbox?: readonly string[];
}

/** The state of a component's Lease. @throws StatusError, TransportError. */
export async function readComponentLease(transport: Transport, component: string): Promise<ComponentLease> {
  const { response, body } = await requestLease(transport, component);
  const sandbox = controllersOf(response.header("server"));
  return { ...leaseOf(component, response, body), ...(sandbox !== undefined && { sandbox }) };
}

async function requestLease(
  transport: Transport,
  component: string,
): Promise<{ readonly response: ApiResponse; readonly body: unknown }> {
  const path = pathOf(Leases, { namespace: "kube-system", name: component });
  const response = await transport.send({
    method: "GET",
    path,
    headers: { accept: "application/json" },
    signal: new AbortController().signal,
  });
  return { response, body: JSON.parse(new TextDecoder().decode(await readAll(response.body)) || "{}") };
}

function controllersOf(server: string | undefined): readonly string[] | undefined {
  const [name, controllers = ""] = (server ?? "").split(" ");
  return name === sandboxServer ? controllers.split(",").filter((each) => each !== "") : undefined;
}

function leaseOf(component: string, response: ApiResponse, body: unknown): ComponentLease {
  const date = response.header("date");
  const now = date === undefined ? 0 : parseTime(date);
  const name = `Lease kube-system/${component}`;
  if (response.status === 404) return { is: "absent", clause: `no ${name}`, renewedAt: 0, now };
  if (response.status === 403)
    return { is: "forbidden", clause: `${name} cannot be read by this user`, renewedAt: 0, now };
  if (response.status !== 200) throw new StatusError(response.status, body as Status);
  const { spec } = body as Lease;
  if (spec?.renewTime === undefined || (spec.holderIdentity ?? "") === "") {
    return { is: "absent", clause: `${name} has no holder`, renewedAt: 0, now };
  }
  const renewedAt = parseTime(spec.renewTime);
  const isHeld = now - renewedAt <= (spec.leaseDurationSeconds ?? 15) * 1000;
  return {
    is: isHeld ? "renewed" : "stale",
    clause: `${name}, renewed ${formatAge(now - renewedAt)} ago`,
    renewedAt,
    now,
  };
}
