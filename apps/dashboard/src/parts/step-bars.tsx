import { stepsOfCheck } from '../model/check-steps.ts';
import { milliseconds } from '../model/format.ts';
import { checkTexts } from '../texts/check-texts.ts';
import { Icon } from './icon.tsx';
import legend from './legend.module.css';
import css from './step-bars.module.css';

const say = checkTexts;

/** The steps of a check on one time axis, each with its phases. */
export function StepBars({ extended }: { readonly extended: Readonly<Record<string, unknown>> }) {
  const found = stepsOfCheck(extended);
  if (found === undefined) return null;
  const { steps, totalMs } = found;
  const share = (ms: number) => `${totalMs === 0 ? 0 : (ms / totalMs) * 100}%`;
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
            <span class={css['track']}>
              <span class={css['bar']} style={{ marginLeft: share(startMs), width: share(tookMs) }}>
                {phases.map((phase) => (
                  <i
                    key={phase.name}
                    class={legend[`${phase.name}Key`]}
                    style={{ flexGrow: phase.ms }}
                    title={`${say.phaseNames[phase.name]} ${milliseconds(phase.ms)}`}
                  />
                ))}
              </span>
              <span class="hidden">
                {phases.map((phase) => `${say.phaseNames[phase.name]} ${milliseconds(phase.ms)}`).join(', ')}
              </span>
            </span>
            <span class="num">{milliseconds(tookMs)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
