import { type StepPhase, stepsOfCheck } from '../model/check-steps.ts';
import { milliseconds } from '../model/format.ts';
import { checkTexts } from '../texts/check-texts.ts';
import { Icon } from './icon.tsx';
import css from './step-bars.module.css';

const say = checkTexts;

/** The steps of a check on one time axis, each with its phases. */
export function StepBars({ extended }: { readonly extended: Readonly<Record<string, unknown>> }) {
  const found = stepsOfCheck(extended);
  if (found === undefined) return null;
  const { steps, totalMs } = found;
  return (
    <section>
      <h3>{say.steps}</h3>
      <ol class={css['steps']}>
        {steps.map(({ name, result, isGood, request, startMs, tookMs, phases }, at) => (
          <li key={at}>
            <span class={css['name']} title={request}>
              <Icon name={isGood ? 'Delivered' : 'Failed'} word={isGood ? say.good : say.bad} />
              <bdi>{name}</bdi>
            </span>
            <span class={isGood ? css['result'] : css['bad']}>{result}</span>
            <svg
              class={css['track']}
              viewBox={`0 0 ${totalMs || 1} 10`}
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              {barsOf(phases, startMs).map(({ name: phase, x, ms }) => (
                <rect key={phase} class={css[phase]} x={x} width={ms} height="10">
                  <title>{`${say.phaseNames[phase]} ${milliseconds(ms)}`}</title>
                </rect>
              ))}
            </svg>
            <span class="hidden">
              {phases.map((phase) => `${say.phaseNames[phase.name]} ${milliseconds(phase.ms)}`).join(', ')}
            </span>
            <span class="num">{milliseconds(tookMs)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The phases with their begins on the axis. */
function barsOf(phases: readonly StepPhase[], startMs: number) {
  let x = startMs;
  return phases.map(({ name, ms }) => {
    const bar = { name, x, ms };
    x += ms;
    return bar;
  });
}
