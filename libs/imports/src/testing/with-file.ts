import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Runs with a temporary file of this text. `otherFiles` are in the same folder, by name. */
export async function withFile<T>(
  text: string,
  work: (file: string, folder: string) => Promise<T>,
  otherFiles: Readonly<Record<string, string>> = {},
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-import-'));
  try {
    const file = path.join(folder, 'sample');
    writeFileSync(file, text);
    for (const [name, content] of Object.entries(otherFiles)) writeFileSync(path.join(folder, name), content);
    return await work(file, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
