/** The heading of the operator's steps for an upgrade, in the changelog. */
const upgradeHeading = '### What you must do';

/**
 * The notes of a release from its section of the changelog (`## VERSION`, or `## Unreleased`): the operator's steps,
 * then the changes, then the verification of the files. Throws where the section has no steps.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const section =
    sections.find((candidate) => candidate.startsWith(`## ${version} `)) ??
    sections.find((candidate) => candidate.startsWith('## Unreleased'));
  if (section === undefined)
    throw new Error(`CHANGELOG.md has neither a section of ${version} nor "Unreleased"`);
  const [, ...parts] = section.split(/^(?=### )/m);
  const steps = parts.find((part) => part.startsWith(upgradeHeading));
  if (steps === undefined) throw new Error(`CHANGELOG.md has no "${upgradeHeading}" for ${version}`);
  const changes = parts.filter((part) => part !== steps);
  return `# Vantage ${version}

${[steps, ...changes].map((part) => part.trim().replace(/^### /, '## ')).join('\n\n')}

## Verify the files

The file SHA256SUMS lists all files of this release, and the release key signed it:

\`\`\`sh
base64 -d release.key.pub | openssl pkey -pubin -inform DER -out release.pem
openssl pkeyutl -verify -pubin -inkey release.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
sha256sum --check SHA256SUMS
\`\`\`
`;
}
