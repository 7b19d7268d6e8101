/** The quality of a way, as a call would use it. */
export interface CallQuality {
  readonly meanRttMs: number;
  readonly jitterMs: number;
  readonly lossPercent: number;
}

/** The rating of a call without any delay or loss, with the default values of ITU-T G.107 (section 7.7). */
const defaultRating = 93.2;
/** G.711 with packet loss concealment: its robustness (ITU-T G.113, appendix I). It has no impairment of its own. */
const lossRobustness = 25.1;
const worstImpairment = 95;
/** Packets of 20 ms, the usual ones of voice. */
const packetMs = 20;
/** The buffer that evens out the jitter. */
const jitterBufferTimes = 2;

/**
 * The mean opinion score of a call, 1 (bad) to 4.4 (good), by the E-model of ITU-T G.107. The delay from mouth to ear
 * is half of the round trip, a packet, and a buffer of twice the jitter. The codec is G.711 with concealment, losses
 * are random, and there is no echo. Pure.
 */
export function meanOpinionScore({ meanRttMs, jitterMs, lossPercent }: CallQuality): number {
  const delayMs = meanRttMs / 2 + packetMs + jitterMs * jitterBufferTimes;
  return scoreOf(defaultRating - delayImpairment(delayMs) - lossImpairment(lossPercent));
}

/** Idd of G.107 (section 7.4.3, formulas 7-27 and 7-28), from the one-way delay. */
export function delayImpairment(delayMs: number): number {
  if (delayMs <= 100) return 0;
  const x = Math.log2(delayMs / 100);
  return 25 * ((1 + x ** 6) ** (1 / 6) - 3 * (1 + (x / 3) ** 6) ** (1 / 6) + 2);
}

/** Ie-eff of G.107 (section 7.5, formula 7-29) with BurstR 1. */
export function lossImpairment(lossPercent: number): number {
  return (worstImpairment * lossPercent) / (lossPercent + lossRobustness);
}

/** The mean opinion score of a rating R (G.107, annex B). Below about 6.5 the formula would fall under 1. */
export function scoreOf(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return 4.5;
  return Math.max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6);
}
