import type { Schemas } from '@vantage/client';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, ifMay, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayAdminister } from '../../store/credential.ts';
import { readInstallationSettings } from '../../store/installation-settings.ts';
import { installationTexts } from '../installation/installation-texts.ts';
import { MailSettings } from '../installation/mail-settings.tsx';
import css from './account.module.css';
import { AccountSettings } from './account-settings.tsx';
import { accountTexts as say } from './account-texts.ts';
import { FindingList, InstallationHealth } from './installation-health.tsx';

async function read(isAdmin: boolean) {
  const [account, schedules, limits, installation, settings] = await Promise.all([
    take(api.GET('/account')),
    take(api.GET('/nschedules')),
    ifMay(take(api.GET('/account/limits'))),
    isAdmin ? ifMay(take(api.GET('/installation'))) : undefined,
    isAdmin ? readInstallationSettings() : undefined,
  ]);
  return { account, schedules, limits, installation, settings };
}

/** Whether nine tenths of a limit are used. */
const isNear = ({ Used, Most }: Schemas['AccountLimit']) => Used >= Most * 0.9;

function Limits({ limits }: { readonly limits: readonly Schemas['AccountLimit'][] }) {
  return (
    <section class="section" aria-labelledby="limits">
      <h2 id="limits">{say.limits}</h2>
      <dl class={css['facts']}>
        {limits.map((limit) => (
          <div key={limit.Kind}>
            <dt>{say.kinds[limit.Kind]}</dt>
            <dd class={isNear(limit) ? 'bad' : undefined}>
              {say.used(limit.Used, limit.Most)}
              {isNear(limit) && `, ${say.near}`}
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">{say.limitsHint}</p>
    </section>
  );
}

/** The account, its limits, and the health of Vantage itself with advice. */
export function AccountScreen() {
  const all = useRead(() => read(mayAdminister.value), [mayAdminister.value], [minute.value]);
  const { data } = all;
  const { installation } = data ?? {};
  const findings = installation?.Findings.length ?? 0;
  return (
    <div class="page">
      <Heading>
        {installation === undefined ? say.title : findings === 0 ? say.well : say.unwell(findings)}
      </Heading>
      <ReadState read={all} />
      {data !== undefined && (
        <>
          {data.installation === undefined ? (
            <p class="mute">{say.noHealth}</p>
          ) : (
            <>
              <FindingList installation={data.installation} />
              <InstallationHealth installation={data.installation} />
            </>
          )}
          <AccountSettings account={data.account} schedules={data.schedules} />
          {data.settings !== undefined && (
            <section class="section" id="mail" aria-labelledby="mail-title">
              <h2 id="mail-title">{installationTexts.title}</h2>
              <p class="mute">{installationTexts.hint}</p>
              <MailSettings read={data.settings} onSaved={all.again} />
            </section>
          )}
          {data.limits !== undefined && <Limits limits={data.limits} />}
        </>
      )}
    </div>
  );
}
