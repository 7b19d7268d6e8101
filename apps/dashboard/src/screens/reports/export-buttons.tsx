import { spanText } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { problemWords } from '../../parts/problem-words.ts';
import { saveFile } from '../../parts/save-file.ts';
import { readCsv } from '../../store/read-report.ts';
import { reportSource } from '../../store/report-source.ts';
import type { ReadReport } from './report-request.ts';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

/** Copies the address of a report, downloads it as CSV, or prints it. */
export function ExportButtons({ read: { span, chosen, moments, createdMs } }: { readonly read: ReadReport }) {
  const [outcome, setOutcome] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const ids = chosen.map(({ id }) => id);
  const until = { from: moments.from, to: Math.min(moments.to, createdMs) };
  const csv = async () => {
    setProblem(undefined);
    try {
      saveFile(await readCsv(reportSource, ids, until), say.csvName(spanText(span)));
    } catch (error) {
      setProblem(problemWords(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setOutcome(say.copied);
    } catch {
      // Without access to the clipboard, the address is shown instead.
      setOutcome(location.href);
    }
  };
  return (
    <div class={`buttons ${css['export']}`}>
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      <button type="button" class="button" onClick={() => void copy()}>
        {say.link}
      </button>
      <button type="button" class="button" disabled={until.to <= until.from} onClick={() => void csv()}>
        {say.csv}
      </button>
      <button type="button" class="button" onClick={() => print()}>
        {say.print}
      </button>
      <span class="mute" role="status">
        {outcome}
      </span>
    </div>
  );
}
