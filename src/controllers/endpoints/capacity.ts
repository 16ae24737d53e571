/** Endpoints have at most 1,000 addresses. Source: kubernetes v1.36 pkg/controller/endpoint/endpoints_controller.go truncateEndpoints. */
import type { Address, Subset } from "../../controller/workload/service/subsets.ts";

/** Addresses beyond this number are left out. */
export const maxAddresses = 1000;

/** How many addresses there are, ready or not. */
export function countAddresses(subsets: readonly Subset[]): number {
  return count(subsets, "addresses") + count(subsets, "notReadyAddresses");
}

function count(subsets: readonly Subset[], field: "addresses" | "notReadyAddresses"): number {
  return subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
}

/**
 * Truncates to the maximum; undefined if all addresses fit. Ready addresses take precedence. Each subset keeps its share, rounded up, so
 * the last may keep less.
 */
export function truncated(subsets: readonly Subset[]): readonly Subset[] | undefined {
  if (countAddresses(subsets) <= maxAddresses) return undefined;
  const ready = count(subsets, "addresses");
  const field = ready > maxAddresses ? "addresses" : "notReadyAddresses";
  const room = field === "addresses" ? maxAddresses : maxAddresses - ready;
  const total = count(subsets, field);
  let left = room;
  return subsets.map((subset) => {
    const list = subset[field] ?? [];
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= kept.length;
    return field === "addresses"
      ? withAddresses(subset, { ready: kept, notReady: [] })
      : withAddresses(subset, { ready: subset.addresses ?? [], notReady: kept });
  });
}

function withAddresses(
  { ports }: Subset,
  { ready, notReady }: { readonly ready: readonly Address[]; readonly notReady: readonly Address[] },
): Subset {
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports !== undefined && { ports }),
  };
}
