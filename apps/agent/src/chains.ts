import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import type { CheckResult } from '@vantage/proto';
import { z } from 'zod';
import { afterRecorded, type Chain, type ChainRules, noChain, resumed } from './chain.ts';
import { readChecked, writeChecked } from './disk.ts';

/**
 * Where each device's retry chain stands by the results that are on disk, so that a restart goes on with it. A file holds what
 * rests on results that left the disk; the rest is read from the outbox again. So a healthy check costs nothing here.
 */
export interface Chains {
  /** The chain to go on with at `nowUs` (corrected microseconds). */
  of(deviceNo: number, nowUs: number): Chain;
  /** A result is on disk: just written, or found there at the start. Oldest first. */
  take(result: CheckResult): void;
  /** Devices that are assigned no longer, or under other settings, have no chain. */
  prune(): void;
  /** Resolves when all that was taken is in the file, or could not be written. */
  written(): Promise<void>;
}

/** Under which settings a device is watched now. */
export interface Rules {
  readonly revision: number;
  readonly rules: ChainRules;
}

interface Kept {
  readonly revision: number;
  readonly chain: Chain;
}

const us = z.int();
const phase = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('open'),
    chainId: z.string(),
    k: z.int().min(1),
    dueUs: us,
    orderId: z.string(),
  }),
  z.object({ kind: z.literal('over') }),
]);
const last = z.object({ chainId: z.string(), k: z.int().min(0) }).optional();
const entry = z.object({ deviceNo: z.int(), revision: z.int(), phase, last });
const content = z.array(entry);

/** Opens what is kept in the folder. A disk that refuses is told to `onFault`, once per change. */
export async function openChains(deps: {
  readonly folder: string;
  /** Undefined: not assigned. */
  readonly rulesOf: (deviceNo: number) => Rules | undefined;
  readonly onFault: (text: string) => void;
}): Promise<Chains> {
  const { rulesOf } = deps;
  const file = path.join(deps.folder, 'chains.bin');
  let lastFault = '';
  const fault = (text: string) => {
    if (text !== lastFault) deps.onFault(text);
    lastFault = text;
  };
  const kept = await load(file, fault);
  let isDirty = false;
  let writing = Promise.resolve();

  const put = (deviceNo: number, own: Kept) => {
    if (own.chain.phase.kind === 'none') kept.delete(deviceNo);
    else kept.set(deviceNo, own);
    isDirty = true;
  };
  const write = async () => {
    if (!isDirty) return;
    isDirty = false;
    const rows = [...kept].map(([deviceNo, { revision, chain }]) => ({ deviceNo, revision, ...chain }));
    try {
      await writeChecked(file, Buffer.from(JSON.stringify(rows)));
      lastFault = '';
    } catch (error) {
      isDirty = true;
      fault(`retry chains cannot be kept: ${messageOf(error)}`);
    }
  };

  return {
    of(deviceNo, nowUs) {
      const own = kept.get(deviceNo);
      const now = rulesOf(deviceNo);
      if (own === undefined || own.revision !== now?.revision) return noChain;
      return resumed(own.chain, now.rules, nowUs);
    },
    take(result) {
      const { deviceNo, revision } = result;
      const own = kept.get(deviceNo);
      if (own === undefined && result.resultCode === 1) return;
      const now = rulesOf(deviceNo);
      if (now === undefined || now.revision !== revision) return;
      const before = own?.revision === revision ? own.chain : noChain;
      const after = afterRecorded(before, answerOf(result), now.rules);
      if (after !== before) put(deviceNo, { revision, chain: after });
    },
    prune() {
      for (const [deviceNo, { revision }] of kept) {
        if (rulesOf(deviceNo)?.revision === revision) continue;
        kept.delete(deviceNo);
        isDirty = true;
      }
    },
    written() {
      writing = writing.then(write);
      return writing;
    },
  };
}

function answerOf(result: CheckResult) {
  const { resultCode: code, attempt, chainId, dnsMs, connectMs, sslMs, ttfbMs, ttlbMs } = result;
  const tookMs = dnsMs + connectMs + sslMs + ttfbMs + ttlbMs;
  return { code, attempt, chainId, endUs: Number(result.startUs) + Math.round(tookMs * 1000) };
}

async function load(file: string, fault: (text: string) => void): Promise<Map<number, Kept>> {
  try {
    const { content: bytes } = await readChecked(file);
    const rows = bytes === undefined ? [] : content.parse(JSON.parse(bytes.toString('utf8')));
    return new Map(
      rows.map(({ deviceNo, revision, phase: at, last: begun }) => [
        deviceNo,
        { revision, chain: { phase: at, last: begun } },
      ]),
    );
  } catch (error) {
    fault(`the kept retry chains cannot be read: ${messageOf(error)}`);
    return new Map();
  }
}
