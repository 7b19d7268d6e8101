import { defineConfig } from 'vite';

const layers = '@layer base, parts, screens;';

/** JSX becomes calls of Preact. Nothing is inlined, because the page's policy admits files of this server only. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    {
      // The first file that names a layer sets the order of all, and any of them may come first.
      name: 'order-of-layers',
      enforce: 'pre',
      transform: (code, id) =>
        id.endsWith('.css') && !code.startsWith(layers) ? { code: layers + code, map: null } : undefined,
    },
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});
