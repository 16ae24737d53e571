/**
 * Taints of nodes and devices, and tolerations. Source: api v0.36 core/v1/toleration.go; dynamic-resource-allocation v0.36
 * resourceclaim/devicetoleration.go.
 */
import type { Taint, Toleration } from "./types.ts";

/** Whether the toleration matches the taint. */
export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Exists":
      return true;
    default:
      return false;
  }
}

/** As kubectl writes it: `maintenance=yes:NoExecute`. */
export function taintText({ key, value = "", effect }: Taint): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}
