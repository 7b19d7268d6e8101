import type { Logger } from './log.ts';

/** Writes the warnings of Node.js into the log instead of plain lines on standard error. */
export function logNodeWarnings(log: Pick<Logger, 'warn'>): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name, error: message }, 'Node.js warns'));
}
