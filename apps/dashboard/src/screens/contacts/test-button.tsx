import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { api, take } from '../../store/api.ts';
import { contactTexts } from '../../texts/contacts.ts';
import css from './contacts.module.css';

const say = contactTexts;

/** Sends a test message, and shows what the receiver answered. */
export function TestButton({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Schemas['ContactTest']>();
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    setBusy(true);
    setResult(undefined);
    setProblem(undefined);
    try {
      setResult(
        await take(api.POST('/contacts/{contact_id}/test', { params: { path: { contact_id: id } } })),
      );
      onDone();
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setBusy(false);
  };
  return (
    <section class={css['test']}>
      <button type="button" class="button" disabled={isBusy} onClick={() => void send()}>
        {isBusy ? say.testing : say.test}
      </button>
      <div role="status">
        {result === undefined && problem === undefined && <span class="mute">{say.testHint}</span>}
        {result !== undefined && (
          <span>
            <Mark name={result.Delivered ? 'Delivered' : 'Failed'} />{' '}
            {result.Delivered ? say.delivered : say.refused} <bdi>{result.Answer}</bdi>
          </span>
        )}
        {problem !== undefined && <span class="bad">{problem}</span>}
      </div>
    </section>
  );
}
