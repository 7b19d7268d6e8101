import type { Clock } from '@vantage/kernel';
import { showUpdated } from '@vantage/rest-kit/field';
import { denied, invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db, Reader } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { z } from 'zod';
import { actorOf, type Catalog } from '../../resources/change.ts';
import { isOperators } from '../../resources/operator-account.ts';
import { accepted } from '../../resources/refusal.ts';
import { settingsInForce, variablesOf } from './installation-settings.ts';
import {
  type mailTestStates,
  type mailTestSteps,
  settingsFull,
  settingsTest,
  settingsTested,
  settingsUpdate,
} from './installation-settings-fields.ts';
import { readInstallationSettings } from './installation-settings-store.ts';
import {
  changeInstallationSettings,
  resolveMailServer,
  type SettingsWriteDeps,
  shownServer,
} from './installation-settings-write.ts';
import type { LiveSettings } from './live-settings.ts';
import { smtpUrlOf } from './mail-server.ts';

/** Sends a test e-mail once, and says how far it came. */
type TestMail = (
  mail: { readonly smtpUrl: string; readonly mailFrom: string; readonly to: string },
  signal: AbortSignal,
) => Promise<
  readonly {
    readonly step: (typeof mailTestSteps)[number];
    readonly state: (typeof mailTestStates)[number];
    readonly text: string;
    readonly ms: number | null;
  }[]
>;

/** The parts that the settings of the installation need. */
export interface SettingsRouteDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly installation: LiveSettings;
  readonly onMailServer: SettingsWriteDeps['onMailServer'];
  readonly testMail: TestMail;
}

const tag = 'Service';
const names = { root: 'settings' } as const;
const onlyOperator = "Only admins of the operator's account, the first one of the installation, may use it.";

/** Reading, changing and testing the settings of the installation. */
export function installationSettingsRoutes(deps: SettingsRouteDeps): Route[] {
  const { catalog, clock, sealer, installation } = deps;
  const { environment } = installation;
  const read = async ({ kysely }: Reader, { zone }: Session): Promise<z.input<typeof settingsFull>> => {
    const stored = await readInstallationSettings(kysely, sealer);
    const { mailServer, mailFrom, allowPrivate } = settingsInForce(environment, stored);
    return {
      MailServer: shownServer(mailServer),
      MailFrom: mailFrom,
      PrivateWebhooks: allowPrivate,
      SetBy: variablesOf(environment),
      UpdatedAt: null,
      ...(stored.updatedUs === null ? {} : showUpdated(stored.updatedUs, zone)),
    };
  };
  return [
    route({
      method: 'GET',
      path: '/installation/settings',
      level: 'UA',
      tag,
      summary: 'The settings of the installation: mail server, sender, private webhooks.',
      description: `${onlyOperator} Environment variables of the controllers come before these settings; SetBy names them.`,
      subject: noSubject,
      limitedCallers: 'refused',
      response: settingsFull,
      names,
      handler: async ({ db, session }) => {
        await requireOperator(db, session);
        return { body: await read(db, session) };
      },
    }),
    validatingRoute({
      method: 'PUT',
      path: '/installation/settings',
      level: 'UA',
      tag,
      summary: 'Changes settings of the installation: what is absent stays, null is the default.',
      description: `${onlyOperator} All controllers apply them at once. A field that an environment variable sets is 1005.`,
      subject: noSubject,
      limitedCallers: 'refused',
      body: settingsUpdate,
      readOnly: ['SetBy', 'UpdatedAt'],
      response: settingsFull,
      names,
      handler: async ({ db, session, body, faults }) => {
        await requireOperator(db, session);
        const { accountNo, accountId } = session;
        const change = { accountNo, accountId, sent: body, faults, nowUs: clock.nowUs() };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) =>
            changeInstallationSettings(transaction, { ...deps, environment }, change),
          ),
        );
        if (db.isInTransaction()) db.afterCommit(() => void installation.refresh());
        else await installation.refresh();
        return { body: await read(db, session) };
      },
    }),
    route({
      method: 'POST',
      path: '/installation/settings/test',
      level: 'UA',
      tag,
      waits: true,
      summary: 'Sends a test e-mail, and answers each step: name, connection, TLS, login, acceptance.',
      description: `${onlyOperator} Nothing is saved. Accepted is false when a step failed.`,
      subject: noSubject,
      limitedCallers: 'refused',
      body: settingsTest,
      response: settingsTested,
      names: { root: 'test' },
      handler: async ({ db, session, body, signal }) => {
        await requireOperator(db, session);
        const { inForce } = installation;
        const { value, faults } = resolveMailServer(body.MailServer, inForce.mailServer);
        if (faults.length > 0) throw invalid(faults);
        const smtpUrl = value === null || value === inForce.mailServer ? inForce.smtpUrl : smtpUrlOf(value);
        if (smtpUrl === undefined)
          throw invalid([{ field: 'MailServer', message: 'is needed, because none is set' }]);
        const mail = { smtpUrl, mailFrom: body.MailFrom ?? inForce.mailFrom, to: body.To };
        const steps = await deps.testMail(mail, signal);
        return {
          body: {
            Accepted: steps.at(-1)?.state === 'Passed',
            Steps: steps.map(({ step, state, text, ms }) => ({
              Step: step,
              State: state,
              Text: text,
              Milliseconds: ms === null ? null : Math.round(ms * 10) / 10,
            })),
          },
        };
      },
    }),
  ];
}

async function requireOperator(db: Db, { accountNo }: Session): Promise<void> {
  if (!(await isOperators(db, accountNo))) throw denied();
}
