import { createHash } from 'node:crypto';
import type { ReleasedPackage } from './released-packages.ts';

/** A prebuilt program or library in a package. */
export interface PrebuiltFile {
  /** Path in its package. */
  readonly file: string;
  readonly sha256: string;
}

export interface SbomSource {
  readonly version: string;
  readonly packages: readonly ReleasedPackage[];
  /** Prebuilt files by the package URL of their package. */
  readonly prebuilt: ReadonlyMap<string, readonly PrebuiltFile[]>;
  /** Versions of Node (`node`) and of the libraries in it, by name. */
  readonly node: Readonly<Record<string, string>>;
}

/**
 * The software bill of materials of a release: CycloneDX 1.6 as JSON (ECMA-424). It has no time and a serial number
 * derived from its content, so the same release gives the same document.
 */
export function sbomOf({ version, packages, prebuilt, node }: SbomSource): string {
  const productPurl = `pkg:generic/vantage@${version}`;
  const { node: nodeVersion = '', ...inNode } = node;
  const nodePurl = `pkg:generic/node@${nodeVersion}`;
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': productPurl,
        name: 'vantage',
        version,
        purl: productPurl,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components: [
      {
        type: 'platform',
        'bom-ref': nodePurl,
        name: 'node',
        version: nodeVersion,
        purl: nodePurl,
        cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
        components: Object.entries(inNode)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, libraryVersion]) => ({
            type: 'library',
            'bom-ref': `${nodePurl}#${name}`,
            name,
            version: libraryVersion,
          })),
      },
      ...packages.map((released) => component(released, prebuilt.get(released.purl) ?? [])),
    ],
    dependencies: [
      { ref: productPurl, dependsOn: [nodePurl, ...packages.map(({ purl }) => purl)] },
      ...packages.map(({ purl, loads }) => ({ ref: purl, dependsOn: loads })),
    ],
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const { bomFormat, specVersion, ...rest } = content;
  return `${JSON.stringify({ bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(digest)}`, ...rest }, null, 1)}\n`;
}

function component(
  { name, version, licence, sha512, purl }: ReleasedPackage,
  files: readonly PrebuiltFile[],
) {
  const [, group, short = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: short,
    version,
    ...(sha512 === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    ...(licence === undefined ? {} : { licenses: [licenceChoice(licence)] }),
    purl,
    ...(files.length === 0
      ? {}
      : {
          components: files.map(({ file, sha256 }) => ({
            type: 'file',
            'bom-ref': `${purl}#${file}`,
            name: file,
            hashes: [{ alg: 'SHA-256', content: sha256 }],
          })),
        }),
  };
}

/** A licence as SPDX id, SPDX expression, or name. */
function licenceChoice(licence: string): object {
  if (/^[\w.+-]+$/.test(licence)) return { license: { id: licence } };
  return /^[\w.+ ()-]+$/.test(licence) ? { expression: licence } : { license: { name: licence } };
}

/** A UUID of version 8 (RFC 9562) from a digest. */
function uuidOf(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
