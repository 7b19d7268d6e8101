import {
  momentsOf,
  neighbour,
  type Report,
  type ReportSpan,
  reportOf,
  spanText,
} from '@vantage/domain/report';
import { useLayoutEffect } from 'preact/hooks';
import { FailedScreen } from '../../parts/failed-screen.tsx';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { progress, readFacts, rows } from '../../store/account-state.ts';
import { address } from '../../store/address.ts';
import { serverNow, zone } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { readReport, readUptimes } from '../../store/read-report.ts';
import { reportSource } from '../../store/report-source.ts';
import { texts } from '../../texts/index.ts';
import { reportTexts as say } from '../../texts/report.ts';
import { type AskedReport, askFor, baseOf, chosenRows, type ReadReport, readAsked } from './asked.ts';
import { Controls } from './controls.tsx';
import { Monthly } from './monthly.tsx';
import { Sheet } from './sheet.tsx';

/** Above this many devices the span before is not read for a comparison. */
const mostCompared = 1_000;

async function read(asked: AskedReport): Promise<ReadReport | undefined> {
  const { span } = asked;
  if (span === undefined) return undefined;
  const chosen = chosenRows(rows.peek(), asked);
  const ids = chosen.map(({ id }) => id);
  const moments = momentsOf(span, zone.peek());
  const madeAt = Math.floor(serverNow() / 1_000) * 1_000;
  const shared = { asked, span, chosen, moments, madeAt };
  const until = { from: moments.from, to: Math.min(moments.to, madeAt) };
  if (until.to <= until.from || ids.length === 0)
    return {
      ...shared,
      data: { uptimes: [], outages: [], isCut: false, intervals: new Map() },
      before: undefined,
    };
  const [data, before] = await Promise.all([
    readReport(reportSource, ids, until),
    ids.length > mostCompared ? undefined : readBefore(neighbour(span, -1), ids),
  ]);
  return { ...shared, data, before };
}

async function readBefore(span: ReportSpan, ids: readonly string[]) {
  return { span, uptimes: await readUptimes(reportSource, ids, momentsOf(span, zone.peek())) };
}

/** Works out the report of what was read. The objective needs no request. */
function reckon({ asked, chosen, moments, data, madeAt }: ReadReport, objective: number | undefined): Report {
  return reportOf({
    uptimes: data.uptimes,
    outages: data.outages,
    tags: new Map(chosen.map(({ id, tags }) => [id, tags])),
    base: baseOf(asked),
    objective,
    restSeconds: Math.max(0, moments.to - madeAt) / 1_000,
  });
}

const title = texts.screens.reports;

function Nothing({ asked }: { readonly asked: AskedReport }) {
  const isEmpty = rows.value.length === 0;
  return (
    <div class="section">
      <Heading>{isEmpty ? say.empty : say.none}</Heading>
      {isEmpty && mayWrite.value && (
        <a class="button main" href="/devices/new">
          {say.add}
        </a>
      )}
      {!isEmpty && (
        <button
          type="button"
          class="button"
          onClick={() => askFor(asked, { filter: '', devices: undefined })}
        >
          {say.all}
        </button>
      )}
    </div>
  );
}

function Body({ asked }: { readonly asked: AskedReport }) {
  const isReady = progress.value === 'ready';
  const { span, filter, devices, objective } = asked;
  const key = `${span === undefined ? '' : spanText(span)} ${filter} ${devices?.join(',')}`;
  const found = useRead(
    async () => (isReady ? { key, read: await read(asked) } : undefined),
    [key],
    [isReady],
  );
  if (typeof progress.value === 'object' && rows.value.length === 0)
    return <FailedScreen title={title} problem={progress.value.problem} retry={() => void readFacts()} />;
  if (span === undefined) return <Heading>{say.wrongSpan}</Heading>;
  // Another report than the asked one would be taken for it.
  const data = found.data?.key === key ? found.data.read : undefined;
  const state = <ReadState read={{ ...found, data }} rows={12} title={title} />;
  if (data === undefined) return state;
  if (data.chosen.length === 0) return <Nothing asked={asked} />;
  return (
    <>
      {state}
      <Sheet read={data} asked={asked} report={reckon(data, objective)} again={found.again} />
    </>
  );
}

/** Uptime of devices over a span: in a sentence, by group and by device, with its outages; also on paper. */
export function Reports() {
  const asked = readAsked();
  const isNamed = address.value.query.has('span');
  // At once: who goes on to another report meanwhile would be brought back to this one.
  useLayoutEffect(() => {
    if (!isNamed) askFor(asked, {}, { replace: true });
  }, [isNamed]);
  return (
    <div class="page">
      <Controls asked={asked} />
      <Body asked={asked} />
      <Monthly />
    </div>
  );
}
