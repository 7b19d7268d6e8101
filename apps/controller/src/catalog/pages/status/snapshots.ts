import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import type { Document } from '../../../rest/http/document.ts';
import { type PageHistory, type PageView, readHistory, readPage, readView, type ViewDeps } from './view.ts';

/** A status page as readers get it now. */
export interface Snapshot {
  readonly view: PageView;
  /** The forms that were made of it already, by their name. */
  readonly forms: Map<string, Document>;
  /** It could not be read anew: what it shows is of `view.nowUs`. */
  readonly isOld: boolean;
}

/** Reads status pages. */
export interface Snapshots {
  /** The page at this path; undefined: there is none. Rejects when it was never read and cannot be read now. */
  read(path: string): Promise<Snapshot | undefined>;
}

/** Readers of one page see statuses that are at most so old, however many they are. */
const freshMs = 5_000;
const historyFreshMs = 300_000;
/** A view that cannot be read anew is shown as it was. So long after the last good reading it is said to be old. */
const oldMs = 30_000;
const kept = 100;

interface Entry {
  readMs: number;
  triedMs: number;
  historyMs: number;
  history: PageHistory;
  view: PageView;
  forms: Map<string, Document>;
}

const trackedEntries = declareState({
  name: 'status_pages',
  entries: kept,
  entryBytes: 600_000,
  filledBy: 'readers of status pages',
  atBound: 'the least used is forgotten',
});
const trackedReading = declareState({
  name: 'status_page_readings',
  entries: 1_000,
  entryBytes: 500,
  filledBy: 'readers of status pages',
  atBound: 'requests without a key are limited',
});

/** Creates the reader. Requests for the same page at the same moment are one reading. */
export function createSnapshots(deps: ViewDeps & { readonly clock: Clock; readonly log: Logger }): Snapshots {
  const { db, clock, log } = deps;
  const entries = trackedEntries(new Map<string, Entry>());
  const reading = trackedReading(new Map<string, Promise<Entry | undefined>>());

  const readNow = async (path: string, before: Entry | undefined): Promise<Entry | undefined> => {
    const page = await readPage(db.kysely, path);
    if (page === undefined) {
      entries.delete(path);
      return undefined;
    }
    const [nowMs, nowUs] = [clock.monoMs(), clock.nowUs()];
    const isSame =
      before?.view.page.page_no === page.page_no && String(before.view.page.tag_nos) === String(page.tag_nos);
    const isRecent = isSame && nowMs - before.historyMs < historyFreshMs;
    const history = isRecent
      ? before.history
      : await db.inLane('history', page.account_no, () => readHistory(deps, page, nowUs));
    const entry = {
      readMs: nowMs,
      triedMs: nowMs,
      history,
      historyMs: isRecent ? before.historyMs : nowMs,
      view: await db.inLane('reads', page.account_no, () => readView(deps, page, history, nowUs)),
      forms: new Map<string, Document>(),
    };
    entries.delete(path); // set anew, so that the order is by last use
    entries.set(path, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > kept && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  const readOnce = (path: string, before: Entry | undefined): Promise<Entry | undefined> => {
    const running = reading.get(path);
    if (running !== undefined) return running;
    const started = readNow(path, before).finally(() => reading.delete(path));
    reading.set(path, started);
    return started;
  };

  return {
    async read(path) {
      const before = entries.get(path);
      const nowMs = clock.monoMs();
      if (before !== undefined && nowMs - before.triedMs < freshMs) return shown(before, nowMs);
      try {
        const entry = await readOnce(path, before);
        return entry && shown(entry, nowMs);
      } catch (error) {
        if (before === undefined) throw error;
        log.debug({ error: messageOf(error) }, 'a status page cannot be read anew; showing it as it was');
        before.triedMs = nowMs;
        return shown(before, nowMs);
      }
    },
  };
}

function shown({ view, forms, readMs }: Entry, nowMs: number): Snapshot {
  const isOld = nowMs - readMs > oldMs;
  return { view, isOld, forms: isOld ? new Map() : forms };
}
