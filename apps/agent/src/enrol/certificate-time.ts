import { timesOf } from './identity-folder.ts';

/**
 * A certificate is renewed after this share of its time, and up to so much later, so that agents do not come together.
 */
const renewAfter = { share: 2 / 3, spread: 1 / 12 };

/** Whether a certificate (PEM; empty: there is none) is good no more. Pure. */
export function isOver(certificate: string, nowUs: number): boolean {
  return certificate === '' || nowUs >= timesOf(certificate).toUs;
}

/** Whether a certificate is to be renewed. `jitter` is a number from 0 to 1 that the agent keeps. Pure. */
export function isDue(certificate: string, nowUs: number, jitter: number): boolean {
  if (certificate === '') return true;
  const { fromUs, toUs } = timesOf(certificate);
  return nowUs >= fromUs + (toUs - fromUs) * (renewAfter.share + renewAfter.spread * jitter);
}
