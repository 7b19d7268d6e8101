/** The background of status pages in each theme; colours that people choose must be readable on it. */
export const backgrounds = { Light: '#fbfbfa', Dark: '#131416' } as const;

/** The style of status pages. Colours are those of the page for people (LOOK: contrast 4.5:1 and more for text). */
export const style = `:root{color-scheme:light dark;--bg:light-dark(${backgrounds.Light},${backgrounds.Dark});--ink:light-dark(#1c1d1f,#e9e9e7);--mute:light-dark(#5c5e63,#a6a8ad);--line:light-dark(#e7e6e2,#2a2c30);--control:light-dark(#8b8d92,#6e7176);--link:light-dark(#3152cf,#8aa2ff);--up:light-dark(#2e8b57,#5fbf88);--bar:light-dark(#6c997e,#4a7a5e);--down:light-dark(#c8321f,#ff7a66);--downt:light-dark(#b0270f,#ff8f7d);--downb:light-dark(#fcefec,#2b1917);--maint:light-dark(#7667b5,#a99be6);--maintt:light-dark(#5c4d9c,#b9adee);--maintb:light-dark(#f2f0fa,#201d2e);--unk:light-dark(#94773c,#c8a868);--unkt:light-dark(#70561f,#d6b97c);--unkb:light-dark(#f7f3ea,#25211a)}
body,*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 Inter,system-ui,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:44.5rem;margin:0 auto;padding:2.5rem 1rem}p,h1,h2,h3,ol,ul{margin:0;padding:0}a{color:var(--link)}bdi,.text{overflow-wrap:anywhere}
.mute,.foot,.axis,.legend{color:var(--mute)}.name{font-weight:600;font-size:14px}
.state{display:flex;gap:1rem;align-items:center;margin:1.25rem 0 1.5rem;padding:.8rem 1.25rem;border-left:4px solid var(--up);background:transparent}
.state.Down{border-color:var(--down);background:var(--downb)}.state.Maint{border-color:var(--maint);background:var(--maintb)}.state.Unknown,.state.old{border-color:var(--unk);background:var(--unkb)}
h1{font-size:18px;line-height:1.3}h2{font-size:12px;color:var(--mute);margin:1.75rem 0 0;padding-bottom:.35rem;border-bottom:1px solid var(--line)}h3{font-size:14px;margin-top:.6rem}
.service{list-style:none;border-top:1px solid var(--line);padding:.7rem 0 .5rem}h2+ul .service:first-child{border-top:0}.head{display:flex;gap:.25rem 1rem;align-items:baseline;flex-wrap:wrap}.head bdi{flex:1 1 12rem;font-weight:600;text-align:left}
.head .status{min-width:10.5rem}.Up.status{color:var(--mute)}.Down.status{color:var(--downt);font-weight:600}.Maint.status{color:var(--maintt)}.Unknown.status{color:var(--unkt)}
svg{display:block}.mark{width:12px;height:12px;display:inline-block;vertical-align:-1px;margin-right:.45rem;fill:none;stroke:none}.state .mark{width:18px;height:18px;flex:none;margin:0}.mark .Up{fill:var(--up)}.mark .Down{fill:var(--down)}.mark .Maint{fill:var(--maint)}.mark .Unknown{stroke:var(--unk);stroke-width:2;stroke-dasharray:3 2}
.days{width:100%;height:28px;margin-top:.25rem}.days path{fill:none}.days .Up{stroke:var(--bar);stroke-width:5;stroke-dasharray:7 1}.days .Down{stroke:var(--down);stroke-width:7}.days .Maint{stroke:var(--maint);stroke-width:7}.days .Unknown{stroke:var(--unk);stroke-width:7;stroke-dasharray:2 1}.days .none{stroke:var(--control);stroke-width:1}
.axis{display:flex;justify-content:space-between;font-size:11px;margin-top:.4rem}.legend{display:flex;gap:1.25rem;flex-wrap:wrap;font-size:12px;margin-top:.6rem}
.notes{list-style:none}.notes li{padding:.6rem 0;border-bottom:1px solid var(--line)}.notes li:last-child{border:0}.text{white-space:pre-line}.timed{display:grid;grid-template-columns:10rem 1fr;gap:0 1rem}.timed h3{margin:0}@media(max-width:30rem){.timed{grid-template-columns:1fr}}details{margin-top:1rem;font-size:13px}summary{cursor:pointer;padding:.75rem 0;color:var(--link)}
.foot{margin-top:2.5rem;font-size:12px}.own{margin-top:1.5rem;padding-top:.75rem;border-top:1px solid var(--line);font-size:13px;color:var(--mute)}.brand{display:flex;gap:.25rem .75rem;align-items:center;flex-wrap:wrap}.brand img{height:40px;width:auto;max-width:100%}form{margin-top:1rem}label{display:block;margin-bottom:.25rem}input,button{font:inherit;padding:.5rem .75rem;border-radius:6px;border:1px solid var(--control);background:transparent;color:inherit}button{background:var(--ink);color:var(--bg);margin-left:.25rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}`;

/** Laid over the style of a page with an accent colour: its links, its buttons, and a line at the top. */
export function accentStyle({ Light, Dark }: { readonly Light: string; readonly Dark: string }): string {
  return `:root{--link:light-dark(${Light},${Dark})}body{border-top:4px solid var(--link)}button{background:var(--link);border-color:var(--link)}`;
}
