import { spanText } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { wordsOf } from '../../parts/notice.tsx';
import { readCsv } from '../../store/read-report.ts';
import { reportSource } from '../../store/report-source.ts';
import { reportTexts as say } from '../../texts/report.ts';
import type { ReadReport } from './asked.ts';
import css from './reports.module.css';

/** Offers a text as a file. */
function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Ways to take a report along: a table, paper, its address. */
export function Take({ read: { span, chosen, moments, madeAt } }: { readonly read: ReadReport }) {
  const [said, setSaid] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const ids = chosen.map(({ id }) => id);
  const until = { from: moments.from, to: Math.min(moments.to, madeAt) };
  const csv = async () => {
    setProblem(undefined);
    try {
      save(await readCsv(reportSource, ids, until), say.csvName(spanText(span)));
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid(say.copied);
    } catch {
      // Without the right to the clipboard the address is in the address line.
      setSaid(location.href);
    }
  };
  return (
    <div class={`buttons ${css['take']}`}>
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
        {said}
      </span>
    </div>
  );
}
