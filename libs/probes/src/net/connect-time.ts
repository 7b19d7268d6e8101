import type { TcpFigures } from '@vantage/icmp';

/**
 * How long a connect took, milliseconds. `seenMs` passed between the connect call and its event in this process. The
 * event waits for the event loop, and the kernel's handshake time (from the SYN to its answer) does not, so the
 * kernel's counts unless it cannot be right:
 *
 * | figures of the kernel | ConnectTime |
 * |---|---|
 * | none: other systems than Linux, no addon | seen |
 * | a SYN was sent again: the kernel's time is none of the whole handshake (Karn's algorithm, RFC 6298 section 3) | seen |
 * | more samples than the handshake's: the deviation is not half of the time (RFC 6298 section 2.2) | seen |
 * | zero, or more than seen | seen |
 * | else | the kernel's |
 */
export function connectTime(seenMs: number, figures: TcpFigures | undefined): number {
  if (figures === undefined || figures.sentAgain > 0) return seenMs;
  const { rttUs, rttvarUs } = figures;
  const oneSample = Math.abs(rttUs - 2 * rttvarUs) <= 1;
  const kernelMs = rttUs / 1000;
  return oneSample && kernelMs > 0 && kernelMs <= seenMs ? kernelMs : seenMs;
}
