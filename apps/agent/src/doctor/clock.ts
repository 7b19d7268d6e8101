import type { Finding } from './finding.ts';
import { clockText } from './status.ts';

/** A Date header has whole seconds, and the answer needs its time. */
const allowedMs = 5000;

/**
 * Compares this host's clock with the controller's. Both are milliseconds since 1970; `controllerMs` undefined: it
 * states no time.
 */
export function clockFinding(controllerMs: number | undefined, nowMs: number): Finding {
  if (controllerMs === undefined)
    return {
      level: 'ok',
      step: 'clock',
      text: 'the controller states no time here; the agent measures it on the stream',
    };
  const offsetMs = controllerMs - nowMs;
  if (Math.abs(offsetMs) <= allowedMs)
    return { level: 'ok', step: 'clock', text: "this host's clock agrees with the controller's" };
  return {
    level: 'warning',
    step: 'clock',
    text: clockText(offsetMs),
    remedy:
      'The agent corrects the times of its checks, but certificates need a right clock: start an NTP client.',
  };
}
