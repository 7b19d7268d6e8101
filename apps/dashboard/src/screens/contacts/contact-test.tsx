import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import { contactTexts as say } from './contact-texts.ts';
import css from './contacts.module.css';

/** Sends a test message, and shows the receiver's answer. */
export function ContactTest({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
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
      setProblem(problemWords(error));
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
            <Icon name={result.Delivered ? 'Delivered' : 'Failed'} />{' '}
            {result.Delivered ? say.delivered : say.refused} <bdi>{result.Answer}</bdi>
          </span>
        )}
        {problem !== undefined && <span class="bad">{problem}</span>}
      </div>
    </section>
  );
}
