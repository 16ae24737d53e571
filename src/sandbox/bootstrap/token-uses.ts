/** Records when tokens in Secrets were used. Source: kubernetes v1.36 pkg/serviceaccount/legacy.go patchSecretWithLastUsedDate. */
import { formatTime } from "../../api/time.ts";
import type { Server } from "../context/server.ts";
import { at, textOf, type ApiObject } from "../meta/object.ts";
import { sendLoopback } from "../serving/loopback.ts";

const label = "kubernetes.io/legacy-token-last-used";
const dayMs = 86_400_000;

const dayOf = (ms: number): string => formatTime(ms).slice(0, 10);

/** Labels a token's Secret with the date, once a day. If the write is rejected, there is no label: the request continues. */
export function noteUse(server: Server, { metadata }: ApiObject): void {
  const now = server.timeline.now();
  const noted = textOf(at(metadata, "labels", label));
  if (noted === dayOf(now) || noted === dayOf(now + dayMs)) return;
  const { namespace, name, uid } = metadata;
  const body = { metadata: { name, namespace, uid, labels: { [label]: dayOf(now) } } };
  const path = `/api/v1/namespaces/${textOf(namespace)}/secrets/${textOf(name)}`;
  sendLoopback(server, { method: "PATCH", path, body });
}
