import type { Schemas } from '@vantage/client';
import { Icon, type IconName } from '../../parts/icon.tsx';
import css from './installation.module.css';
import { installationTexts as say } from './installation-texts.ts';

type Step = Schemas['MailTestStep'];

const icons: Readonly<Record<Step['State'], IconName>> = {
  Passed: 'Delivered',
  Failed: 'Failed',
  Skipped: 'Other',
  NotReached: 'Planned',
};

/** The steps of a test e-mail, and whether it was accepted. */
export function MailTestSteps({ tested }: { readonly tested: Schemas['InstallationSettingsTested'] }) {
  return (
    <div class={`${css['tested']} ${tested.Accepted ? '' : css['testedBad']}`} role="status">
      <p>
        <b>{tested.Accepted ? say.accepted : say.failed}</b>
      </p>
      <ol>
        {tested.Steps.map(({ Step: step, State, Text, Milliseconds }) => (
          <li key={step} class={State === 'Failed' ? 'bad' : undefined}>
            <Icon name={icons[State]} />
            <span>
              {say.steps[step]}: <bdi>{State === 'NotReached' ? say.notReached : Text}</bdi>{' '}
              {Milliseconds !== null && <span class="mute">{say.milliseconds(Milliseconds)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
