import { defineConfig, type Plugin } from 'vite';

/** Base.css says it too, but the bundler may link the styles of a shared part before it, and the first one decides. */
const layers = '@layer base,parts,screens;';

/** Begins every style sheet with the order of the layers. */
const layersFirst: Plugin = {
  name: 'layers-first',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'asset' && file.fileName.endsWith('.css') && typeof file.source === 'string')
        file.source = layers + file.source;
  },
};

/** JSX becomes calls of Preact. Nothing is inlined, because the page's policy admits files of this server only. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [layersFirst],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});
