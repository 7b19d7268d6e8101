import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file so that a reader sees the old one or the new one, never a part. */
export function writeWhole(file: string, text: string, mode: number): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text, { mode, flush: true });
  chmodSync(part, mode);
  renameSync(part, file);
}
