import type { TcpFigures } from '@vantage/icmp';

/**
 * The duration of a connect. `seenMs` passed between the connect call and its event in this process. The event waits
 * for the event loop; the kernel's handshake time (from the SYN to its answer) does not. So the kernel's time is used
 * unless it cannot be right:
 *
 * | figures of the kernel | ConnectTime |
 * |---|---|
 * | none: not on Linux, or no addon | seen |
 * | the SYN was sent again: the kernel does not measure the whole handshake (Karn's algorithm, RFC 6298 section 3) | seen |
 * | more samples than the handshake: the deviation is not half of the time (RFC 6298 section 2.2) | seen |
 * | zero, or more than seen | seen |
 * | otherwise | the kernel's |
 */
export function connectTime(seenMs: number, figures: TcpFigures | undefined): number {
  if (figures === undefined || figures.sentAgain > 0) return seenMs;
  const { rttUs, rttvarUs } = figures;
  const oneSample = Math.abs(rttUs - 2 * rttvarUs) <= 1;
  const kernelMs = rttUs / 1000;
  return oneSample && kernelMs > 0 && kernelMs <= seenMs ? kernelMs : seenMs;
}
