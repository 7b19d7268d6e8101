import { diagnosticsBytes, isJsonList, type Json, type ResultCode, resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { Peer, Phases } from '../contract/dial.ts';
import type { Extended, Measurement, ProbeOutcome } from '../contract/probe.ts';
import type { Mask } from '../redact/mask.ts';
import { fitValues } from './measured-values.ts';

/** An outcome with only a code and a text. */
export function bareOutcome(code: ResultCode, text: string): ProbeOutcome {
  return { code, text, dataSize: 0, extended: {} };
}

/** A fact of a probe: a value, or a function that is called once when the check has ended. */
export type Detail = Json | (() => Json);

const maxText = 500;
const maxString = 8 * 1024;

/**
 * Builds a measurement: facts, the extended data of the outcome, and diagnostics for a failure. Secrets are masked.
 * Every text is fit for a database column (no control characters, well-formed Unicode). The total is at most 64 KiB;
 * diagnostics are dropped first. Values that cannot be stored are counted as the fact `ValuesDropped`.
 */
export function measure(check: {
  readonly outcome: ProbeOutcome;
  readonly phases: Phases;
  readonly peers: readonly Peer[];
  readonly facts: ReadonlyMap<string, Detail>;
  readonly diagnostics: ReadonlyMap<string, Detail>;
  readonly mask: Pick<Mask, 'text' | 'json'>;
  readonly slowMs: number | undefined;
}): Measurement {
  const { outcome, phases, peers, facts, diagnostics, mask, slowMs } = check;
  const good = outcome.code === resultCode.ok;
  const fit = outcome.values === undefined ? undefined : fitValues(outcome.values, mask);
  const dropped: [string, Detail][] =
    fit !== undefined && fit.dropped > 0 ? [['ValuesDropped', fit.dropped]] : [];
  const entries = [...facts, ...Object.entries(outcome.extended), ...dropped, ...(good ? [] : diagnostics)];
  const totalMs = phases.dns + phases.connect + phases.ssl + phases.ttfb + phases.ttlb;
  const flat = mask
    .text(outcome.text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return {
    code: outcome.code,
    text: flat.length > maxText ? `${flat.slice(0, maxText)}…` : flat,
    phases,
    dataSize: outcome.dataSize,
    slow: good && slowMs !== undefined && totalMs > slowMs,
    peers,
    extended: bounded(entries, mask),
    ...(fit !== undefined && fit.values.length > 0 && { values: fit.values }),
  };
}

function bounded(entries: readonly (readonly [string, Detail])[], mask: Pick<Mask, 'json'>): Extended {
  const extended: Record<string, Json> = {};
  let size = 0;
  for (const [key, detail] of entries) {
    const value = fitJson(mask.json(ask(detail)), 0);
    const length = JSON.stringify(value).length + key.length;
    if (size + length > diagnosticsBytes) {
      extended['Truncated'] = true;
      continue;
    }
    size += length;
    extended[key] = value;
  }
  return extended;
}

/** An exception in a fact does not change the result of the check. */
function ask(detail: Detail): Json {
  if (typeof detail !== 'function') return detail;
  try {
    return detail();
  } catch (error) {
    return `not available: ${messageOf(error)}`;
  }
}

function fitJson(value: Json, depth: number): Json {
  if (typeof value === 'string') {
    const cut = value.length > maxString ? `${value.slice(0, maxString)}…` : value;
    return cut.replaceAll('\0', '\\x00').toWellFormed();
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= 8) return '…';
  if (isJsonList(value)) return value.slice(0, 300).map((item) => fitJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 300)
      .map(([key, item]) => [key.replaceAll('\0', '\\x00').toWellFormed(), fitJson(item, depth + 1)]),
  );
}
