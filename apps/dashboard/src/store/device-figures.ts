import type { Schemas } from '@vantage/client';
import { useEffect } from 'preact/hooks';
import { type DeviceFigures, figuresOf } from '../model/device-figures.ts';
import { api, take } from './api.ts';
import { serverNow } from './clock.ts';
import { accountSignal, onSignInEnd, signInEnd } from './present-sign-in.ts';

/** The figures of a device over the last 24 hours. */
export interface RowFigures extends DeviceFigures {
  /** Of the time in which it was observed outside maintenance; null: it was not observed. */
  readonly uptime: number | null;
  /** The part of the 24 hours in which it was observed, 0 to 1. */
  readonly observed: number;
}

interface KnownFigures {
  readonly figures: RowFigures;
  readonly readMs: number;
}

const dayMs = 86_400_000;
/** Figures of 24 hours change slowly. */
const freshMs = 300_000;
/** The devices of one request: three reads for each of them. */
const batchSize = 25;
/** Rows that are scrolled past are not read. */
const restMs = 150;

const known = accountSignal<ReadonlyMap<string, KnownFigures>>(new Map());
/** Whether the last read failed. */
export const figuresFailed = accountSignal(false);

const wanted = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
let isReading = false;
onSignInEnd(() => {
  wanted.clear();
  figuresFailed.value = false;
});

/** The figures of a row that is on the screen; undefined: not read yet. */
export function useFigures(id: string): RowFigures | undefined {
  useEffect(() => {
    const before = known.peek().get(id);
    if (before !== undefined && serverNow() - before.readMs < freshMs) return;
    wanted.add(id);
    plan();
    return () => {
      wanted.delete(id);
    };
  }, [id]);
  return known.value.get(id)?.figures;
}

function plan(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void readWanted(), restMs);
}

/** Reads the figures of wanted rows, some at a time, so that what is on the screen comes first. */
async function readWanted(): Promise<void> {
  if (isReading) return;
  isReading = true;
  const end = signInEnd();
  try {
    while (wanted.size > 0 && !end.aborted) {
      const ids = [...wanted].slice(0, batchSize);
      for (const id of ids) wanted.delete(id);
      const read = await readFigures(ids);
      if (end.aborted) return;
      known.value = new Map([...known.value, ...read]);
      figuresFailed.value = false;
    }
  } catch {
    figuresFailed.value = true;
  } finally {
    isReading = false;
  }
}

type Answer = { readonly Status: number; readonly Body: unknown };

async function readFigures(ids: readonly string[]): Promise<readonly (readonly [string, KnownFigures])[]> {
  const toMs = serverNow();
  const fromMs = toMs - dayMs;
  const span = `Timestamp1=${new Date(fromMs).toISOString()}&Timestamp2=${new Date(toMs).toISOString()}`;
  const paths = ids.flatMap((id) => [
    `/devices/${id}/statistics?${span}`,
    `/devices/${id}/statistics?${span}&Bucket=Hour`,
    `/devices/${id}/uptime?${span}`,
  ]);
  const Operations = paths.map((Path) => ({ Method: 'GET' as const, Path }));
  const { Results } = await take(api.POST('/batch', { body: { Atomic: false, Operations } }));
  const bodyAt = <Body>(at: number): Body | undefined => {
    const { Status, Body } = (Results[at] ?? { Status: 0, Body: undefined }) as Answer;
    // The answers are those of the three routes above.
    return Status === 200 ? (Body as Body) : undefined;
  };
  return ids.flatMap((id, at) => {
    const whole = bodyAt<readonly Schemas['Statistics'][]>(at * 3);
    const hours = bodyAt<readonly Schemas['Statistics'][]>(at * 3 + 1);
    const uptime = bodyAt<Schemas['Uptime']>(at * 3 + 2)?.Uptime;
    // The device was deleted meanwhile.
    if (whole === undefined || hours === undefined || uptime === undefined) return [];
    const figures = {
      ...figuresOf(whole, hours, { fromMs, toMs }),
      uptime: uptime.Percent,
      observed: (uptime.UpSeconds + uptime.DownSeconds) / (dayMs / 1_000),
    };
    return [[id, { figures, readMs: toMs }] as const];
  });
}

/** The figures of a device that were read; undefined: none. */
export const figuresKnown = (id: string): RowFigures | undefined => known.peek().get(id)?.figures;
