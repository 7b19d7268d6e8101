import path from 'node:path';
import { messageOf, readIfPresentSync } from '@vantage/kernel';
import type { ControllerFinding } from './controller-finding.ts';

const step = 'key file';
const keyBytes = 32;

/** Examines the key file of a data folder that a controller has used. Never throws. */
export function examineKeyFile(
  folder: string,
  settings: Readonly<Record<string, string>>,
): ControllerFinding {
  const file = settings['VANTAGE_SECRET_KEY_FILE'] ?? path.join(folder, 'secret.key');
  const fault = (text: string): ControllerFinding => ({
    level: 'fault',
    step,
    text,
    remedy:
      'Restore it from your copy or from a backup: without it no controller starts and no backup succeeds. docs/secrets.md.',
  });
  try {
    const text = readIfPresentSync(file);
    if (text === undefined) return fault(`${file} is missing`);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const isGood = lines.length > 0 && lines.every((line) => Buffer.from(line, 'base64').length === keyBytes);
    return isGood ? { level: 'ok', step, text: file } : fault(`${file} has no valid key`);
  } catch (error) {
    return fault(`${file} cannot be read: ${messageOf(error)}`);
  }
}
