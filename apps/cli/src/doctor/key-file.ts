import path from 'node:path';
import { messageOf, readIfPresentSync } from '@vantage/kernel';
import type { Finding } from './finding.ts';

const step = 'key file';
const keyBytes = 32;

/** Examines the key file of a data folder that a controller has used. Never throws. */
export function examineKeyFile(folder: string, settings: Readonly<Record<string, string>>): Finding {
  const file = settings['VANTAGE_SECRET_KEY_FILE'] ?? path.join(folder, 'secret.key');
  const fault = (text: string): Finding => ({
    level: 'fault',
    step,
    text,
    remedy:
      'Put it back from where you keep it, or restore it from a backup: no controller starts without it, and no backup is made. docs/secrets.md.',
  });
  try {
    const text = readIfPresentSync(file);
    if (text === undefined) return fault(`${file} is missing`);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const isGood = lines.length > 0 && lines.every((line) => Buffer.from(line, 'base64').length === keyBytes);
    return isGood ? { level: 'ok', step, text: file } : fault(`${file} holds no key`);
  } catch (error) {
    return fault(`${file} cannot be read: ${messageOf(error)}`);
  }
}
