import { useState } from 'preact/hooks';
import { csvOf } from '../../model/csv.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { saveFile } from '../../parts/save-file.ts';
import { maxExported, readChainedAudit } from '../../store/audit-log.ts';
import { today } from '../../store/clock.ts';
import css from './audit.module.css';
import { auditTexts as say } from './audit-texts.ts';

const columns = [
  'audit_id',
  'Timestamp',
  'Actor',
  'Address',
  'Action',
  'Kind',
  'Id',
  'Changes',
  'Attempts',
  'Hash',
] as const;

/** Downloads all entries with their hashes. */
export function AuditExport() {
  const [outcome, setOutcome] = useState('');
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setOutcome(say.reading);
    try {
      const { entries, isCut } = await readChainedAudit();
      saveFile(csvOf(columns, entries), `audit-${today.value}.csv`);
      setOutcome(isCut ? say.exportCut(maxExported) : say.exported(entries.length));
    } catch (error) {
      setOutcome(problemWords(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class={css['export']}>
      <button type="button" class="button" disabled={isBusy} onClick={() => void save()}>
        {say.csv}
      </button>
      <p class="hint" role="status">
        {outcome === '' ? say.csvHint : outcome}
      </p>
    </div>
  );
}
