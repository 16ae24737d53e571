/** Which nodes this kubelet handles. */
import type { Node } from "../../api/types.ts";
import { kwokAnnotation, nodeAnnotation, silentAnnotation } from "./annotations.ts";

/** Whether the node's annotations mark its pods as simulated. */
export function isSimulated({ metadata }: Node): boolean {
  const { annotations = {} } = metadata;
  return annotations[nodeAnnotation] === "simulated" || annotations[kwokAnnotation] === "fake";
}

/** Whether its kubelet plays dead: nothing on the node changes any more. */
export function isSilent({ metadata }: Node): boolean {
  return metadata.annotations?.[silentAnnotation] === "true";
}
