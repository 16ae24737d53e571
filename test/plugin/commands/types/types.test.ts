import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Definition, type Schema, typesOf } from "../../../../plugin/commands/types/type-text.ts";
import { runProgram } from "../../../support/program.ts";

const top = join(import.meta.dir, "..", "..", "..", "..");

function definition(kind: string, plural: string, schema: Schema, more: Partial<Definition["spec"]> = {}): Definition {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return { spec: { group: "example.com", scope: "Namespaced", names: { kind, plural }, versions, ...more } };
}

/** All forms that a schema can have. */
const hard: Schema = {
  type: "object",
  description: "A tenant. */ ends no comment",
  required: ["spec"],
  properties: {
    apiVersion: { type: "string" },
    metadata: { type: "object" },
    spec: {
      type: "object",
      required: ["size", "first-name"],
      properties: {
        size: { type: "integer" },
        "first-name": { type: "string" },
        port: { "x-kubernetes-int-or-string": true },
        mode: { type: "string", enum: ["on", "off"] },
        modes: { type: "array", items: { type: "string", enum: ["a", "b"] } },
        none: { type: "string", nullable: true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        limits: { type: "object", additionalProperties: { type: "object", properties: { max: { type: "number" } } } },
        anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        some: { type: "object", properties: { a: { type: "boolean" } }, "x-kubernetes-preserve-unknown-fields": true },
        untyped: { "x-kubernetes-preserve-unknown-fields": true },
        rows: {
          type: "array",
          items: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        },
      },
    },
  },
};

describe("types of custom resources", () => {
  test("have each form of a schema", () => {
    expect(typesOf([definition("Tenant", "tenants", hard)]))
      .toBe(`import { type Kind, kindOf, type StoredObject } from "kubectl-reconcile";

/** A tenant. *\\/ ends no comment */
export interface Tenant extends StoredObject {
  readonly spec: TenantSpec;
}

export interface TenantSpec {
  readonly size: number;
  readonly "first-name": string;
  readonly port?: number | string;
  readonly mode?: "on" | "off";
  readonly modes?: readonly ("a" | "b")[];
  readonly none?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, TenantSpecLimitsValue>>;
  readonly anything?: Readonly<Record<string, unknown>>;
  readonly some?: TenantSpecSome;
  readonly untyped?: unknown;
  readonly rows?: readonly (readonly TenantSpecRowsItemItem[])[];
}

export interface TenantSpecLimitsValue {
  readonly max?: number;
}

export interface TenantSpecSome {
  readonly a?: boolean;
  readonly [field: string]: unknown;
}

export interface TenantSpecRowsItemItem {
  readonly x?: number;
}

/** Tenant (example.com/v1), in namespaces. */
export const Tenants: Kind<Tenant> = kindOf<Tenant>({
  group: "example.com",
  version: "v1",
  kind: "Tenant",
  plural: "tenants",
  namespaced: true,
});
`);
  });

  test("have separate names for other versions, plurals, and kinds of the same name; the given order does not matter", () => {
    const of = (name: string, storage: boolean, served = true): Definition["spec"]["versions"][number] => ({
      name,
      storage,
      served,
    });
    const policy = definition(
      "Policy",
      "policies",
      {},
      { versions: [of("v1beta1", false), of("v1", true), of("v1alpha1", false, false)] },
    );
    const other = definition("Policy", "policies", {}, { group: "other.com", scope: "Cluster" });
    const sheep = definition("Sheep", "sheep", {});
    const text = typesOf([sheep, other, policy]);
    const exported = [...text.matchAll(/^export (?:interface|const) (\w+)/gm)].map(([, name]) => name);
    expect(exported).toEqual([
      "Policy",
      "Policies",
      "PolicyV1beta1",
      "PoliciesV1beta1",
      "Policy2",
      "Policies2",
      "Sheep",
      "SheepKind",
    ]);
    expect(typesOf([policy, sheep, other])).toBe(text);
    expect(text.match(/namespaced: false/g)).toHaveLength(1);
  });

  test("compile with the strictest settings, and kinds are used with their types", async () => {
    const folder = mkdtempSync(join(tmpdir(), "types-"));
    try {
      writeFileSync(
        join(folder, "kinds.ts"),
        typesOf([definition("Tenant", "tenants", hard), definition("Sheep", "sheep", {})]),
      );
      writeFileSync(
        join(folder, "use.ts"),
        `import type { SyncContext } from "kubectl-reconcile";
import { Tenants } from "./kinds.ts";

export function sizeOf(context: SyncContext): number {
  const tenant = context.cache(Tenants).getNamespaced("shop", "a");
  const size: number = tenant?.spec.size ?? 0;
  // @ts-expect-error -- a mode is on or off
  const wrong: "on" | undefined = tenant?.spec.mode;
  return wrong === undefined ? size : 0;
}
`,
      );
      const compilerOptions = {
        target: "ESNext",
        module: "ESNext",
        moduleResolution: "bundler",
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        isolatedDeclarations: true,
        declaration: true,
        noUnusedLocals: true,
        allowImportingTsExtensions: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        paths: { "kubectl-reconcile": [join(top, "src", "index.ts")] },
        typeRoots: [join(top, "node_modules")],
      };
      const config = {
        extends: join(top, "tsconfig.json"),
        compilerOptions: { ...compilerOptions, types: ["bun-types"] },
        files: ["kinds.ts", "use.ts"],
        include: [],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const tsc = join(top, "node_modules", ".bin", "tsc");
      const { stdout, code } = await runProgram([tsc, "-p", folder], { timeoutMs: 240_000 });
      expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 250_000);
});
