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
import { deviceWords } from '../../texts/device-words.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { MonthlyReports } from './monthly-reports.tsx';
import { ReportControls } from './report-controls.tsx';
import {
  baseOf,
  chosenRows,
  type ReadReport,
  type ReportRequest,
  readReportRequest,
  showReport,
} from './report-request.ts';
import { ReportSheet } from './report-sheet.tsx';
import { reportTexts as say } from './report-texts.ts';

/** Above this number of devices, the previous span is not read for a comparison. */
const maxCompared = 1_000;

async function read(request: ReportRequest): Promise<ReadReport | undefined> {
  const { span } = request;
  if (span === undefined) return undefined;
  const chosen = chosenRows(rows.peek(), request);
  const ids = chosen.map(({ id }) => id);
  const moments = momentsOf(span, zone.peek());
  const createdMs = Math.floor(serverNow() / 1_000) * 1_000;
  const shared = { request, span, chosen, moments, createdMs };
  const until = { from: moments.from, to: Math.min(moments.to, createdMs) };
  if (until.to <= until.from || ids.length === 0)
    return {
      ...shared,
      data: { uptimes: [], outages: [], isCut: false, intervals: new Map() },
      before: undefined,
    };
  const [data, before] = await Promise.all([
    readReport(reportSource, ids, until),
    ids.length > maxCompared ? undefined : readBefore(neighbour(span, -1), ids),
  ]);
  return { ...shared, data, before };
}

async function readBefore(span: ReportSpan, ids: readonly string[]) {
  return { span, uptimes: await readUptimes(reportSource, ids, momentsOf(span, zone.peek())) };
}

/** Calculates the report. A change of the objective needs no request. */
function calculate(
  { request, chosen, moments, data, createdMs }: ReadReport,
  objective: number | undefined,
): Report {
  return reportOf({
    uptimes: data.uptimes,
    outages: data.outages,
    tags: new Map(chosen.map(({ id, tags }) => [id, tags])),
    base: baseOf(request),
    objective,
    restSeconds: Math.max(0, moments.to - createdMs) / 1_000,
  });
}

const title = frameTexts.screens.reports;

function EmptyReport({ request }: { readonly request: ReportRequest }) {
  const isEmpty = rows.value.length === 0;
  return (
    <div class="section">
      <Heading>{isEmpty ? say.empty : say.none}</Heading>
      {isEmpty && mayWrite.value && (
        <a class="button main" href="/devices/new">
          {deviceWords.add}
        </a>
      )}
      {!isEmpty && (
        <button
          type="button"
          class="button"
          onClick={() => showReport(request, { filter: '', devices: undefined })}
        >
          {say.all}
        </button>
      )}
    </div>
  );
}

function ReportBody({ request }: { readonly request: ReportRequest }) {
  const isReady = progress.value === 'ready';
  const { span, filter, devices, objective } = request;
  const key = `${span === undefined ? '' : spanText(span)} ${filter} ${devices?.join(',')}`;
  const found = useRead(
    async () => (isReady ? { key, read: await read(request) } : undefined),
    [key],
    [isReady],
  );
  if (typeof progress.value === 'object' && rows.value.length === 0)
    return <FailedScreen title={title} problem={progress.value.problem} retry={() => void readFacts()} />;
  if (span === undefined) return <Heading>{say.wrongSpan}</Heading>;
  // Another report must not be shown as the requested one.
  const data = found.data?.key === key ? found.data.read : undefined;
  const state = <ReadState read={{ ...found, data }} rows={12} title={title} />;
  if (data === undefined) return state;
  if (data.chosen.length === 0) return <EmptyReport request={request} />;
  return (
    <>
      {state}
      <ReportSheet read={data} request={request} report={calculate(data, objective)} again={found.again} />
    </>
  );
}

/** The uptime of devices over a span: in a sentence, by group and by device, with the outages; also for print. */
export function ReportsScreen() {
  const request = readReportRequest();
  const isNamed = address.value.query.has('span');
  // A layout effect runs at once. Later, a person who has gone to another report would be brought back to this one.
  useLayoutEffect(() => {
    if (!isNamed) showReport(request, {}, { replace: true });
  }, [isNamed]);
  return (
    <div class="page">
      <ReportControls request={request} />
      <ReportBody request={request} />
      <MonthlyReports />
    </div>
  );
}
