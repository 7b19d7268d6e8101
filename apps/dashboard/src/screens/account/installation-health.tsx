import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { sizeOf } from '../../model/byte-size.ts';
import { briefly, count } from '../../model/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/time.tsx';
import { now } from '../../store/clock.ts';
import css from './account.module.css';
import { accountTexts as say } from './account-texts.ts';

type Installation = Schemas['Installation'];

/** Everything that needs attention, each with advice. */
export function FindingList({ installation }: { readonly installation: Installation }) {
  const { Findings: findings } = installation;
  if (findings.length === 0) return null;
  return (
    <section class="section" aria-labelledby="findings">
      <h2 id="findings">{say.findings}</h2>
      <ul>
        {findings.map(({ Id, Severity, Text, Remedy }) => (
          <li key={`${Id} ${Text}`} class={css['finding']}>
            <Icon name={Severity === 'fault' ? 'Failed' : 'Retrying'} />
            <div>
              <p>
                <b>{say.finding(Text)}</b>
              </p>
              <p class="mute">{Remedy}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function BackupAge({ backup: { Made, Verified } }: { readonly backup: Installation['Backup'] }) {
  if (Made === null) return <>{say.noBackup}</>;
  const age = (at: string) => briefly((now.value - Date.parse(at)) / 1_000);
  return <>{[say.made(age(Made)), ...(Verified === null ? [] : [say.verified(age(Verified))])].join(', ')}</>;
}

/** The parts of Vantage and their state. */
export function InstallationHealth({ installation }: { readonly installation: Installation }) {
  const {
    Backup: backup,
    Controllers,
    Disk,
    DatabaseBytes,
    CertificateEnd,
    Queues,
    Findings: findings,
  } = installation;
  const hasClock = findings.some(({ Id }) => Id === 'clock_wrong');
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [say.controllers, say.running(Controllers.length)],
    [
      say.version,
      <>
        {installation.Version}{' '}
        <a class="link" href="/docs/changelog">
          {say.whatIsNew}
        </a>
      </>,
    ],
    [say.clocks, hasClock ? say.clocksBad : say.clocksGood],
    [say.disk, Disk === null ? say.unknown : say.diskOf(sizeOf(Disk.Free), sizeOf(Disk.Total))],
    [say.database, DatabaseBytes === null ? say.unknown : sizeOf(DatabaseBytes)],
    [say.backup, <BackupAge key="backup" backup={backup} />],
    [say.certificate, CertificateEnd === null ? say.unknown : CertificateEnd.slice(0, 10)],
    [say.messages, count(Queues.NotificationsPending)],
    [say.rolledUp, Queues.RolledUpTo === null ? '–' : <Moment key="rolled" at={Queues.RolledUpTo} />],
    [say.quarantined, count(Queues.QuarantinedLastDay)],
  ];
  return (
    <section class="section" aria-labelledby="health">
      <h2 id="health">{say.health}</h2>
      <dl class={css['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
