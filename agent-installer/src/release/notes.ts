/** The heading in the changelog below which stands what an operator does for an upgrade. */
const dutiesHeading = '### What you must do';

/**
 * The notes of a release, from its section of the changelog (`## VERSION`, or `## Unreleased` before its day): first
 * what an operator must do, then what changed, last how to verify the files. Throws where the section does not say the
 * first.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const own =
    sections.find((section) => section.startsWith(`## ${version} `)) ??
    sections.find((section) => section.startsWith('## Unreleased'));
  if (own === undefined) throw new Error(`CHANGELOG.md has neither a section of ${version} nor "Unreleased"`);
  const [, ...parts] = own.split(/^(?=### )/m);
  const duties = parts.find((part) => part.startsWith(dutiesHeading));
  if (duties === undefined)
    throw new Error(`CHANGELOG.md says below "${dutiesHeading}" nothing about ${version}`);
  const changes = parts.filter((part) => part !== duties);
  return `# Vantage ${version}

${[duties, ...changes].map((part) => part.trim().replace(/^### /, '## ')).join('\n\n')}

## Verify the files

The file SHA256SUMS lists all files of this release, and the release key signed it:

\`\`\`sh
base64 -d release.key.pub | openssl pkey -pubin -inform DER -out release.pem
openssl pkeyutl -verify -pubin -inkey release.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
sha256sum --check SHA256SUMS
\`\`\`
`;
}
