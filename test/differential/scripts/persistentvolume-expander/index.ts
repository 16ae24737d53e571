/** Written scripts. */
import type { Script, Step } from "../../suite.ts";
import { type ClaimParts, grow, has, makeClaim, makeClass, sources, step } from "./acts.ts";

const begin = (parts: ClaimParts = {}): readonly Step[] => [
  step("create the class", makeClass),
  step("create a claim and its volume", (stage) => makeClaim(stage, "data", parts)),
];
const grows = (size: string): Step => step(`request ${size}`, (stage) => grow(stage, "data", size));
const gets = (size: string): Step => step(`set the capacity to ${size}`, (stage) => has(stage, "data", size));
const conditions = (type: string): Step =>
  step(`set the condition ${type}`, (stage) =>
    stage.patch("persistentvolumeclaims", "data/status", {
      status: { conditions: [{ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
    }),
  );
const preResize = { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" };

export const scripts: readonly Script[] = [
  ...Object.keys(sources).map((source) => ({
    name: `a volume of the type ${source}`,
    steps: [...begin({ source }), grows("2Gi"), grows("3Gi"), gets("2Gi"), gets("3Gi")],
  })),
  { name: "the claim is not bound", steps: [...begin({ bound: false }), gets("500Mi")] },
  { name: "the volume is bound to another claim", steps: [...begin({ isOwn: false, source: "aws" }), grows("2Gi")] },
  {
    name: "the volume has the annotation of an expansion in progress",
    steps: [...begin({ volumeAnnotations: preResize }), gets("2Gi")],
  },
  {
    name: "conditions of the resizer are kept",
    steps: [...begin(), conditions("Resizing"), grows("2Gi"), conditions("FileSystemResizePending"), gets("2Gi")],
  },
  {
    name: "the claim is annotated with another resizer",
    steps: [
      ...begin({ source: "aws", annotations: { "volume.kubernetes.io/storage-resizer": "other.example.com" } }),
      grows("2Gi"),
      grows("3Gi"),
    ],
  },
];
