import { deviceWords } from '../texts/device-words.ts';

/** A link to the audit of one thing: everything that people and programs changed in it. */
export function HistoryLink({ id }: { readonly id: string }) {
  return (
    <a class="link" href={`/audit?Object=${id}`}>
      {deviceWords.history}
    </a>
  );
}
