/** Files of manifests for `dry-run`. */
import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ManifestFiles {
  /** The folder that holds the files, while the tests run. */
  readonly folder: string;
  /** Writes a file with these objects; returns its path. */
  readonly fileOf: (...objects: readonly object[]) => string;
}

/** Makes the folder before the tests of the file that calls it, and removes it after them. */
export function manifestFiles(): ManifestFiles {
  let folder = "";
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "dry-run-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    get folder() {
      return folder;
    },
    fileOf(...objects) {
      const file = join(folder, `${++files}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
      return file;
    },
  };
}

export function configMap(name: string, data: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}
