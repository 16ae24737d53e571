import { sandboxSide } from "../support/api-side.ts";
import { testProgramInFork } from "./support/program-in-fork.ts";

testProgramInFork("a sandbox", sandboxSide);
