/**
 * What the controller remembers while it runs: which volumes pods need on which nodes, which are attached there, and what the nodes'
 * statuses report. Source: kubernetes v1.36 pkg/controller/volume/attachdetach/cache/{actual,desired}_state_of_world.go.
 */
import type { Pod } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { AttachableVolume } from "./attachable.ts";
import { Operations } from "./operations.ts";

/** A volume that pods on a node need. */
export interface Desired {
  readonly volume: AttachableVolume;
  /** By uid. */
  readonly pods: Map<string, Pod>;
  /** Whether an Event of its pods has reported that another node has the volume. */
  isMultiAttachReported: boolean;
}

/** A volume on a node. */
export interface Attachment {
  /** False: an attempt failed, and it may or may not be attached. */
  isConfirmed: boolean;
  /** Since when no pod needs it, in ms since 1970. */
  unwantedSince: number | undefined;
}

interface AttachedVolume {
  /** Undefined: known only by its name in the status of a node. */
  volume: AttachableVolume | undefined;
  devicePath: string;
  readonly nodes: Map<string, Attachment>;
}

interface Reported {
  readonly volumes: Set<string>;
  /** The status may differ. */
  isDue: boolean;
  /** The last write, as JSON: the cache may not show it yet. */
  written: string | undefined;
}

/** As in a node's status. */
export interface ReportedVolume {
  readonly name: string;
  readonly devicePath: string;
}

/** The state of one run. Every method is atomic. */
export class World {
  /** Whether it was initialized from the cluster. */
  isFilled = false;
  /** Nodes whose kubelets leave attaching to the controller. */
  readonly managed: Set<string> = new Set();
  readonly operations: Operations = new Operations();
  /** By node and unique name. */
  readonly desired: Map<string, Map<string, Desired>> = new Map();
  readonly #attached = new Map<string, AttachedVolume>();
  #attachedByNode = new Map<string, Set<string>>();
  /** By node. */
  #inUse = new Map<string, Set<string>>();
  #reported = new Map<string, Reported>();

  isDesired(unique: string, node: string): boolean {
    return this.desired.get(node)?.has(unique) === true;
  }

  /** The nodes whose pods need the volume. */
  nodesThatDesire(unique: string): readonly string[] {
    return [...this.desired.keys()].filter((node) => this.isDesired(unique, node));
  }

  attachmentOf(unique: string, node: string): Attachment | undefined {
    return this.#nodesWith(unique).get(node);
  }

  isConfirmedOn(unique: string, node: string): boolean {
    return this.attachmentOf(unique, node)?.isConfirmed === true;
  }

  volumeOf(unique: string): AttachableVolume | undefined {
    return this.#attached.get(unique)?.volume;
  }

  /** Sorted unique names. */
  attachedOn(node: string): readonly string[] {
    return [...(this.#attachedByNode.get(node) ?? [])].toSorted();
  }

  /** The nodes to which it is definitely attached. */
  nodesOf(unique: string): readonly string[] {
    return this.nodesThatMayHave(unique)
      .filter((node) => this.isConfirmedOn(unique, node))
      .toSorted();
  }

  /** All nodes that may have it. */
  nodesThatMayHave(unique: string): readonly string[] {
    return [...this.#nodesWith(unique).keys()];
  }

  #nodesWith(unique: string): ReadonlyMap<string, Attachment> {
    return this.#attached.get(unique)?.nodes ?? new Map<string, Attachment>();
  }

  /** A node is assumed to have the volume mounted until its status reports otherwise. */
  mark(
    unique: string,
    {
      node,
      volume,
      isConfirmed,
      devicePath = "",
    }: {
      readonly node: string;
      readonly volume: AttachableVolume | undefined;
      readonly isConfirmed: boolean;
      readonly devicePath?: string;
    },
  ): void {
    const known = this.#attached.get(unique) ?? { volume, devicePath, nodes: new Map<string, Attachment>() };
    known.volume = volume;
    known.devicePath = devicePath;
    this.#attached.set(unique, known);
    const attachment = known.nodes.get(node);
    if (attachment === undefined) {
      known.nodes.set(node, { isConfirmed, unwantedSince: undefined });
      this.#attachedByNode.set(node, (this.#attachedByNode.get(node) ?? new Set<string>()).add(unique));
      const mounted = this.#inUse.get(node) ?? new Set<string>();
      this.#inUse.set(node, mounted.add(unique));
    } else {
      attachment.isConfirmed = isConfirmed;
    }
    if (isConfirmed) this.report(unique, node);
  }

  /** Records the details of a volume definitely attached to the node. */
  learn(volume: AttachableVolume, node: string): void {
    const known = this.#attached.get(volume.unique);
    if (known?.nodes.get(node)?.isConfirmed === true) known.volume = volume;
  }

  markDetached(unique: string, node: string): void {
    const known = this.#attached.get(unique);
    if (known === undefined) return;
    known.nodes.delete(node);
    const onNode = this.#attachedByNode.get(node);
    onNode?.delete(unique);
    if (onNode?.size === 0) this.#attachedByNode.delete(node);
    if (known.nodes.size === 0) this.#attached.delete(unique);
    this.unreport(unique, node);
  }

  /** Records what the node's kubelet reports; returns whether it has changed. */
  setInUse(node: string, volumes: readonly string[]): boolean {
    const before = this.#inUse.get(node) ?? new Set<string>();
    const after = new Set(volumes);
    if (after.size === 0) this.#inUse.delete(node);
    else this.#inUse.set(node, after);
    return before.size !== after.size || volumes.some((unique) => !before.has(unique));
  }

  isInUse(unique: string, node: string): boolean {
    return this.#inUse.get(node)?.has(unique) === true;
  }

  /** The node's status must report the volume as attached. */
  report(unique: string, node: string): void {
    if (this.attachmentOf(unique, node) === undefined) return;
    const reported = this.#reported.get(node) ?? { volumes: new Set<string>(), isDue: true, written: undefined };
    this.#reported.set(node, reported);
    if (reported.volumes.has(unique)) return;
    reported.volumes.add(unique);
    reported.isDue = true;
  }

  unreport(unique: string, node: string): void {
    const reported = this.#reported.get(node);
    if (reported?.volumes.delete(unique) === true) reported.isDue = true;
  }

  /** The node was recreated, or its status could not be written. */
  setReportDue(node: string): void {
    const reported = this.#reported.get(node);
    if (reported !== undefined) reported.isDue = true;
  }

  /** What the node's status should report, by name; undefined if it already does. The caller must write it. */
  takeReport(node: string): readonly ReportedVolume[] | undefined {
    const reported = this.#reported.get(node);
    if (reported?.isDue !== true) return undefined;
    reported.isDue = false;
    return [...reported.volumes]
      .toSorted()
      .map((name) => ({ name, devicePath: this.#attached.get(name)?.devicePath ?? "" }));
  }

  noteWritten(node: string, volumes: readonly ReportedVolume[]): void {
    const reported = this.#reported.get(node);
    if (reported !== undefined) reported.written = JSON.stringify(volumes);
  }

  /** Whether this was the last write. */
  isLastWritten(node: string, volumes: readonly ReportedVolume[]): boolean {
    const written = this.#reported.get(node)?.written;
    return written === undefined || written === JSON.stringify(volumes);
  }
}

/** One for each run. */
export const world: RunState<World> = runState(() => new World());
