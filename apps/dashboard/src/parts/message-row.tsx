import type { Course, MessageLine } from '../model/alert-story.ts';
import { alertTexts } from '../texts/alert-texts.ts';
import { Icon, type IconName } from './icon.tsx';
import css from './message-row.module.css';
import { Moment } from './time.tsx';

const icons: Readonly<Record<Course, IconName>> = {
  delivered: 'Delivered',
  again: 'Failed',
  failed: 'Failed',
  waiting: 'Planned',
  merged: 'Delivered',
  withdrawn: 'Other',
  recorded: 'Other',
};

/** An attempt to deliver a message with the receiver's answer, or a message without an attempt. */
export function MessageRow({ line: { at, to, kind, course, answer } }: { readonly line: MessageLine }) {
  return (
    <li class={css['line']}>
      <Moment at={at} />
      <Icon name={icons[course]} />
      <span>
        {alertTexts.messageTo}{' '}
        <b>
          <bdi>{to}</bdi>
        </b>
        , “{alertTexts.messageKind(kind)}”: {alertTexts.courses[course]}
        {answer !== undefined && (
          <span class={css['answer']}>
            <bdi>{answer}</bdi>
          </span>
        )}
      </span>
    </li>
  );
}

/** Attempts that only repeat the answer of the one before, folded. */
export function RepeatedAttempts({ lines }: { readonly lines: readonly MessageLine[] }) {
  return (
    <li class={css['attempts']}>
      <details>
        <summary>{alertTexts.moreAttempts(lines.length)}</summary>
        <ol>
          {lines.map((attempt, at) => (
            <MessageRow key={at} line={attempt} />
          ))}
        </ol>
      </details>
    </li>
  );
}
