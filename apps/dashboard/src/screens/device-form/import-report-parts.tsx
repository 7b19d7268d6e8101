import type { Schemas } from '@vantage/client';
import { importTexts as say } from './import-texts.ts';

type Plan = Schemas['ImportPlan'];

/** Items of a part that are shown. */
const maxShown = 200;

function Part({
  words,
  lines,
  isOpen = false,
}: {
  readonly words: string;
  readonly lines: readonly string[];
  readonly isOpen?: boolean;
}) {
  if (lines.length === 0) return null;
  return (
    <details open={isOpen}>
      <summary>{say.partOf(words, lines.length)}</summary>
      <ul>
        {[...new Set(lines)].slice(0, maxShown).map((line) => (
          <li key={line} class="hint">
            <bdi>{line}</bdi>
          </li>
        ))}
        {lines.length > maxShown && <li class="hint">{say.more(lines.length - maxShown)}</li>}
      </ul>
    </details>
  );
}

/** Everything that is not in the devices as the other tool had it. Items without a device are shown at once. */
export function ImportReportParts({ plan }: { readonly plan: Plan }) {
  const linesOf = (part: keyof typeof say.parts) =>
    plan[part].map(({ At, Name, Text }) => say.item(Name, At, Text));
  return (
    <>
      <Part words={say.parts.Refused} lines={linesOf('Refused')} isOpen />
      <Part words={say.parts.Lost} lines={linesOf('Lost')} />
      <Part words={say.parts.Became} lines={linesOf('Became')} />
      <Part words={say.parts.Rounded} lines={linesOf('Rounded')} />
      <Part words={say.parts.Renamed} lines={linesOf('Renamed')} />
      <Part words={say.also} lines={plan.Ignored} />
      <Part words={say.shown} lines={plan.Shown} />
    </>
  );
}
