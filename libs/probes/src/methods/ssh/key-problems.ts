import { createPrivateKey } from 'node:crypto';
import { isRecord } from '@vantage/kernel';
import ssh2 from 'ssh2';
import type { AnyProbe } from '../../contract/probe.ts';
import { maxRounds, readPem, roundsOf } from './private-key.ts';

/** The fault of a setting. */
export interface SettingProblem {
  /** Dotted, in the Options. */
  readonly path: string;
  readonly message: string;
}

/**
 * The faults of the private keys in a Method's Options. Skips references to secrets and the masks of stored keys, and
 * decrypts nothing. The controller calls it before it stores settings. A check with an unusable key ends with
 * ResultCode 8 or 6.
 */
export function keyProblems(probe: AnyProbe, options: unknown): readonly SettingProblem[] {
  const keys = probe.secretOptions.flatMap((path) => {
    const key =
      path.endsWith('PrivateKey') || path.endsWith('ClientKey') ? valueAt(options, path) : undefined;
    return typeof key === 'string' && key !== '***' && !key.includes('${') ? [{ path, key }] : [];
  });
  return keys.flatMap(({ path, key }) => {
    const message =
      path === 'PrivateKey'
        ? sshKeyProblem(key, valueAt(options, 'Passphrase') !== undefined)
        : tlsKeyProblem(key);
    return message === undefined ? [] : [{ path, message }];
  });
}

function sshKeyProblem(text: string, hasPassphrase: boolean): string | undefined {
  const none = 'is no private key in OpenSSH or PEM form (-----BEGIN OPENSSH PRIVATE KEY----- …)';
  const pem = readPem(text);
  if (pem === undefined) return none;
  if (roundsOf(pem) > maxRounds)
    return `takes more than ${maxRounds} rounds to open: encrypt it with ssh-keygen -p -a 16`;
  if (pem.kind === '' || pem.kind === 'ENCRYPTED')
    return 'is a PKCS#8 key, which is not read here: convert it with ssh-keygen -p -m PEM';
  const parsed = ssh2.utils.parseKey(text);
  if (!(parsed instanceof Error)) return undefined;
  if (!/passphrase/i.test(parsed.message)) return none;
  return hasPassphrase ? undefined : 'is encrypted: send its Passphrase too';
}

function tlsKeyProblem(text: string): string | undefined {
  const none = 'is no private key in PEM form (-----BEGIN PRIVATE KEY----- …)';
  const pem = readPem(text);
  if (pem === undefined || pem.kind === 'OPENSSH') return none;
  if (pem.kind === 'ENCRYPTED' || pem.headers.some((line) => line.includes('ENCRYPTED')))
    return 'is encrypted: send it without a passphrase';
  try {
    createPrivateKey(text);
    return undefined;
  } catch {
    return none;
  }
}

function valueAt(options: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), options);
}
