/** The rate of a bucket: it fills evenly with `perSecond` tokens, up to `burst`. */
export interface TokenRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Limits a rate, with bursts. It begins full. Times are monotonic milliseconds. */
export class TokenBucket {
  private readonly rate: TokenRate;
  private tokens: number;
  private atMs: number;

  constructor(rate: TokenRate, nowMs: number) {
    this.rate = rate;
    this.tokens = rate.burst;
    this.atMs = nowMs;
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(nowMs: number): number {
    this.tokens = this.tokensAt(nowMs);
    this.atMs = nowMs;
    if (this.tokens < 1) return ((1 - this.tokens) / this.rate.perSecond) * 1000;
    this.tokens -= 1;
    return 0;
  }

  /** A full bucket is like a new one, so its owner may forget it. */
  isFull(nowMs: number): boolean {
    return this.tokensAt(nowMs) >= this.rate.burst;
  }

  private tokensAt(nowMs: number): number {
    return Math.min(this.rate.burst, this.tokens + ((nowMs - this.atMs) / 1000) * this.rate.perSecond);
  }
}
