/** Volumes and VolumeAttributesClasses: what their deletion waits for. */
import { VolumeAttributesClasses } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { claim, foreign, makeClass, makeVolume, setFinalizers, setPhase } from "./acts.ts";
import { ownName } from "../../stage.ts";

const phase = (to: string): Step => ({ name: `set the phase ${to}`, act: (stage) => setPhase(stage, "disk", to) });
const makeDisk: Step = { name: "create a volume", act: (stage) => makeVolume(stage, "disk") };
const removeDisk: Step = {
  name: "delete the volume",
  act: (stage) => stage.remove("persistentvolumes", ownName(stage, "disk")),
};

const volumes: readonly Script[] = [
  { name: "a volume without a phase is removed immediately", steps: [makeDisk, removeDisk] },
  ...["Available", "Released", "Failed"].map((to) => ({
    name: `a volume that is ${to} is removed immediately`,
    steps: [makeDisk, phase(to), removeDisk],
  })),
  {
    name: "a bound volume is removed when it is released",
    steps: [makeDisk, phase("Bound"), removeDisk, phase("Released")],
  },
  {
    name: "a removed finalizer of a volume is added again",
    steps: [
      makeDisk,
      {
        name: "set only another finalizer",
        act: (stage) => setFinalizers(stage, ["persistentvolumes", ownName(stage, "disk")], [foreign]),
      },
      removeDisk,
      {
        name: "remove the other finalizer",
        act: (stage) => setFinalizers(stage, ["persistentvolumes", ownName(stage, "disk")], []),
      },
    ],
  },
];

const makeGold: Step = { name: "create a class", act: (stage) => makeClass(stage, "gold") };
const removeGold: Step = {
  name: "delete the class",
  act: (stage) => stage.remove(VolumeAttributesClasses, ownName(stage, "gold")),
};
const makeClaim = (of: string): Step => ({
  name: `create a claim with class ${of}`,
  act: (stage) =>
    stage.create("persistentvolumeclaims", claim("data", { volumeAttributesClassName: ownName(stage, of) })),
});
const status = (name: string, of: string, body: (className: string) => object): Step => ({
  name,
  act: (stage) => stage.patch("persistentvolumeclaims", "data/status", { status: body(ownName(stage, of)) }),
});
const current = (of: string): Step =>
  status(`set its current class to ${of}`, of, (currentVolumeAttributesClassName) => ({
    currentVolumeAttributesClassName,
  }));
const target = (of: string): Step =>
  status(`set its target class to ${of}`, of, (targetVolumeAttributesClassName) => ({
    modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName },
  }));

const classes: readonly Script[] = [
  { name: "an unused class is removed immediately", steps: [makeGold, removeGold] },
  {
    name: "a removed finalizer of a class is added again",
    steps: [
      makeGold,
      {
        name: "remove all finalizers",
        act: (stage) => setFinalizers(stage, [VolumeAttributesClasses, ownName(stage, "gold")], []),
      },
    ],
  },
  {
    name: "a class waits for a claim that requests it",
    steps: [
      makeGold,
      makeClaim("gold"),
      removeGold,
      { name: "delete the claim", act: (stage) => stage.remove("persistentvolumeclaims", "data") },
    ],
  },
  {
    name: "a class waits for a claim whose current or target class it is",
    steps: [
      makeGold,
      makeClaim("silver"),
      current("gold"),
      target("gold"),
      removeGold,
      current("silver"),
      status("finish the modification", "silver", () => ({ modifyVolumeStatus: null })),
    ],
  },
  {
    name: "a class waits for a volume that has it, then for the claim",
    steps: [
      makeGold,
      makeClaim("gold"),
      {
        name: "create a volume with the class",
        act: (stage) => makeVolume(stage, "disk", { volumeAttributesClassName: ownName(stage, "gold") }),
      },
      removeGold,
      removeDisk,
      {
        // The spec of an unbound claim cannot be changed.
        name: "bind the claim, and request another class",
        async act(stage) {
          await stage.patch("persistentvolumeclaims", "data/status", { status: { phase: "Bound" } });
          const spec = { volumeAttributesClassName: ownName(stage, "silver") };
          await stage.patch("persistentvolumeclaims", "data", { spec });
        },
      },
    ],
  },
  {
    name: "a class is removed when its volume gets another one",
    steps: [
      makeGold,
      {
        name: "create a volume with the class",
        act: (stage) => makeVolume(stage, "disk", { volumeAttributesClassName: ownName(stage, "gold") }),
      },
      removeGold,
      {
        name: "set another class of the volume",
        act: (stage) =>
          stage.patch("persistentvolumes", ownName(stage, "disk"), {
            spec: { volumeAttributesClassName: ownName(stage, "silver") },
          }),
      },
    ],
  },
];

export const volumesAndClasses: readonly Script[] = [...volumes, ...classes];
