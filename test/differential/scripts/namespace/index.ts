/** All written scripts. */
import type { Script } from "../../suite.ts";
import { content } from "./content.ts";
import { heldBack } from "./held.ts";
import { kindsThatChange } from "./kinds-that-change.ts";

export const scripts: readonly Script[] = [...content, ...heldBack, ...kindsThatChange];
