/** All contract cases. */
import type { Table } from "./case.ts";
import { basics } from "./cases/basics.ts";
import { lifecycle } from "./cases/lifecycle.ts";
import { patches } from "./cases/patches.ts";

export const tables: readonly Table[] = [basics, patches, lifecycle];
