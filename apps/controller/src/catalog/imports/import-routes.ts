import type { ImportNote, ImportOutcome } from '@vantage/imports';
import { type FormatName, formatNames, isFormatName } from '@vantage/imports/formats';
import { boundedText, createFairSemaphore, declareShare } from '@vantage/kernel';
import { invalid, tooMuch } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';
import { type ImportAnswer, planImport } from './plan-import.ts';

declareShare({
  name: 'imports_in_work',
  limit: '2, each on a thread of 256 MB for 20 s at most; 32 wait',
  filledBy: 'keys',
  share: '1 an account, 16 wait; the account with the fewest is next',
});

const reading = { running: 2, waiting: 32, perOwner: { running: 1, waiting: 16 } } as const;

const maxFiles = 50;
/** Characters of a file. All of a request have at most 1 MiB. */
const maxText = 1_000_000;
/** Items of the files in one plan. A person looks through them. */
const maxPlanned = 2_000;

const formats = Object.keys(formatNames).filter(isFormatName) as [FormatName, ...FormatName[]];

const importCreate = z
  .strictObject({
    Format: z
      .enum(formats)
      .describe(
        `The tool, or \`csv\` for a table. ${Object.entries(formatNames)
          .map(([name, words]) => `${name}: ${words}`)
          .join('; ')}. Databases cannot be sent.`,
      )
      .meta({ example: 'gatus' }),
    Files: z
      .array(
        z.strictObject({
          Name: boundedText(255, 1).describe('Its name, for messages.').meta({ example: 'config.yaml' }),
          Text: boundedText(maxText)
            .describe('Its content.')
            .meta({ example: 'endpoints: [{name: shop, url: "https://shop.example.org"}]' }),
        }),
      )
      .min(1)
      .max(maxFiles)
      .describe(`At most ${maxFiles}. Files that others name must be sent, too.`)
      .meta({
        example: [
          { Name: 'config.yaml', Text: 'endpoints: [{name: shop, url: "https://shop.example.org"}]' },
        ],
      }),
    Modules: boundedText(maxText)
      .optional()
      .describe("`prometheus`: the configuration of the blackbox_exporter. Default: the exporter's example.")
      .meta({ example: 'modules: {http_2xx: {prober: http}}' }),
    Module: boundedText(100, 1)
      .optional()
      .describe('`prometheus`: the module of targets that name none.')
      .meta({ example: 'http_2xx' }),
  })
  .meta({ id: 'ImportRequest', description: "Another tool's files." });

const note = z.strictObject({
  At: z.string().describe('Its position in the file.').meta({ example: 'line 7' }),
  Name: z.string().meta({ example: 'shop' }),
  Text: z.string().meta({ example: 'its alerts' }),
});
const notes = (what: string) => z.array(note).describe(what).meta({ example: [] });
const lines = (what: string) => z.array(z.string()).describe(what).meta({ example: [] });

const importPlan = z
  .strictObject({
    File: z
      .string()
      .describe('The devices as an apply file: JSON, which is YAML, too. Secrets are references.')
      .meta({ example: '{"source":"import/gatus","devices":[]}' }),
    Things: z.string().describe('What the tool calls its items.').meta({ example: 'endpoints' }),
    Read: z
      .int()
      .describe('The number of items. Each is a device, or in Refused or Became.')
      .meta({ example: 0 }),
    Devices: z.int().describe('The number of devices in File.').meta({ example: 0 }),
    Shown: lines('How the files were read.'),
    Refused: notes('Items that become no device, each with the reason.'),
    Became: notes('Items that became something else, such as a tag.'),
    Lost: notes('Settings without a counterpart.'),
    Rounded: notes('Values that were rounded.'),
    Renamed: notes('Names that were changed.'),
    Ignored: lines('Parts of the files that are no checks.'),
    Secrets: z
      .array(
        z.strictObject({
          Name: z.string().meta({ example: 'kuma-3.Password' }),
          Use: z
            .string()
            .describe('The field of the other tool with its value.')
            .meta({ example: 'Password of "Mail"' }),
        }),
      )
      .describe('The secrets to which File refers. POST /secrets creates them.')
      .meta({ example: [] }),
  })
  .meta({ id: 'ImportPlan', description: 'What would become of the files. Nothing is stored.' });

/** Reading another tool's files. Nothing is stored. */
export function importRoutes(): Route[] {
  const slots = createFairSemaphore<number>(reading);
  return [
    route({
      method: 'POST',
      path: '/imports/plan',
      limitedCallers: 'permitted',
      waits: true,
      level: 'UW',
      tag: 'Devices',
      summary:
        "Reads another tool's files and answers with the devices that they describe. Nothing is stored.",
      description:
        'The answer has an apply file, and everything that is not in it as the other tool had it. PUT /devices?ExternalKey creates or changes its devices.',
      subject: noSubject,
      body: importCreate,
      response: importPlan,
      names: { root: 'import' },
      handler: async ({ session: { accountNo }, signal, body }) => {
        const sent = {
          format: body.Format,
          files: body.Files.map(({ Name, Text }) => ({ name: Name, text: Text })),
          modules: body.Modules,
          module: body.Module,
        };
        const done = await slots.run(accountNo, () => planImport(sent, signal), signal);
        if (done === undefined) throw tooMuch('Too many imports are waiting.');
        return { body: showPlan(outcomeOf(done.value)) };
      },
    }),
  ];
}

/** The outcome; throws a Problem (1004) for files that cannot be used. */
function outcomeOf(answer: ImportAnswer): ImportOutcome {
  const refuse = (message: string) => invalid([{ field: 'Files', message }]);
  if (answer.kind === 'unreadable') throw refuse(`cannot be read: ${answer.message}`);
  if (answer.kind === 'runaway')
    throw refuse('take too much time or memory to read. Send fewer, or use `./vantage import` on a host');
  const { read, things } = answer.outcome;
  if (read > maxPlanned)
    throw refuse(
      `have ${read} ${things}, and at most ${maxPlanned} are read in one request. Send parts of them, or use \`./vantage import\` on a host`,
    );
  return answer.outcome;
}

const showNotes = (found: readonly ImportNote[]) =>
  found.map(({ at, name, text }) => ({ At: at, Name: name, Text: text }));

function showPlan(outcome: ImportOutcome): z.input<typeof importPlan> {
  const { file, things, read, shown, refused, became, lost, rounded, renamed, ignored, secrets } = outcome;
  return {
    File: JSON.stringify(file),
    Things: things,
    Read: read,
    Devices: file.devices.length,
    Shown: [...shown],
    Refused: showNotes(refused),
    Became: showNotes(became),
    Lost: showNotes(lost),
    Rounded: showNotes(rounded),
    Renamed: showNotes(renamed),
    Ignored: [...ignored],
    Secrets: secrets.map(({ name, use }) => ({ Name: name, Use: use })),
  };
}
