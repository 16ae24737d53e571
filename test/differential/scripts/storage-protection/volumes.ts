/** Volumes and VolumeAttributesClasses: what their deletion waits for. */
import { VolumeAttributesClasses } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { claim, foreign, makeClass, makeVolume, setFinalizers, setPhase } from "./acts.ts";
import { ownName } from "../../stage.ts";

const phase = (to: string): Step => ({ name: `its phase is ${to}`, act: (stage) => setPhase(stage, "disk", to) });
const makeDisk: Step = { name: "a volume", act: (stage) => makeVolume(stage, "disk") };
const removeDisk: Step = {
  name: "the volume is deleted",
  act: (stage) => stage.remove("persistentvolumes", ownName(stage, "disk")),
};

const volumes: readonly Script[] = [
  { name: "a volume without a phase goes at once", steps: [makeDisk, removeDisk] },
  ...["Available", "Released", "Failed"].map((to) => ({
    name: `a volume that is ${to} goes at once`,
    steps: [makeDisk, phase(to), removeDisk],
  })),
  { name: "a bound volume goes when it is released", steps: [makeDisk, phase("Bound"), removeDisk, phase("Released")] },
  {
    name: "a volume that has lost its finalizer gets it back",
    steps: [
      makeDisk,
      {
        name: "with another",
        act: (stage) => setFinalizers(stage, ["persistentvolumes", ownName(stage, "disk")], [foreign]),
      },
      removeDisk,
      {
        name: "the other goes",
        act: (stage) => setFinalizers(stage, ["persistentvolumes", ownName(stage, "disk")], []),
      },
    ],
  },
];

const makeGold: Step = { name: "a class", act: (stage) => makeClass(stage, "gold") };
const removeGold: Step = {
  name: "the class is deleted",
  act: (stage) => stage.remove(VolumeAttributesClasses, ownName(stage, "gold")),
};
const makeClaim = (of: string): Step => ({
  name: `a claim with class ${of}`,
  act: (stage) =>
    stage.create("persistentvolumeclaims", claim("data", { volumeAttributesClassName: ownName(stage, of) })),
});
const status = (name: string, of: string, body: (className: string) => object): Step => ({
  name,
  act: (stage) => stage.patch("persistentvolumeclaims", "data/status", { status: body(ownName(stage, of)) }),
});
const current = (of: string): Step =>
  status(`it has ${of}`, of, (currentVolumeAttributesClassName) => ({ currentVolumeAttributesClassName }));
const target = (of: string): Step =>
  status(`it is being modified to ${of}`, of, (targetVolumeAttributesClassName) => ({
    modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName },
  }));

const classes: readonly Script[] = [
  { name: "a class that nothing uses goes at once", steps: [makeGold, removeGold] },
  {
    name: "a class that has lost its finalizer gets it back",
    steps: [
      makeGold,
      {
        name: "without any",
        act: (stage) => setFinalizers(stage, [VolumeAttributesClasses, ownName(stage, "gold")], []),
      },
    ],
  },
  {
    name: "a class waits for the claim that asks for it",
    steps: [
      makeGold,
      makeClaim("gold"),
      removeGold,
      { name: "the claim is deleted", act: (stage) => stage.remove("persistentvolumeclaims", "data") },
    ],
  },
  {
    name: "a class waits for the claim that has it, and is being modified to it",
    steps: [
      makeGold,
      makeClaim("silver"),
      current("gold"),
      target("gold"),
      removeGold,
      current("silver"),
      status("it is modified", "silver", () => ({ modifyVolumeStatus: null })),
    ],
  },
  {
    name: "a class waits for the volume that has it, then for the claim",
    steps: [
      makeGold,
      makeClaim("gold"),
      {
        name: "a volume with it",
        act: (stage) => makeVolume(stage, "disk", { volumeAttributesClassName: ownName(stage, "gold") }),
      },
      removeGold,
      removeDisk,
      {
        // The spec of an unbound claim cannot be changed.
        name: "the claim is bound, and asks for another",
        async act(stage) {
          await stage.patch("persistentvolumeclaims", "data/status", { status: { phase: "Bound" } });
          const spec = { volumeAttributesClassName: ownName(stage, "silver") };
          await stage.patch("persistentvolumeclaims", "data", { spec });
        },
      },
    ],
  },
  {
    name: "a class goes when its volume gets another",
    steps: [
      makeGold,
      {
        name: "a volume with it",
        act: (stage) => makeVolume(stage, "disk", { volumeAttributesClassName: ownName(stage, "gold") }),
      },
      removeGold,
      {
        name: "the volume gets another",
        act: (stage) =>
          stage.patch("persistentvolumes", ownName(stage, "disk"), {
            spec: { volumeAttributesClassName: ownName(stage, "silver") },
          }),
      },
    ],
  },
];

export const volumesAndClasses: readonly Script[] = [...volumes, ...classes];
