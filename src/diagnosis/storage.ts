/** What a claim, a volume or an attachment waits for. */
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../api/kinds.ts";
import { aside, eventTime, type Look } from "./look.ts";

const defaultClass = "storageclass.kubernetes.io/is-default-class";

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
    const findings = (status?.conditions ?? []).flatMap(({ type, status: is, message = "" }): readonly Finding[] =>
      is === "True" && /Resiz|ModifyVolume/.test(type) ? [{ at, why: `condition ${type}: ${message}` }] : [],
    );
    return { ...whole, says: `bound to ${spec?.volumeName ?? ""}`, reached: findings.length === 0, findings };
  }
  const events = look.events(claim);
  const trouble = events.objects.findLast(({ type, reason = "" }) => type === "Warning" && reason !== "FailedBinding");
  const advice = [kubectl(`describe pvc ${metadata.name}${inNamespace(metadata.namespace)}`)];
  const said =
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
    findings: [...own, ...said],
    unseen: aside(events.unseen),
  };
}

interface Cause {
  readonly why: string;
  readonly advice: Finding["advice"] & {};
}

/** Why a claim is not bound, by its class and its volume. */
function unboundCause(look: Look, { spec }: PersistentVolumeClaim): Cause | undefined {
  const classes = [kubectl("get storageclasses")];
  if (spec?.volumeName !== undefined && spec.volumeName !== "") {
    const volume = look.get(PersistentVolumes, "", spec.volumeName);
    if (volume.is === "missing")
      return { why: `there is no volume ${spec.volumeName}, to which it refers`, advice: [kubectl("get pv")] };
  }
  const name = spec?.storageClassName;
  if (name === "")
    return { why: "it has no class, so a matching volume has to be created manually", advice: [kubectl("get pv")] };
  if (name === undefined) {
    const all = look.list(StorageClasses, "");
    const hasDefault = all.objects.some(({ metadata }) => metadata.annotations?.[defaultClass] === "true");
    if (hasDefault || all.unseen.length > 0) return undefined;
    return { why: "it names no class, and no StorageClass is the default", advice: classes };
  }
  const found = look.get(StorageClasses, "", name);
  if (found.is === "missing") return { why: `there is no StorageClass ${name}, to which it refers`, advice: classes };
  if (found.is === "unseen") return undefined;
  if (found.object.volumeBindingMode === "WaitForFirstConsumer") {
    return { why: `its class ${name} binds it when a pod that uses it is scheduled`, advice: [] };
  }
  if (found.object.provisioner === "kubernetes.io/no-provisioner") {
    return {
      why: `its class ${name} provisions no volumes: a matching one has to be created manually`,
      advice: [kubectl("get pv")],
    };
  }
  return { why: `provisioner ${found.object.provisioner} of class ${name} has to provision a volume`, advice: [] };
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
export function examineAttachment(_look: Look, item: Item<VolumeAttachment>): Examined {
  const { spec, status } = item.object;
  const error = status?.attachError?.message ?? status?.detachError?.message;
  const isAttached = status?.attached === true && error === undefined;
  const where = `volume ${spec.source.persistentVolumeName ?? ""} to node ${spec.nodeName}`;
  return {
    says: isAttached ? `${where} is attached` : `${where} is not attached`,
    reached: isAttached,
    findings: error === undefined ? [] : [{ at: refOf(item), why: error }],
    seen: ["its status"],
    unseen: [],
  };
}
