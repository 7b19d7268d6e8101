import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { z } from 'zod';

/** Files by their path in a folder; contents in base64. */
export type Files = Readonly<Record<string, string>>;

/** The shape of `Files`, for parsing. */
export const filesSchema = z.record(z.string(), z.string());

/** Reads the files below a folder for whose path in the folder `wanted` is true. */
export function readFolder(folder: string, wanted: (file: string) => boolean = () => true): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter(wanted)
      .sort()
      .map((file) => [file, readFileSync(path.join(folder, file)).toString('base64')]),
  );
}

/** Writes files below a folder, readable by this user only. */
export function writeFolder(folder: string, files: Files): void {
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}

/** Writes a value as JSON, compressed with Brotli. */
export function pack(file: string, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  writeFileSync(file, brotliCompressSync(text, { params }));
}

/** Reads the JSON text that `pack` wrote. */
export function unpackText(file: string): string {
  return brotliDecompressSync(readFileSync(file)).toString('utf8');
}
