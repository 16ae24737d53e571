/** What a claim, a volume or an attachment waits for. */
import { parseQuantity } from "../api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { PersistentVolumeClaims } from "../api/kinds.ts";
import { ofAttachment } from "./attachments.ts";
import { aside, eventTime, type Look } from "./look.ts";
import { podFindings } from "./pods.ts";
import { unboundCause } from "./unbound-claims.ts";

/** By its phase, its class, its volume and its Events. */
export function examineClaim(look: Look, item: Item<PersistentVolumeClaim>): Examined {
  const claim = item.object;
  const { spec, status, metadata } = claim;
  const phase = status?.phase ?? "Pending";
  const whole = { seen: ["its status"], unseen: [] };
  const at = refOf(item);
  if (phase === "Lost") {
    const why = `its volume ${spec?.volumeName ?? ""} does not exist, or is bound to another claim: its data is lost`;
    return { ...whole, says: "phase Lost", reached: false, findings: [{ at, why }], isFailed: true };
  }
  if (phase === "Bound") {
    const findings = (status?.conditions ?? []).flatMap(({ type, status: is, message = "" }): Finding[] =>
      is === "True" && /Resiz|ModifyVolume/.test(type) ? [{ at, why: `condition ${type}: ${message}` }] : [],
    );
    findings.push(...unexpanded(claim).map((why) => ({ at, why })));
    return { ...whole, says: `bound to ${spec?.volumeName ?? ""}`, reached: findings.length === 0, findings };
  }
  const events = look.events(claim);
  const trouble = events.objects.findLast(({ type, reason = "" }) => type === "Warning" && reason !== "FailedBinding");
  const advice = [kubectl(`describe pvc ${metadata.name}${inNamespace(metadata.namespace)}`)];
  const warningFindings =
    trouble === undefined
      ? []
      : [
          {
            at,
            why: `${trouble.reason ?? ""}: ${(trouble.message ?? "").trim()}`,
            ...since(eventTime(trouble)),
            advice,
          },
        ];
  const cause = unboundCause(look, claim);
  const own = cause === undefined ? [] : [{ at, why: cause.why, advice: cause.advice }];
  return {
    ...whole,
    says: `it is not bound, phase ${phase}`,
    reached: false,
    findings: [...podFindings(look, cause?.waitsFor ?? []), ...own, ...warningFindings],
    unseen: aside(events.unseen),
  };
}

/** Why the claim is smaller than requested, if no condition says so: nothing has begun to expand it. */
function unexpanded({ spec, status }: PersistentVolumeClaim): readonly string[] {
  if ((status?.conditions ?? []).length > 0) return [];
  const [requested, has] = [spec?.resources?.requests?.["storage"], status?.capacity?.["storage"]];
  const [wanted, there] = [parseQuantity(requested ?? ""), parseQuantity(has ?? "")];
  if (wanted === undefined || there === undefined || wanted.nano <= there.nano) return [];
  return [`it requests ${requested} and has ${has}: nothing has begun to expand it`];
}

/** By its phase and its claim. */
export function examineVolume(look: Look, item: Item<PersistentVolume>): Examined {
  const { spec, status } = item.object;
  const phase = status?.phase ?? "Pending";
  const at = refOf(item);
  const claim = spec?.claimRef;
  const whole = { seen: ["its status"], unseen: [] };
  const [namespace, name] = [claim?.namespace ?? "", claim?.name ?? ""];
  if (phase === "Bound" && claim !== undefined) {
    const found = look.get(PersistentVolumeClaims, namespace, name);
    const says = `bound to claim ${namespace}/${name}`;
    if (found.is === "unseen") return { ...whole, says, reached: true, findings: [], unseen: aside([found.unseen]) };
    if (found.is === "missing" || (claim.uid !== undefined && found.object.metadata.uid !== claim.uid)) {
      const why = `its claim ${namespace}/${name} no longer exists`;
      return { ...whole, says, reached: false, findings: [{ at, why }] };
    }
    return { ...whole, seen: ["its status", "its claim"], says, reached: true, findings: [] };
  }
  if (phase === "Available")
    return { ...whole, says: "it is available: no claim is bound to it yet", reached: true, findings: [] };
  const why =
    phase === "Released"
      ? `its claim ${namespace}/${name} was deleted; with reclaim policy ${spec?.persistentVolumeReclaimPolicy ?? ""} it is kept, and no other claim can bind it until .spec.claimRef is removed`
      : `${status?.reason ?? `phase ${phase}`}${status?.message === undefined ? "" : `: ${status.message}`}`;
  return { ...whole, says: `phase ${phase}`, reached: false, findings: [{ at, why }], isFailed: phase === "Failed" };
}

/** Whether the volume is attached without an error. */
export function examineAttachment(_look: Look, { object }: Item<VolumeAttachment>): Examined {
  const { spec, status } = object;
  const finding = ofAttachment(object);
  const where = `volume ${spec.source.persistentVolumeName ?? ""} to node ${spec.nodeName}`;
  return {
    says: status?.attached === true ? `${where} is attached` : `${where} is not attached`,
    reached: finding === undefined,
    findings: finding === undefined ? [] : [finding],
    seen: ["its status"],
    unseen: [],
  };
}
