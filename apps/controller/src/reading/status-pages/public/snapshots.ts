import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import type { ServedDocument } from '@vantage/rest-kit/document';
import type { Database } from '@vantage/storage';
import type { ReadTimelines } from '../../states/state-routes.ts';
import { readHistory } from './page-history.ts';
import type { PageHistory, PageView } from './page-view.ts';
import { readPage, readView } from './view.ts';

/** A status page as readers get it now. */
export interface Snapshot {
  readonly view: PageView;
  /** The forms that were made of it already, by their name. */
  readonly forms: Map<string, ServedDocument>;
  /** It could not be read again: it shows the state of `view.nowUs`. */
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
/** A view that cannot be read again is shown as it was. After this time the page says that it is old. */
const oldMs = 30_000;
const maxPages = 100;

interface Entry {
  readMs: number;
  triedMs: number;
  historyMs: number;
  history: PageHistory;
  view: PageView;
  forms: Map<string, ServedDocument>;
}

const trackedEntries = declareState({
  name: 'status_pages',
  entries: maxPages,
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
export function createSnapshots({
  db,
  timelines,
  clock,
  log,
}: {
  readonly db: Database;
  readonly timelines: ReadTimelines;
  readonly clock: Clock;
  readonly log: Logger;
}): Snapshots {
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
      : await readHistory(db.lane('history', page.account_no), timelines, page, nowUs);
    const entry = {
      readMs: nowMs,
      triedMs: nowMs,
      history,
      historyMs: isRecent ? before.historyMs : nowMs,
      view: await readView(db.lane('reads', page.account_no), page, history, nowUs),
      forms: new Map<string, ServedDocument>(),
    };
    entries.delete(path); // set anew, so that the order is by last use
    entries.set(path, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > maxPages && oldest !== undefined) entries.delete(oldest);
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
        log.debug({ error: messageOf(error) }, 'a status page cannot be read; showing its last state');
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
