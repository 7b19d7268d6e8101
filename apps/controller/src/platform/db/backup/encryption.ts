import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { Fault, messageOf } from '@vantage/kernel';

/**
 * Who can read a backup: the owner of a passphrase, or of one of these age recipients (`age1…`). To try a passphrase
 * costs 2 ^ `workFactor` steps of scrypt; as many as age takes by itself unless given.
 */
export type Lock =
  | { readonly passphrase: string; readonly workFactor?: number }
  | { readonly recipients: readonly string[] };

/** Opens encrypted backups: a passphrase, or age identities (`AGE-SECRET-KEY-1…`). */
export type BackupKey = { readonly passphrase: string } | { readonly identities: readonly string[] };

/** An encrypted file begins so (age-encryption.org/v1). */
const mark = Buffer.from('age-encryption.org/');

/** Most programs that know of backups encrypt none, and it has many modules. */
const loadAge = () => import('age-encryption');

/**
 * Encrypts a stream in the format of age; the tool `age` decrypts it, too. Throws a Fault for a recipient that is none.
 */
export async function* encrypted(plain: AsyncIterable<Buffer>, lock: Lock): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    if (lock.workFactor !== undefined) encrypter.setScryptWorkFactor(lock.workFactor);
  } else
    for (const recipient of lock.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch (cause) {
        const why = `${recipient} is no recipient of age (age1…): ${messageOf(cause)}`;
        throw new Fault('drop', 'bad_recipient', why, { cause });
      }
    }
  yield* await encrypter.encrypt(ReadableStream.from<Uint8Array>(plain));
}

/**
 * Reads a backup's file: without a key as it is, with one decrypted. Throws a Fault where the key is missing or another
 * one, and where it opens nothing, because anybody who can write to the folder can put a plain file there.
 */
export async function readDecrypted(file: string, key: BackupKey | undefined): Promise<Readable> {
  const sealed = await isEncrypted(file).catch((cause: unknown) => {
    throw new Fault('drop', 'unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (!sealed && key === undefined) return createReadStream(file);
  if (!sealed)
    throw new Fault(
      'drop',
      'not_encrypted',
      `${file} is not encrypted, so it is not the backup that this passphrase or identity opens, and somebody may have put it there. Where you know that the file was never encrypted, leave out --passphrase-file or --identity-file`,
    );
  if (key === undefined)
    throw new Fault(
      'drop',
      'encrypted',
      `${file} is encrypted: --passphrase-file or --identity-file opens it`,
    );
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  const bytes = createReadStream(file);
  try {
    if ('passphrase' in key) decrypter.addPassphrase(key.passphrase);
    else for (const identity of key.identities) decrypter.addIdentity(identity);
    return Readable.from(await decrypter.decrypt(ReadableStream.from<Uint8Array>(bytes)), {
      objectMode: false,
    });
  } catch (cause) {
    bytes.destroy();
    const why = `${file} cannot be decrypted with this passphrase or identity: ${messageOf(cause)}`;
    throw new Fault('drop', 'wrong_key', why, { cause });
  }
}

async function isEncrypted(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return buffer.equals(mark);
}
