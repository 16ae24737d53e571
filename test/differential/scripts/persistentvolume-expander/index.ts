/** Written scripts. */
import type { Script, Step } from "../../suite.ts";
import { type ClaimParts, grow, has, makeClaim, makeClass, sources, step } from "./acts.ts";

const begin = (parts: ClaimParts = {}): readonly Step[] => [
  step("a class", makeClass),
  step("a claim and its volume", (stage) => makeClaim(stage, "data", parts)),
];
const grows = (size: string): Step => step(`it requests ${size}`, (stage) => grow(stage, "data", size));
const gets = (size: string): Step => step(`it has ${size}`, (stage) => has(stage, "data", size));
const conditions = (type: string): Step =>
  step(`condition ${type}`, (stage) =>
    stage.patch("persistentvolumeclaims", "data/status", {
      status: { conditions: [{ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
    }),
  );
const preResize = { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" };

export const scripts: readonly Script[] = [
  ...Object.keys(sources).map((source) => ({
    name: `a volume of ${source}`,
    steps: [...begin({ source }), grows("2Gi"), grows("3Gi"), gets("2Gi"), gets("3Gi")],
  })),
  { name: "the claim is not bound", steps: [...begin({ bound: false }), gets("500Mi")] },
  { name: "the volume is another claim's", steps: [...begin({ isOwn: false, source: "aws" }), grows("2Gi")] },
  {
    name: "the volume says that an expansion has begun",
    steps: [...begin({ volumeAnnotations: preResize }), gets("2Gi")],
  },
  {
    name: "conditions of the resizer stay",
    steps: [...begin(), conditions("Resizing"), grows("2Gi"), conditions("FileSystemResizePending"), gets("2Gi")],
  },
  {
    name: "another resizer is named",
    steps: [
      ...begin({ source: "aws", annotations: { "volume.kubernetes.io/storage-resizer": "other.example.com" } }),
      grows("2Gi"),
      grows("3Gi"),
    ],
  },
];
