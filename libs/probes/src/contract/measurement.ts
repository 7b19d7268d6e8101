import { diagnosticsBytes, type Json, resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { Mask } from '../redact/mask.ts';
import type { Peer, Phases } from './dial.ts';
import type { Extended, Measurement, Outcome } from './probe.ts';

/** A fact as a probe notes it: a value, or a function asked once when the check has ended. */
export type Detail = Json | (() => Json);

const longestText = 500;
const longestString = 8 * 1024;

/**
 * Puts a measurement together: facts, for failures the diagnostics, then what the outcome itself brings; secrets
 * masked; every text fit for a database column (no control characters, well-formed Unicode) and all of it at most 64
 * KiB, diagnostics being dropped first.
 */
export function measure(seen: {
  readonly outcome: Outcome;
  readonly phases: Phases;
  readonly peers: readonly Peer[];
  readonly facts: ReadonlyMap<string, Detail>;
  readonly diagnostics: ReadonlyMap<string, Detail>;
  readonly mask: Mask;
  readonly slowMs: number | undefined;
}): Measurement {
  const { outcome, phases, peers, facts, diagnostics, mask, slowMs } = seen;
  const good = outcome.code === resultCode.ok;
  const entries = [...facts, ...Object.entries(outcome.extended), ...(good ? [] : diagnostics)];
  const totalMs = phases.dns + phases.connect + phases.ssl + phases.ttfb + phases.ttlb;
  const flat = mask
    .text(outcome.text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return {
    code: outcome.code,
    text: flat.length > longestText ? `${flat.slice(0, longestText)}…` : flat,
    phases,
    dataSize: outcome.dataSize,
    slow: good && slowMs !== undefined && totalMs > slowMs,
    peers,
    extended: bounded(entries, mask),
  };
}

function bounded(entries: readonly (readonly [string, Detail])[], mask: Mask): Extended {
  const kept: Record<string, Json> = {};
  let size = 0;
  for (const [key, detail] of entries) {
    const value = fit(mask.json(ask(detail)), 0);
    const length = JSON.stringify(value).length + key.length;
    if (size + length > diagnosticsBytes) {
      kept['Truncated'] = true;
      continue;
    }
    size += length;
    kept[key] = value;
  }
  return kept;
}

/** A fact that throws is left out. The check keeps its result. */
function ask(detail: Detail): Json {
  if (typeof detail !== 'function') return detail;
  try {
    return detail();
  } catch (error) {
    return `not available: ${messageOf(error)}`;
  }
}

function fit(value: Json, depth: number): Json {
  if (typeof value === 'string') {
    const cut = value.length > longestString ? `${value.slice(0, longestString)}…` : value;
    return cut.replaceAll('\0', '\\x00').toWellFormed();
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= 8) return '…';
  if (isList(value)) return value.slice(0, 300).map((each) => fit(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 300)
      .map(([key, each]) => [key.replaceAll('\0', '\\x00').toWellFormed(), fit(each, depth + 1)]),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
