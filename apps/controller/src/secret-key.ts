import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { Fault } from '@vantage/kernel';
import { sealKeyBytes } from './seal.ts';

/**
 * The key for secrets at rest: the file's 32 bytes in base64, made (0600) when there is none. Controllers that start together
 * agree on the one that was first. Throws a Fault when the file holds something else.
 */
export async function readSecretKey(file: string): Promise<Buffer> {
  const found = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Fault('stop', 'secret_key', `the key file ${file} cannot be read (VANTAGE_SECRET_KEY_FILE)`, {
      cause: error,
    });
  });
  if (found === undefined) {
    const part = `${file}.${randomBytes(6).toString('hex')}.part`;
    await writeFile(part, `${randomBytes(sealKeyBytes).toString('base64')}\n`, { mode: 0o600, flush: true });
    await link(part, file).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    await rm(part);
    return readSecretKey(file);
  }
  const key = Buffer.from(found.trim(), 'base64');
  if (key.length !== sealKeyBytes || key.toString('base64') !== found.trim())
    throw new Fault(
      'stop',
      'secret_key',
      `${file} must hold ${sealKeyBytes} bytes as base64 (VANTAGE_SECRET_KEY_FILE); without the right key the stored secrets cannot be read`,
    );
  return key;
}
